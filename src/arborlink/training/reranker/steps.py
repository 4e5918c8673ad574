"""The steps of an epoch: some mentions, each with all its candidates, as chunks of pairs of like length."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import Dataset

from arborlink.reranking.reading import Read
from arborlink.training.reranker.candidates import Candidates


class RerankerSteps(Dataset[dict[str, Any]]):
    """Steps of one epoch; item i is what the network gets in step i.

    An item holds, for B mentions with K candidates each:

    - ``ids``, ``n_first``, ``n_all``: one tensor for each chunk, see
      :class:`~arborlink.reranking.pairs.PairChunk`;
    - ``place``: (B, K) where the pair of each candidate is among those of all chunks; 0 for none;
    - ``is_there``: (B, K) whether there is a candidate; the gold one, in the first column, always is.

    Args:
        candidates: the mentions and their candidates.
        read: their texts.
        batch_size: mentions in a step.
        max_tokens: tokens of a chunk, 0 for no limit.
        per_chunk: what a chunk costs besides its tokens, in tokens.
        seed: decides the order of the mentions, with the epoch.
    """

    def __init__(
        self,
        candidates: Candidates,
        read: Read,
        batch_size: int,
        max_tokens: int = 0,
        per_chunk: int = 0,
        seed: int = 0,
    ) -> None:
        self.candidates = candidates
        self.read = read
        self.batch_size = batch_size
        self.max_tokens = max_tokens
        self.per_chunk = per_chunk
        self.seed = seed
        self.n_pairs = 0
        self._order = np.arange(len(candidates))

    def start(self, epoch: int) -> None:
        """Draw the order of this epoch's mentions."""
        self._order = np.random.default_rng([self.seed, epoch]).permutation(len(self.candidates))

    def __len__(self) -> int:
        return max(1, round(len(self.candidates) / self.batch_size))

    def __getitem__(self, step: int) -> dict[str, Any]:
        if not 0 <= step < len(self):
            raise IndexError(f"step {step} of {len(self)}")
        # Even shares: no last step of three mentions whose gradient counts as much as that of a full one.
        start, stop = (share * len(self._order) // len(self) for share in (step, step + 1))
        return self.plan(self._order[start:stop])

    def plan(self, rows: NDArray[np.int64]) -> dict[str, Any]:
        """What the network gets for these rows of the candidates."""
        items = self.candidates.items[rows]
        pairs = self.read.pairs(rows)
        chunks = self.read.texts.chunks(pairs, self.max_tokens, self.per_chunk)
        scored = np.concatenate([chunk.places for chunk in chunks])
        place_of_pair = np.empty(len(scored), dtype=np.int64)
        place_of_pair[scored] = np.arange(len(scored))
        is_there = items >= 0
        place = np.zeros(items.shape, dtype=np.int64)
        place[is_there] = place_of_pair
        self.n_pairs += len(scored)
        return {
            "ids": [torch.from_numpy(chunk.ids) for chunk in chunks],
            "n_first": [torch.from_numpy(chunk.n_first) for chunk in chunks],
            "n_all": [torch.from_numpy(chunk.n_all) for chunk in chunks],
            "place": torch.from_numpy(place),
            "is_there": torch.from_numpy(is_there),
        }
