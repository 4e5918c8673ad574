"""What was found, in the order of a re-ranker: every split is scored once, whatever asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.evaluation.gold import Gold
from arborlink.experiments.models import Found
from arborlink.experiments.second_look import SecondLook
from arborlink.reranking import rerank
from arborlink.training.reranker.judging import JudgedLists
from arborlink.training.towers_in_training import attention_for_any_shape

Find = Callable[[str], Found]
Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Way:
    """One way to find the entities of a split.

    Args:
        find: finds them.
        examples: the labelled documents whose mentions vote on a split; ``None`` where none do.
    """

    find: Find
    examples: Callable[[str], Corpus | None] = lambda split: None


class Reordering:
    """A re-ranker on a data set, after one way to find entities or several.

    Args:
        look: the re-ranker.
        ways: what finds the entities of a split, by the name of the variant: with examples, or without.
    """

    def __init__(self, look: SecondLook, ways: Mapping[str, Way]) -> None:
        self.look = look
        self.ways = dict(ways)
        self._scores: dict[tuple[str, str], tuple[Scores, float]] = {}
        self._judged: dict[str, dict[str, Any]] = {}
        self._found: dict[tuple[str, str], Found] = {}

    def find(self, variant: str, split: str) -> Found:
        """A split as the variant finds it, re-ranked with the weight that dev chose for the variant."""
        if (variant, split) not in self._found:
            plain = self.ways[variant].find(split)
            scores, seconds = self._scored(variant, split)
            weight = float(self.judged(variant)["weight"])
            near = rerank(plain.hood.near, scores, weight, self.look.temperature)
            self._found[variant, split] = replace(
                plain,
                hood=replace(plain.hood, near=near),
                seconds=plain.seconds | {"rerank": seconds},
                before=plain.before or plain.hood.near,
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
        dev = self.ways[variant].find("dev")
        gold = Gold.of(dev.split.corpus, dev.split.kb)
        if not gold.linkable.any():
            return {"weight": self.look.reranker.settings.weight}
        scores, _ = self._scored(variant, "dev")
        lists = JudgedLists(gold, dev.hood.near.first(scores.shape[1]), self.look.temperature)
        return lists.judge(scores, self.look.weights)

    def _scored(self, variant: str, split: str) -> tuple[Scores, float]:
        """The scores of a variant's first entities, and the seconds that they took."""
        if (variant, split) not in self._scores:
            way = self.ways[variant]
            found = way.find(split)
            items = found.hood.near.first(self.look.reranker.n).items
            start = time.perf_counter()
            with attention_for_any_shape():
                scores = self.look.reranker.scores(
                    found.split.corpus, found.split.kb, items, way.examples(split)
                )
            self._scores[variant, split] = scores, time.perf_counter() - start
        return self._scores[variant, split]
