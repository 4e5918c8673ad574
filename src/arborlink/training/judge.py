"""Judgement by the real inference: which mode, how many neighbours, which threshold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.discovery import choose, threshold_curve
from arborlink.encoder import Embeddings
from arborlink.encoders.model_folder import Inference, InferenceMode
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold
from arborlink.graph import NeighbourGraph
from arborlink.knowledge_base import KnowledgeBase
from arborlink.neighbourhood import Neighbourhood
from arborlink.partition import Partition, partition
from arborlink.training.config import DevConfig
from arborlink.type_labels import type_labels
from arborlink.voting import Examples


@dataclass(frozen=True)
class Choice:
    """A way to infer links, and how well it does on dev.

    Args:
        mode: how the graph is partitioned.
        neighbours: mentions that each mention is joined to.
        accuracy: share of the linkable mentions that it links rightly.
    """

    mode: InferenceMode
    neighbours: int
    accuracy: float


class Judge:
    """Labelled documents that a model is judged by, linked again and again.

    Args:
        corpus: the documents.
        kb: the knowledge base.
        settings: what is tried.
        by_type: mentions only meet what their types allow.
        device: where the search runs.

    Raises:
        InputError: no mention of the documents has its entity in the knowledge base.
    """

    def __init__(
        self,
        corpus: Corpus,
        kb: KnowledgeBase,
        settings: DevConfig,
        by_type: bool = False,
        device: str = "cpu",
    ) -> None:
        self.gold = Gold.of(corpus, kb)
        if not self.gold.linkable.any():
            raise InputError(
                f"none of the {corpus.n_mentions:,} mentions of the dev documents has its gold entity in the "
                "knowledge base: there is nothing to choose a model by; give other documents, or leave out dev"
            )
        self.settings = settings
        self.device = device
        self.labels = type_labels(corpus, kb) if by_type else None

    @property
    def counts(self) -> dict[str, int]:
        """How many mentions there are, can be linked, are outside the knowledge base."""
        gold = self.gold
        return {
            "mentions": len(gold.labels),
            "linkable": int(gold.linkable.sum()),
            "outside_kb": int(gold.outside.sum()),
        }

    def judge(
        self, mentions: Embeddings, entities: Embeddings, examples: Examples | None = None
    ) -> Judgement:
        """Search once for everything that is tried; labelled examples vote if there are any."""
        hood = Neighbourhood.search(
            mentions,
            entities,
            self.settings.recall_at,
            max(self.settings.neighbours),
            labels=self.labels,
            examples=examples,
            detour=self.settings.detour,
            device=self.device,
            progress=False,
        )
        return Judgement(hood, self.gold, self.settings)


@dataclass(frozen=True)
class Judgement:
    """How well vectors link labelled mentions: the neighbourhood they give, and every way to infer links from it."""

    hood: Neighbourhood
    gold: Gold
    settings: DevConfig

    def recall(self) -> float:
        """Share of the linkable mentions that have their entity among the nearest."""
        n, k = self.hood.near.items.shape
        numbers = np.repeat(np.arange(n), k)
        right = self.gold.is_right(numbers, self.hood.near.items.astype(np.int64).ravel()).reshape(n, k)
        found: NDArray[np.bool_] = right.max(axis=1)
        return float(found[self.gold.linkable].mean())

    def choices(self) -> list[Choice]:
        """Every way to infer links that is tried: first the one to take, then the others, the most accurate first.

        The one to take is the first named (few neighbours before many) that is within a standard error of the most
        accurate: on few mentions the best of many is best by chance.
        """
        found = [Choice(mode, k, self._accuracy(self.partition(mode, k).entity)) for mode, k in self._ways()]
        best = max(choice.accuracy for choice in found)
        least = best - self.standard_error(best)
        taken = next(choice for choice in found if choice.accuracy >= least)
        others = [choice for choice in found if choice is not taken]
        return [taken, *sorted(others, key=lambda choice: -choice.accuracy)]

    def standard_error(self, accuracy: float) -> float:
        """How far an accuracy on these mentions may be from the true one, by chance alone."""
        return math.sqrt(accuracy * (1 - accuracy) / int(self.gold.linkable.sum()))

    def inference(self, by_type: bool) -> Inference:
        """The best way to link; with a threshold where there is something to discover.

        If mentions of dev lie outside the knowledge base, mode, neighbours and threshold are chosen together, for the
        best mean of NMI and ARI over all mentions; otherwise every mention is linked, and accuracy chooses.
        """
        if not self.gold.outside.any():
            taken = self.choices()[0]
            return Inference(taken.mode, taken.neighbours, None, by_type)
        curves = (
            threshold_curve(self._graph(mode, k), mode, self.gold, neighbours=k) for mode, k in self._ways()
        )
        return choose(curves).inference(by_type)

    def partition(self, mode: InferenceMode, k: int, threshold: float | None = None) -> Partition:
        """Partition the graph with k neighbours of each mention; the threshold is an affinity."""
        return partition(self._graph(mode, k), mode, None if threshold is None else -threshold)

    def _graph(self, mode: InferenceMode, k: int) -> NeighbourGraph:
        return self.hood.graph(0 if mode == "independent" else k)

    def _ways(self) -> Iterator[tuple[InferenceMode, int]]:
        for number, k in enumerate(self.settings.neighbours):
            for mode in self.settings.modes:
                if mode != "independent":
                    yield mode, k
                elif number == 0:  # it has no neighbours to vary
                    yield mode, 1

    def _accuracy(self, entity: NDArray[np.int32]) -> float:
        right = self.gold.is_right(np.arange(len(entity)), entity.astype(np.int64))
        return float(right[self.gold.linkable].mean())
