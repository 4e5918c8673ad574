"""The network as a module that turns a step into its loss."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.checkpoint import checkpoint

from arborlink.reranking.scoring import scores_of


class ListwiseScorer(torch.nn.Module):
    """Scores the candidates of each mention and compares them: softmax cross-entropy, the gold one is right.

    Args:
        network: a transformer with one output.
        has_types: it tells the texts of a pair apart by token types.
        recompute: keep no activations but compute them again, chunk by chunk, in the backward pass.
    """

    def __init__(self, network: Any, has_types: bool, recompute: bool = False) -> None:
        super().__init__()
        self.network = network
        self.has_types = has_types
        self.recompute = recompute

    def forward(
        self,
        ids: list[torch.Tensor],
        n_first: list[torch.Tensor],
        n_all: list[torch.Tensor],
        place: torch.Tensor,
        is_there: torch.Tensor,
    ) -> dict[str, torch.Tensor]:
        """The loss of a step, an item of :class:`~arborlink.training.reranker.steps.RerankerSteps`."""
        scores = [self._scores(*chunk) for chunk in zip(ids, n_first, n_all, strict=True)]
        lists = torch.cat(scores)[place].masked_fill(~is_there, -torch.inf)
        gold = torch.zeros(len(lists), dtype=torch.long, device=lists.device)
        return {"loss": torch.nn.functional.cross_entropy(lists, gold)}

    def _scores(self, *chunk: torch.Tensor) -> torch.Tensor:
        if self.recompute and torch.is_grad_enabled():
            kept: torch.Tensor = checkpoint(
                scores_of, self.network, *chunk, has_types=self.has_types, use_reentrant=False
            )
            return kept
        return scores_of(self.network, *chunk, has_types=self.has_types)
