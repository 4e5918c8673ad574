"""The steps of an epoch: which mentions are asked, what they are compared with, which texts that takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import Dataset

from arborlink.training.examples import EntitySide, Examples
from arborlink.training.mining import Mined
from arborlink.training.objectives import Needs
from arborlink.training.targets import ENTITY
from arborlink.training.towers_in_training import side_of_step


class Steps(Dataset[dict[str, Any]]):
    """Steps of one epoch, planned the same in every process; item i is what the towers get in step i.

    An item holds, for B queries and C candidates (the distinct entity views of the step, then its distinct mentions):

    - ``mentions``, ``entities``: the texts, see :func:`~arborlink.training.towers_in_training.side_of_step`;
    - ``queries``: (B,) place of each query among the mentions;
    - ``parent``, ``entity``: (B,) candidate that is its positive by targets, and its gold entity; -1 for none;
    - ``query_groups`` (B,), ``candidate_groups`` (C,): who is coreferent with whom;
    - ``own_negatives``: (B, k) candidates that were mined for the query, -1 for none; absent if all are shared;
    - ``query_scopes`` (B,), ``candidate_scopes`` (C,): who belongs to the same knowledge base; absent if all do.

    Args:
        examples: the mentions.
        entities: the knowledge base.
        needs: what the objective compares.
        batch_size: queries in a step.
        shared_negatives: each query meets every candidate of the step, not only its own; so it does anyway where
            none are mined: it would meet nobody.
        max_tokens: tokens of a chunk, 0 for no limit.
        per_chunk: what a chunk costs besides its tokens, in tokens.
        seed: decides the order of the queries, with the epoch.
        scopes: the scope of each example and of each entity view, where several knowledge bases are learned together.
    """

    def __init__(
        self,
        examples: Examples,
        entities: EntitySide,
        needs: Needs,
        batch_size: int,
        shared_negatives: bool = True,
        max_tokens: int = 0,
        per_chunk: int = 0,
        seed: int = 0,
        scopes: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    ) -> None:
        self.entities = entities
        self.needs = needs
        self.batch_size = batch_size
        self.shared_negatives = shared_negatives or not (needs.entity_negatives or needs.mention_negatives)
        self.max_tokens = max_tokens
        self.per_chunk = per_chunk
        self.seed = seed
        self.mined: Mined | None = None
        self.n_sequences = 0
        self.learn_from(examples, entities, scopes)

    def learn_from(
        self,
        examples: Examples,
        entities: EntitySide,
        scopes: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    ) -> None:
        """Take what was drawn for an epoch; the entity views may be more than those of the knowledge base."""
        self.examples = examples
        self.scopes = scopes
        self._views = entities
        self._entity_of_view = entities.entity_of_view.astype(np.int64)
        self._askable = askable(examples, self.needs)
        self._order = self._askable

    def start(self, epoch: int, mined: Mined) -> None:
        """Draw the order of this epoch's queries: block by block, blocks and what is in them at random."""
        draw = np.random.default_rng([self.seed, epoch])
        shuffled = draw.permutation(self._askable)
        blocks = mined.block[shuffled]
        place = draw.permutation(int(blocks.max(initial=0)) + 1)
        self._order = shuffled[np.argsort(place[blocks], kind="stable")]
        self.mined = mined

    def mine_anew(self, mined: Mined) -> None:
        """Go on with new neighbours in the order that the epoch began with."""
        if self.mined is not None:
            mined = replace(mined, block=self.mined.block)  # a resumed run draws the order from them
        self.mined = mined

    def __len__(self) -> int:
        return max(1, round(len(self._askable) / self.batch_size))

    def __getitem__(self, step: int) -> dict[str, Any]:
        if not 0 <= step < len(self):
            raise IndexError(f"step {step} of {len(self)}")
        # Even shares: no last step of three mentions whose gradient counts as much as that of a full one.
        start, stop = (share * len(self._order) // len(self) for share in (step, step + 1))
        return self.plan(self._order[start:stop])

    def plan(self, queries: NDArray[np.int64]) -> dict[str, Any]:
        """What the towers get for these queries."""
        if self.mined is None:
            raise RuntimeError("steps are planned from what was mined; mine first")
        mined, needs = self.mined, self.needs
        gold, parent = mined.gold_view[queries], mined.positive[queries]
        by_entity = gold if needs.gold_entities else np.where(parent == ENTITY, gold, -1)
        wrong_views, wrong_mentions = mined.wrong_views[queries], mined.wrong_mentions[queries]
        views = _distinct(by_entity, wrong_views)
        if not len(views):  # a tower without a text would leave its gradients out of the step
            views = np.zeros(1, dtype=np.int64)
        mentions = _distinct(queries, np.where(parent >= 0, parent, -1), wrong_mentions)
        item = {
            "mentions": self._side("mentions", mentions),
            "entities": self._side("entities", views),
            "queries": np.searchsorted(mentions, queries),
            "parent": self._parents(parent, gold, views, mentions),
            "entity": _places(gold, views) if needs.gold_entities else np.full(len(queries), -1),
            "query_groups": self.examples.groups[queries],
            "candidate_groups": np.concatenate([self._entity_of_view[views], self.examples.groups[mentions]]),
        }
        if not self.shared_negatives:
            own = [_places(wrong_views, views), _places(wrong_mentions, mentions, len(views))]
            item["own_negatives"] = np.concatenate(own, axis=1)
        if self.scopes is not None:
            of_examples, of_views = self.scopes
            item["query_scopes"] = of_examples[queries]
            item["candidate_scopes"] = np.concatenate([of_views[views], of_examples[mentions]])
        self.n_sequences += len(views) + len(mentions)
        return {
            key: torch.from_numpy(value.astype(np.int64)) if isinstance(value, np.ndarray) else value
            for key, value in item.items()
        }

    def _side(self, which: str, items: NDArray[np.int64]) -> dict[str, Any]:
        if which == "mentions":
            texts, rows = self.examples.texts, self.examples.text_of_mention
        else:
            texts, rows = self._views.texts, self._views.text_of_view
        return side_of_step(texts, rows[items].astype(np.int64), self.max_tokens, self.per_chunk)

    def _parents(
        self,
        parent: NDArray[np.int32],
        gold: NDArray[np.int32],
        views: NDArray[np.int64],
        mentions: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        places = _places(np.where(parent >= 0, parent, -1), mentions, len(views))
        return np.where(parent == ENTITY, _places(gold, views), places)


def askable(examples: Examples, needs: Needs) -> NDArray[np.int64]:
    """Mentions that have a positive: their entity is in the KB, or targets are used and they have a fellow."""
    usable = examples.in_kb.copy()
    if needs.targets:
        _, inverse, counts = np.unique(examples.groups, return_inverse=True, return_counts=True)
        usable |= counts[inverse] > 1
    return np.flatnonzero(usable)


def _distinct(*items: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    together = np.concatenate([each.ravel() for each in items]).astype(np.int64)
    return np.unique(together[together >= 0])


def _places(items: NDArray[np.integer[Any]], among: NDArray[np.int64], offset: int = 0) -> NDArray[np.int64]:
    """Where each item is in a sorted array, plus the offset; -1 for items that are not in it."""
    places = np.minimum(np.searchsorted(among, items), max(0, len(among) - 1))
    is_there = among[places] == items if len(among) else np.zeros(np.shape(items), dtype=bool)
    return np.where(is_there, places + offset, -1)
