"""Dev documents: how well their mentions are linked after re-ranking, for every weight that is tried."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold
from arborlink.knowledge_base import KnowledgeBase
from arborlink.reranking.order import rerank
from arborlink.reranking.reading import Read
from arborlink.search import Neighbours


@dataclass(frozen=True)
class JudgedLists:
    """The nearest entities of dev mentions, and which of them are right.

    Args:
        gold: the labels.
        near: the nearest entities that get a new order, with the votes of examples if there are any.
        temperature: of the towers.
    """

    gold: Gold
    near: Neighbours
    temperature: float

    @classmethod
    def of(cls, corpus: Corpus, kb: KnowledgeBase, near: Neighbours, temperature: float) -> JudgedLists:
        """Of what was found for every mention of labelled documents.

        Raises:
            InputError: no mention of the documents has its entity in the knowledge base.
        """
        gold = judgeable(corpus, kb)
        return cls(gold, near, temperature)

    def judge(self, scores: NDArray[np.float32], weights: Sequence[float]) -> dict[str, Any]:
        """Accuracy of the linkable mentions, each linked to its first entity.

        Args:
            scores: the re-ranker's, shape that of ``near``.
            weights: what is tried.

        Returns:
            ``accuracy`` of the best weight (of equals the least), its ``accuracy_standard_error``, that ``weight``,
            ``by_weight``, ``accuracy_before`` re-ranking and the share that has its entity in the list, ``recall``.
        """
        items = self.near.items
        found = {
            weight: self._accuracy(rerank(self.near, scores, weight, self.temperature).items)
            for weight in weights
        }
        weight = max(found, key=lambda each: (found[each], -each))
        accuracy, n = found[weight], int(self.gold.linkable.sum())
        numbers = np.repeat(np.arange(len(items)), items.shape[1])
        hit = self.gold.is_right(numbers, items.astype(np.int64).ravel()).reshape(items.shape).max(axis=1)
        return {
            "accuracy": accuracy,
            "accuracy_standard_error": math.sqrt(accuracy * (1 - accuracy) / n),
            "weight": weight,
            "by_weight": [[each, right] for each, right in found.items()],
            "accuracy_before": self._accuracy(items),
            "recall": float(hit[self.gold.linkable].mean()),
            "n_linkable": n,
        }

    def _accuracy(self, items: NDArray[np.int32]) -> float:
        right = self.gold.is_right(np.arange(len(items)), items[:, 0].astype(np.int64))
        return float(right[self.gold.linkable].mean())


@dataclass(frozen=True)
class RerankerJudge:
    """Lists that were found and read once, to be ordered again and again.

    Args:
        lists: the nearest entities of the dev mentions.
        read: their texts.
        weights: what is tried.
    """

    lists: JudgedLists
    read: Read
    weights: tuple[float, ...]

    def judge(self, network: Any, precision: Any, progress: bool | None = None) -> dict[str, Any]:
        """How well dev is linked with the network as it is; see :meth:`JudgedLists.judge`."""
        from arborlink.reranking.scoring import score_distinct

        items = self.lists.near.items
        scores = np.full(items.shape, -np.inf, dtype=np.float32)
        scores[items >= 0] = score_distinct(network, self.read.texts, self.read.pairs(), precision, progress)
        return self.lists.judge(scores, self.weights)


def judgeable(corpus: Corpus, kb: KnowledgeBase) -> Gold:
    """The labels of dev documents.

    Raises:
        InputError: no mention of the documents has its entity in the knowledge base.
    """
    gold = Gold.of(corpus, kb)
    if not gold.linkable.any():
        raise InputError(
            f"none of the {corpus.n_mentions:,} mentions of the dev documents has its gold entity in the "
            "knowledge base: there is nothing to choose by; give other documents, or leave out dev"
        )
    return gold
