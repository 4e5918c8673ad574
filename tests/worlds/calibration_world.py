"""Drawn worlds: mentions whose links are right the more often the nearer and the less contested their entity is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.calibration import Calibrated, fit_calibration
from arborlink.calibration.crossfit import document_folds
from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoders.model_folder import Inference
from arborlink.entity import Entity
from arborlink.evaluation import Gold
from arborlink.knowledge_base import KnowledgeBase
from arborlink.neighbourhood import Neighbourhood
from arborlink.partition import Partition, partition
from arborlink.search import Neighbours


@dataclass(frozen=True)
class DrawnWorld:
    """Documents with gold labels, and who is near to each of their mentions."""

    corpus: Corpus
    kb: KnowledgeBase
    hood: Neighbourhood

    @property
    def gold(self) -> Gold:
        return Gold.of(self.corpus, self.kb)

    def parts(self, inference: Inference) -> Partition:
        threshold = None if inference.threshold is None else -inference.threshold
        return partition(self.hood.graph(inference.neighbours), inference.mode, threshold)

    def calibrated(self, inference: Inference, target_error: float = 0.05) -> Calibrated:
        gold = self.gold
        fold = document_folds(document.id for document in self.corpus)[gold.document]
        parts = self.parts(inference)
        return fit_calibration(
            self.hood, parts, gold, fold, model="drawn", inference=inference, target_error=target_error
        )

    def outcome(self, parts: Partition) -> NDArray[np.bool_]:
        """Whether each link is right, or its mention outside the knowledge base."""
        entity = parts.entity.astype(np.int64)
        right = self.gold.is_right(np.arange(len(entity)), entity)
        return np.where(entity >= 0, right, self.gold.nil)


def drawn_world(seed: int, n_documents: int = 80, n_each: int = 15, missing: float = 0.5) -> DrawnWorld:
    """The same for the same seed; of the mentions whose nearest entity is wrong, a share has none."""
    rng = np.random.default_rng(seed)
    n, n_entities = n_documents * n_each, 40
    best = rng.random(n)
    margin = rng.random(n) * 0.3
    near = rng.integers(0, n_entities, (n, 2))
    near[:, 1] = (near[:, 0] + 1 + near[:, 1] % (n_entities - 1)) % n_entities
    is_right = rng.random(n) < 1 / (1 + np.exp(4 - 10 * best - 8 * margin))
    is_missing = rng.random(n) < missing
    others = (np.arange(n)[:, None] + rng.integers(1, 30, (n, 2))) % n
    labels = [
        (f"E{first}",) if right else (f"N{first}",) if lost else (f"E{(first + 1) % n_entities}",)
        for first, right, lost in zip(
            near[:, 0].tolist(), is_right.tolist(), is_missing.tolist(), strict=True
        )
    ]
    documents = [
        Document(
            f"d{number}",
            "x" * n_each,
            tuple(
                Mention(f"d{number}.{place}", place, place + 1, (), labels[number * n_each + place])
                for place in range(n_each)
            ),
        )
        for number in range(n_documents)
    ]
    kb = KnowledgeBase(Entity(f"E{number}", f"entity {number}") for number in range(n_entities))
    hood = Neighbourhood(
        Neighbours(near.astype(np.int32), np.round(np.column_stack([best, best - margin]), 6)),
        Neighbours(others.astype(np.int32), np.round(np.sort(rng.random((n, 2)) * 0.6)[:, ::-1], 6)),
        n_entities,
    )
    return DrawnWorld(Corpus(documents), kb, hood)
