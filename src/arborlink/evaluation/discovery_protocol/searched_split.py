"""The neighbours of a split's mentions, searched once, and the partitions they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.errors import InputError
from arborlink.evaluation.discovery_protocol.centres import centres
from arborlink.evaluation.discovery_protocol.hiding import Split
from arborlink.evaluation.discovery_protocol.rows import Method
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.metrics import adjusted_rand_index, normalised_mutual_information
from arborlink.graph import NeighbourGraph
from arborlink.linker import Linker
from arborlink.neighbourhood import Neighbourhood
from arborlink.partition import Mode, partition
from arborlink.type_labels import type_labels


@dataclass(frozen=True)
class SearchedSplit:
    """The neighbours of a split's mentions, and what is right.

    Args:
        hood: the nearest entity and the nearest mentions of every mention, hidden entities left out.
        gold: what is right.
    """

    hood: Neighbourhood
    gold: Gold

    @classmethod
    def of(cls, split: Split, linker: Linker, n_others: int, by_type: bool) -> SearchedSplit:
        """Encode a split and search it, each once."""
        labels = type_labels(split.corpus, split.kb) if by_type else None
        hood = linker.neighbourhood(split.corpus, split.kb, 1, n_others, labels=labels)
        return cls(hood, Gold.of(split.corpus, split.kb))

    def graph(self, method: Method, k: int) -> NeighbourGraph:
        """The graph with k neighbours of each mention; ``no_entities`` has the edges between mentions alone."""
        return self.hood.graph(k, with_entities=method != "no_entities")

    def thresholds(self, method: Method, k: int, n: int) -> list[float]:
        """Affinities to try, ascending: centres of those of all edges of the graph."""
        weight = self.graph(method, k).weight
        return sorted({round(float(centre), 6) for centre in centres(-weight, n)})

    def clusters(self, method: Method, k: int, threshold: float) -> NDArray[np.int32]:
        """The cluster of each mention, int32, shape (n_mentions,); edges below the threshold are left out."""
        # Without an entity, undirected inference gives the weak components.
        mode: Mode = "undirected" if method == "no_entities" else method
        return partition(self.graph(method, k), mode, -threshold).cluster

    def agreement(self, clusters: NDArray[np.int32]) -> tuple[float, float]:
        """NMI and ARI with the gold clusters, over all mentions whose gold cluster is known."""
        known = self.gold.cluster >= 0
        gold, predicted = self.gold.cluster[known], clusters[known]
        return normalised_mutual_information(gold, predicted), adjusted_rand_index(gold, predicted)

    def best(self, method: Method, neighbours: Sequence[int], n_thresholds: int) -> tuple[int, float, float]:
        """The k and the threshold with the best mean of NMI and ARI, and that mean; of equals the first tried."""
        found: tuple[int, float, float] | None = None
        for k in neighbours:
            for threshold in self.thresholds(method, k, n_thresholds):
                mean = sum(self.agreement(self.clusters(method, k, threshold))) / 2
                if found is None or mean > found[2]:
                    found = k, threshold, mean
        if found is None:
            raise InputError(
                f"no threshold can be tried for {method.replace('_', ' ')}: the {len(self.gold.labels):,} mentions "
                "have no edges; give more documents"
            )
        return found
