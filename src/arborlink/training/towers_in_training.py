"""The two towers as one module that turns a step into its loss."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

from arborlink.encoders.sequences import Sequences
from arborlink.training.objectives import Objective
from arborlink.training.processes import all_rows, own_share
from arborlink.training.scores import Scores, negative_mask

# Tokens encoded at a time where no gradients are kept.
_CPU_TOKENS, _ACCELERATOR_TOKENS = 4096, 262144


class TowersInTraining(torch.nn.Module):
    """Mention tower, entity tower (or one for both) and the objective.

    Args:
        mention_tower: reads mentions.
        entity_tower: reads entities; may be the same object.
        objective: turns scores into a loss.
        temperature: scores are affinities divided by this.
        kept_tokens: tokens of a step whose activations are kept; those of the chunks after that are computed again
            in the backward pass. ``None`` keeps all.
    """

    def __init__(
        self,
        mention_tower: SentenceTransformer,
        entity_tower: SentenceTransformer,
        objective: Objective,
        temperature: float,
        kept_tokens: int | None = None,
    ) -> None:
        super().__init__()
        towers = [mention_tower] if entity_tower is mention_tower else [mention_tower, entity_tower]
        self.towers = torch.nn.ModuleList(towers)
        self.objective = objective
        self.temperature = temperature
        self.kept_tokens = kept_tokens

    @property
    def mention_tower(self) -> SentenceTransformer:
        """Reads mentions."""
        return cast(SentenceTransformer, self.towers[0])

    @property
    def entity_tower(self) -> SentenceTransformer:
        """Reads entities."""
        return cast(SentenceTransformer, self.towers[-1])

    @property
    def each_tower(self) -> list[SentenceTransformer]:
        """The distinct towers."""
        return [cast(SentenceTransformer, tower) for tower in self.towers]

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    def forward(
        self,
        mentions: dict[str, Any],
        entities: dict[str, Any],
        queries: torch.Tensor,
        parent: torch.Tensor,
        entity: torch.Tensor,
        query_groups: torch.Tensor,
        candidate_groups: torch.Tensor,
        own_negatives: torch.Tensor | None = None,
        query_scopes: torch.Tensor | None = None,
        candidate_scopes: torch.Tensor | None = None,
    ) -> dict[str, torch.Tensor]:
        """The loss of a step; :class:`~arborlink.training.steps.Steps` says what the arguments are."""
        of_mentions = self._encode(self.mention_tower, mentions)
        n_read = sum(ids.numel() for ids in mentions["ids"])
        of_entities = self._encode(self.entity_tower, entities, n_read)
        with torch.autocast(of_mentions.device.type, enabled=False):
            candidates = torch.cat([of_entities.float(), of_mentions.float()])
            values = of_mentions.float()[queries] @ candidates.T / self.temperature
            scopes = None
            if query_scopes is not None and candidate_scopes is not None:
                scopes = query_scopes, candidate_scopes
            negatives = negative_mask(query_groups, candidate_groups, own_negatives, scopes)
            loss = self.objective(Scores(values, parent, entity, negatives, len(of_entities)))
        return {"loss": loss}

    def _encode(self, tower: SentenceTransformer, side: dict[str, Any], n_read: int = 0) -> torch.Tensor:
        """Vectors of all texts of a step, in their order; this process computes its share of them.

        ``n_read`` tokens of the step were read before.
        """
        vectors = []
        for ids, mask in zip(side["ids"], side["masks"], strict=True):
            n_read += ids.numel()
            is_kept = self.kept_tokens is None or n_read <= self.kept_tokens
            if is_kept or not torch.is_grad_enabled():
                vectors.append(_vectors(tower, ids, mask))
            else:
                vectors.append(checkpoint(_vectors, tower, ids, mask, use_reentrant=False))
        return all_rows(torch.cat(vectors), int(side["n_texts"]))[side["order"]]

    @torch.no_grad()
    def embed(self, which: str, texts: Sequences, precision: torch.dtype | None = None) -> torch.Tensor:
        """Vectors of many texts, in eval mode and without gradients: float32, (n_texts, dimension), on the device."""
        tower = self.mention_tower if which == "mentions" else self.entity_tower
        device = self.device
        order = np.argsort(-texts.lengths, kind="stable")
        share = own_share(order) if len(order) else order
        budget = _CPU_TOKENS if device.type == "cpu" else _ACCELERATOR_TOKENS
        found = torch.empty((len(share), int(tower.get_embedding_dimension() or 0)), device=device)
        enabled = precision not in (None, torch.float32)
        with _in_eval_mode(tower), torch.autocast(device.type, dtype=precision, enabled=enabled):
            start = 0
            while start < len(share):
                stop = start + max(1, budget // max(8, int(texts.lengths[share[start]])))
                chunk = texts.padded(share[start:stop])
                ids, mask = (torch.from_numpy(each).to(device) for each in (chunk.ids, chunk.mask))
                found[start : start + len(ids)] = _vectors(tower, ids, mask).float()
                start += len(ids)
        vectors = torch.empty((len(texts), found.shape[1]), device=device)
        if len(order):
            vectors[torch.from_numpy(order).to(device)] = all_rows(found, len(order))
        return vectors


def attention_for_any_shape() -> AbstractContextManager[None]:
    """Attention without cuDNN, which plans every new shape for some 10 ms, and nearly every step has a new one."""
    kernels = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    allowed: AbstractContextManager[None] = sdpa_kernel(kernels)
    return allowed


def _vectors(tower: SentenceTransformer, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    vectors: torch.Tensor = tower({"input_ids": ids, "attention_mask": mask})["sentence_embedding"]
    return vectors


@contextmanager
def _in_eval_mode(tower: torch.nn.Module) -> Iterator[None]:
    """Without dropout: mining with it on would teach from neighbours that are not there."""
    was_training = tower.training
    tower.eval()
    try:
        yield
    finally:
        tower.train(was_training)


def side_of_step(
    texts: Sequences, rows: NDArray[np.int64], max_tokens: int, per_chunk: int
) -> dict[str, Any]:
    """What a tower reads in a step: this process's share of the texts in chunks, and how to put the vectors in order.

    Args:
        texts: all texts of the side.
        rows: the texts of the step; the vectors come out in this order.
        max_tokens: tokens of a chunk, 0 for no limit.
        per_chunk: what a chunk costs besides its tokens, in tokens.

    Returns:
        ``ids`` and ``masks``: one tensor for each chunk; ``order``: where each row of the step is among the gathered
        ones; ``n_texts``: how many rows the step has.
    """
    by_length = np.argsort(-texts.lengths[rows], kind="stable")
    chunks = texts.chunks(
        rows[own_share(by_length)], max_tokens, per_chunk
    )  # sorted already: they keep the order
    order = np.empty(len(rows), dtype=np.int64)
    order[by_length] = np.arange(len(rows))
    return {
        "ids": [torch.from_numpy(chunk.ids) for chunk in chunks],
        "masks": [torch.from_numpy(chunk.mask) for chunk in chunks],
        "order": torch.from_numpy(order),
        "n_texts": len(rows),
    }
