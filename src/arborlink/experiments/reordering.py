"""What was found, in the order of a re-ranker: every split is scored once, whatever asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.evaluation.gold import Gold
from arborlink.experiments.models import Found
from arborlink.experiments.second_look import SecondLook, first_of
from arborlink.reranking import rerank
from arborlink.training.reranker.judging import JudgedLists
from arborlink.training.towers_in_training import attention_for_any_shape

Find = Callable[[str], Found]
Scores = NDArray[np.float32]


class Reordering:
    """A re-ranker on a data set, after one way to find entities or several.

    Args:
        look: the re-ranker.
        ways: what finds the entities of a split, by the name of the variant: with examples, or without. Pairs that
            several of them find are scored once.
    """

    def __init__(self, look: SecondLook, ways: Mapping[str, Find]) -> None:
        self.look = look
        self.ways = dict(ways)
        self._scores: dict[str, dict[str, tuple[Scores, float]]] = {}
        self._judged: dict[str, dict[str, Any]] = {}
        self._found: dict[tuple[str, str], Found] = {}

    def find(self, variant: str, split: str) -> Found:
        """A split as the variant finds it, re-ranked with the weight that dev chose for the variant."""
        if (variant, split) not in self._found:
            plain = self.ways[variant](split)
            scores, seconds = self._scored(split)[variant]
            weight = float(self.judged(variant)["weight"])
            near = rerank(plain.hood.near, scores, weight, self.look.temperature)
            self._found[variant, split] = replace(
                plain,
                hood=replace(plain.hood, near=near),
                seconds=plain.seconds | {"rerank": seconds},
                before=plain.hood.near,
            )
        return self._found[variant, split]

    def judged(self, variant: str) -> dict[str, Any]:
        """The weight that dev chose, and what each would have given there; see :class:`JudgedLists`.

        Where dev has no mention with its entity in the knowledge base, it is the weight of the training.
        """
        if variant not in self._judged:
            self._judged[variant] = {"n": self.look.reranker.n, **self._judge(variant)}
        return self._judged[variant]

    def _judge(self, variant: str) -> dict[str, Any]:
        dev = self.ways[variant]("dev")
        gold = Gold.of(dev.split.corpus, dev.split.kb)
        if not gold.linkable.any():
            return {"weight": self.look.reranker.settings.weight}
        scores, _ = self._scored("dev")[variant]
        lists = JudgedLists(gold, first_of(dev.hood.near, scores.shape[1]), self.look.temperature)
        return lists.judge(scores, self.look.weights)

    def _scored(self, split: str) -> dict[str, tuple[Scores, float]]:
        """The scores of every variant's first entities, and the seconds that its share of the pairs took."""
        if split not in self._scores:
            found = {variant: find(split) for variant, find in self.ways.items()}
            lists = [first_of(each.hood.near, self.look.reranker.n).items for each in found.values()]
            own = next(iter(found.values())).split
            together = np.concatenate(lists, axis=1)
            start = time.perf_counter()
            with attention_for_any_shape():
                scores = self.look.reranker.scores(own.corpus, own.kb, together)
            seconds = time.perf_counter() - start
            ends = np.cumsum([items.shape[1] for items in lists])[:-1]
            n_pairs = _distinct(together, len(own.kb))
            self._scores[split] = {
                variant: (part, seconds * _distinct(items, len(own.kb)) / max(1, n_pairs))
                for variant, part, items in zip(found, np.split(scores, ends, axis=1), lists, strict=True)
            }
        return self._scores[split]


def _distinct(items: NDArray[np.int32], n_entities: int) -> int:
    """Different pairs of a mention and an entity."""
    keys = np.arange(len(items), dtype=np.int64)[:, None] * max(1, n_entities) + items
    return len(np.unique(keys[items >= 0]))
