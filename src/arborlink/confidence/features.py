"""What can be seen of a mention's place in the partition, as numbers.

Each feature depends on the nearest two entities and on the partition alone, so that asking for more candidates, or
holding more neighbours, changes no probability.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.confidence.paths import paths
from arborlink.partition import Partition
from arborlink.search import Neighbours

Floats = NDArray[np.float64]

N_NEAR = 2
"""How many of a mention's nearest entities are looked at."""

LINK_FEATURES = (
    "bottleneck",
    "own_affinity",
    "margin",
    "is_nearest",
    "log_edges",
    "log_cluster_size",
    "agreement",
)
NEW_FEATURES = (
    "nearest_affinity",
    "margin",
    "cluster_nearest_affinity",
    "coherence",
    "log_cluster_size",
    "agreement",
)


def link_features(near: Neighbours, parts: Partition) -> Floats:
    """Features of the linked mentions, one row for every mention; rows of the others mean nothing.

    Args:
        near: the nearest entities of each mention, best first.
        parts: the partition.

    Returns:
        Shape (n_mentions, 7), by column:

        - ``bottleneck``: the weakest affinity on the path to the entity;
        - ``own_affinity``: to the entity itself, by itself; where that is none of the nearest two, that of the second
          of these, which it cannot exceed;
        - ``margin``: by how much ``own_affinity`` exceeds that to the nearest other entity; infinite without one;
        - ``is_nearest``: 1 where the entity is the nearest;
        - ``log_edges``: logarithm of the edges of the path;
        - ``log_cluster_size``: logarithm of the mentions linked to the entity;
        - ``agreement``: the share of these whose nearest entity it is.
    """
    first, best, next_best = _nearest_two(near)
    entity = parts.entity.astype(np.int64)
    is_nearest = first == entity
    own = np.where(is_nearest, best, next_best)
    other = np.where(is_nearest, next_best, best)
    bottleneck, n_edges = paths(parts)
    size = _sizes(parts)
    agreement = _sums(parts, is_nearest.astype(np.float64)) / size
    return np.column_stack(
        [
            bottleneck,
            own,
            _difference(own, other),
            is_nearest,
            np.log(np.maximum(n_edges, 1)),
            np.log(size),
            agreement,
        ]
    )


def new_features(near: Neighbours, parts: Partition) -> Floats:
    """Features of the mentions without an entity, one row for every mention; rows of the others mean nothing.

    Args:
        near: the nearest entities of each mention, best first.
        parts: the partition.

    Returns:
        Shape (n_mentions, 6), by column:

        - ``nearest_affinity``: to the nearest entity, which was not near enough;
        - ``margin``: by how much it exceeds that to the second nearest; infinite without one;
        - ``cluster_nearest_affinity``: the largest ``nearest_affinity`` in the mention's cluster;
        - ``coherence``: mean affinity of the edges that hold the cluster together; NaN of a mention by itself;
        - ``log_cluster_size``: logarithm of the mentions of the cluster;
        - ``agreement``: the share of the cluster with the same nearest entity.
    """
    first, best, next_best = _nearest_two(near)
    size = _sizes(parts)
    cluster_best = np.full(parts.n_clusters, -np.inf)
    np.maximum.at(cluster_best, parts.cluster, best)
    return np.column_stack(
        [
            best,
            _difference(best, next_best),
            cluster_best[parts.cluster],
            _coherence(parts),
            np.log(size),
            _companions(parts, first) / size,
        ]
    )


def _nearest_two(near: Neighbours) -> tuple[NDArray[np.int64], Floats, Floats]:
    """The nearest entity, its affinity and that of the next; -1 and minus infinity where there is none."""
    items = np.full((len(near.items), N_NEAR), -1, np.int64)
    affinities = np.full((len(near.items), N_NEAR), -np.inf)
    n = min(N_NEAR, near.items.shape[1])
    items[:, :n], affinities[:, :n] = near.items[:, :n], near.affinities[:, :n]
    affinities[items < 0] = -np.inf
    return items[:, 0], affinities[:, 0], affinities[:, 1]


def _difference(one: Floats, other: Floats) -> Floats:
    """One less the other; infinite where there is no other."""
    there = np.isfinite(other)
    return np.where(there, one - np.where(there, other, 0.0), np.inf)


def _sizes(parts: Partition) -> Floats:
    return _sums(parts, np.ones(parts.n_mentions))


def _sums(parts: Partition, values: Floats) -> Floats:
    """For each mention, the sum over its cluster."""
    sums: Floats = np.bincount(parts.cluster, weights=values, minlength=parts.n_clusters).astype(np.float64)
    return sums[parts.cluster]


def _coherence(parts: Partition) -> Floats:
    # an edge that a decision holds has no finite weight, and says nothing about how alike its ends are
    held = np.isfinite(parts.weight)
    total = _sums(parts, np.where(held, -np.where(held, parts.weight, 0.0), 0.0))
    count = _sums(parts, held.astype(np.float64))
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _companions(parts: Partition, first: NDArray[np.int64]) -> Floats:
    """How many mentions of a mention's cluster have its nearest entity, itself included."""
    pairs = parts.cluster.astype(np.int64) * (int(first.max(initial=-1)) + 2) + first + 1
    _, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    companions: Floats = counts[inverse].astype(np.float64)
    return companions
