"""What the towers find now: each mention's positive, and the nearest wrong entities and mentions."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from arborlink.files import partial_path
from arborlink.labels import Labels
from arborlink.search import nearest_apart
from arborlink.training.blocks import blocks_of_like
from arborlink.training.examples import EntitySide, Examples
from arborlink.training.objectives import Needs
from arborlink.training.targets import NOBODY, positives

# Pairs of a mention and a name of its entity that are compared at a time.
_PAIRS = 1 << 18


@dataclass(frozen=True)
class Mined:
    """Neighbours for training; n examples.

    Args:
        gold_view: int32, shape (n,): the nearest view of the gold entity, -1 where it is not in the KB.
        positive: int32, shape (n,): the parent mention, or ENTITY or NOBODY of :mod:`arborlink.training.targets`.
        wrong_views: int32, shape (n, k): the nearest views of other entities, -1 where there are fewer.
        wrong_mentions: int32, shape (n, k): the nearest mentions that are not coreferent, likewise.
        block: int32, shape (n,): mentions of one block are asked in one step.
    """

    gold_view: NDArray[np.int32]
    positive: NDArray[np.int32]
    wrong_views: NDArray[np.int32]
    wrong_mentions: NDArray[np.int32]
    block: NDArray[np.int32]

    def write(self, path: Path) -> None:
        """Keep it in a file, so that a resumed run goes on with the same neighbours."""
        partial = partial_path(path)
        save_file({field.name: getattr(self, field.name) for field in fields(self)}, partial)
        partial.replace(path)

    @classmethod
    def read(cls, path: Path) -> Mined:
        """Read what :meth:`write` wrote."""
        return cls(**load_file(path))


@dataclass(frozen=True)
class Mining:
    """How neighbours are found.

    Args:
        examples: the mentions.
        entities: the knowledge base.
        needs: what the objective compares.
        positives: where positives come from: ``arborescence``, ``nearest`` or ``random``.
        seed: decides what is drawn, with the epoch.
        block_size: mentions of a block, see :mod:`arborlink.training.blocks`.
        types: which entity views and which mentions a mention may meet, if types restrict it.
    """

    examples: Examples
    entities: EntitySide
    needs: Needs
    positives: str
    seed: int
    block_size: int = 1
    types: tuple[Labels, Labels] | None = None

    @property
    def needs_vectors(self) -> bool:
        """Whether anything has to be embedded at all: random negatives of a batch need no neighbours."""
        return self.needs.targets or bool(self.needs.entity_negatives or self.needs.mention_negatives)

    def draw(self, epoch: int) -> Mined:
        """Without vectors: of an entity's views one is drawn."""
        examples, views = self.examples, self.entities.offsets
        gold = np.full(len(examples), -1, dtype=np.int32)
        entity = examples.groups[examples.in_kb]
        counts = views[entity + 1] - views[entity]
        drawn = np.random.default_rng([self.seed, epoch, 1]).random(len(entity))
        gold[examples.in_kb] = views[entity] + (drawn * counts).astype(np.int64)
        gold = self._said(gold)
        nothing = np.empty((len(examples), 0), dtype=np.int32)
        alone = np.arange(len(examples), dtype=np.int32)
        return Mined(gold, np.full(len(examples), NOBODY, dtype=np.int32), nothing, nothing, alone)

    def mine(self, mention_texts: torch.Tensor, entity_texts: torch.Tensor, epoch: int) -> Mined:
        """With vectors of the distinct mention and entity texts, on one device."""
        examples, needs = self.examples, self.needs
        mentions = mention_texts[_on(mention_texts, examples.text_of_mention)]
        views = entity_texts[_on(entity_texts, self.entities.text_of_view)]
        nearest, affinity = self._gold_views(mentions, views)
        gold = self._said(nearest)
        other = np.flatnonzero(gold != nearest)
        affinity[other] = _products(mentions, other, views, gold[other].astype(np.int64))
        of_entities, of_mentions = (None, None) if self.types is None else self.types
        n_searched = self.entities.n_searched
        wrong_views = nearest_apart(
            mentions,
            views[:n_searched],
            needs.entity_negatives,
            examples.groups,
            self.entities.entity_of_view[:n_searched].astype(np.int64),
            allowed=None if of_entities is None else of_entities.meetings(),
        )
        wrong_mentions = nearest_apart(
            mentions,
            mentions,
            needs.mention_negatives,
            examples.groups,
            examples.groups,
            allowed=None if of_mentions is None else of_mentions.meetings(),
        )
        positive = np.full(len(examples), NOBODY, dtype=np.int32)
        seed = int(np.random.default_rng([self.seed, epoch, 2]).integers(2**31))
        if needs.targets:
            positive = positives(self.positives, mentions.cpu().numpy(), affinity, examples.groups, seed)
        if self.block_size > 1:
            compared = np.concatenate([nearest[:, None], wrong_views], axis=1)
            if not needs.entity_negatives:
                compared = wrong_mentions
            block = blocks_of_like(compared, self.block_size, seed)
        else:
            block = np.arange(len(examples), dtype=np.int32)
        return Mined(gold, positive, wrong_views, wrong_mentions, block)

    def _said(self, gold: NDArray[np.int32]) -> NDArray[np.int32]:
        """These gold views, but where an example says which one it is compared with."""
        said = self.examples.gold_view
        return gold if said is None else np.where(said >= 0, said, gold).astype(np.int32)

    def _gold_views(
        self, mentions: torch.Tensor, views: torch.Tensor
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The nearest view of each mention's gold entity and its affinity; -1 and -inf where there is no entity."""
        examples, offsets = self.examples, self.entities.offsets
        gold = np.full(len(examples), -1, dtype=np.int32)
        affinity = np.full(len(examples), -np.inf, dtype=np.float32)
        known = np.flatnonzero(examples.in_kb)
        first = offsets[examples.groups[known]]
        counts = offsets[examples.groups[known] + 1] - first
        ends = np.cumsum(counts)
        place = np.arange(int(counts.sum())) - np.repeat(ends - counts, counts)
        view = np.repeat(first, counts) + place
        product = _products(mentions, np.repeat(known, counts), views, view)
        # by mention, then by affinity; the first view wins a tie
        owner = np.repeat(np.arange(len(known)), counts)
        best = np.lexsort((view, -product, owner))[ends - counts]
        gold[known], affinity[known] = view[best], product[best]
        return gold, affinity


def _products(
    mentions: torch.Tensor, mention: NDArray[np.int64], views: torch.Tensor, view: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Inner products of pairs, some at a time."""
    found = [np.empty(0, dtype=np.float32)]
    for start in range(0, len(view), _PAIRS):
        pairs = slice(start, start + _PAIRS)
        left, right = mentions[_on(mentions, mention[pairs])], views[_on(views, view[pairs])]
        found.append((left * right).sum(dim=1).cpu().numpy())
    return np.concatenate(found)


def _on(vectors: torch.Tensor, rows: NDArray[np.integer]) -> torch.Tensor:
    return torch.from_numpy(rows.astype(np.int64)).to(vectors.device)
