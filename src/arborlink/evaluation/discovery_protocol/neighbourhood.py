"""The neighbours of a split's mentions, searched once, and the partitions they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.promise import check_embeddings
from arborlink.errors import InputError
from arborlink.evaluation.discovery_protocol.centres import centres
from arborlink.evaluation.discovery_protocol.hiding import Split
from arborlink.evaluation.discovery_protocol.rows import Method
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.metrics import adjusted_rand_index, normalised_mutual_information
from arborlink.graph import NeighbourGraph
from arborlink.linker import Linker, same_types, type_labels
from arborlink.partition import Mode, partition
from arborlink.search import Neighbours, nearest, nearest_others


@dataclass(frozen=True)
class Neighbourhood:
    """The nearest entity and the nearest mentions of every mention, affinities in six digits as results tell them.

    Args:
        near: the nearest entity, shape (n_mentions, 1).
        others: the nearest mentions, shape (n_mentions, most neighbours tried).
        n_entities: size of the knowledge base without the hidden entities.
        gold: what is right.
    """

    near: Neighbours
    others: Neighbours
    n_entities: int
    gold: Gold

    @classmethod
    def of(cls, split: Split, linker: Linker, n_others: int, by_type: bool) -> Neighbourhood:
        """Encode a split and search it, each once."""
        corpus, kb = split.corpus, split.kb
        labels = type_labels(corpus, kb) if by_type else None
        mentions = linker.encoder.encode_mentions(corpus)
        entities = linker.encoder.encode_entities(kb, corpus, labels)
        check_embeddings(mentions, entities, corpus.n_mentions, len(kb))
        options: dict[str, Any] = {"device": linker.device, "progress": linker.progress}
        near = nearest(mentions, entities, 1, labels=labels, what="entities", **options)
        grouped = same_types(labels.of_queries) if labels is not None else None
        others = nearest_others(mentions, min(n_others, corpus.n_mentions - 1), labels=grouped, **options)
        return cls(_told(near), _told(others), len(kb), Gold.of(corpus, kb))

    def graph(self, method: Method, k: int) -> NeighbourGraph:
        """The graph with k neighbours of each mention; ``no_entities`` has the edges between mentions alone."""
        n_near = 0 if method == "no_entities" else 1
        return NeighbourGraph.from_neighbours(
            self.near.items[:, :n_near],
            self.near.affinities[:, :n_near],
            self.others.items[:, :k],
            self.others.affinities[:, :k],
            0 if method == "no_entities" else self.n_entities,
        )

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


def _told(neighbours: Neighbours) -> Neighbours:
    return Neighbours(neighbours.items, np.round(neighbours.affinities.astype(np.float64), 6))
