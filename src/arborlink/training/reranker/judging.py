"""Dev documents: how well their mentions are linked after re-ranking, for every weight that is tried."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.reranking.order import rerank
from arborlink.reranking.reading import Read, Reader
from arborlink.search import Neighbours
from arborlink.type_labels import labels_of


@dataclass(frozen=True)
class RerankerJudge:
    """The nearest entities of the dev mentions, found once, to be ordered again and again.

    Args:
        gold: the labels.
        near: the nearest entities, with the votes of examples if the linker has any.
        read: the texts.
        temperature: of the towers.
        weights: what is tried.
    """

    gold: Gold
    near: Neighbours
    read: Read
    temperature: float
    weights: tuple[float, ...]

    @classmethod
    def of(
        cls,
        linker: Linker,
        kb: KnowledgeBase,
        corpus: Corpus,
        reader: Reader,
        n: int,
        weights: tuple[float, ...],
    ) -> RerankerJudge:
        """Search and read.

        Raises:
            InputError: no mention of the documents has its entity in the knowledge base.
        """
        gold = Gold.of(corpus, kb)
        if not gold.linkable.any():
            raise InputError(
                f"none of the {corpus.n_mentions:,} mentions of the dev documents has its gold entity in the "
                "knowledge base: there is nothing to choose by; give other documents, or leave out dev"
            )
        labels = labels_of(corpus, kb, is_asked=False) if linker.defaults.by_type else None
        near = linker.with_reranker(None).neighbourhood(corpus, kb, n, 0, labels=labels).near
        return cls(gold, near, reader.read(corpus, kb, near.items), linker.temperature, weights)

    def judge(self, network: Any, precision: Any, progress: bool | None = None) -> dict[str, Any]:
        """Accuracy of the linkable mentions, each linked to its first entity.

        Returns:
            ``accuracy`` of the best weight (of equals the least), its ``accuracy_standard_error``, that ``weight``,
            ``by_weight``, ``accuracy_before`` re-ranking and the share that has its entity in the list, ``recall``.
        """
        from arborlink.reranking.scoring import score_distinct

        items = self.near.items
        scores = np.full(items.shape, -np.inf, dtype=np.float32)
        pairs = self.read.pairs(np.arange(len(items)), items)
        scores[items >= 0] = score_distinct(network, self.read.texts, *pairs, precision, progress)
        found = {
            weight: self._accuracy(rerank(self.near, scores, weight, self.temperature).items)
            for weight in self.weights
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
