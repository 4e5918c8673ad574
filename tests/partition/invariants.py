"""What every partition must be, whatever its mode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.graph import NeighbourGraph
from arborlink.partition import Mode, Partition


def assert_sound(graph: NeighbourGraph, partition: Partition, mode: Mode, threshold: float | None) -> None:
    """Parents share a kept edge with their children, make no circle and lead to the entity; labels fit."""
    own = np.arange(graph.n_mentions) + graph.n_entities
    hung = partition.parent >= 0
    child, parent, weight = own[hung], partition.parent[hung], partition.weight[hung]
    forwards = lightest(graph, parent, child) == weight
    may_turn = np.full(len(child), mode == "undirected") | (partition.entity[hung] < 0)
    assert (forwards | (may_turn & (lightest(graph, child, parent) == weight))).all()
    assert threshold is None or (weight <= threshold).all()
    assert np.isnan(partition.weight[~hung]).all()

    top = roots(partition, own)
    linked = partition.entity >= 0
    np.testing.assert_array_equal(top[linked], partition.entity[linked])
    assert (top[~linked] >= graph.n_entities).all()
    # labels in the order of first mentions; a tree without an entity is rooted at its first
    first_seen: dict[int, int] = {}
    assert partition.cluster.tolist() == [
        first_seen.setdefault(root, len(first_seen)) for root in top.tolist()
    ]
    root, first = np.unique(top, return_index=True)
    np.testing.assert_array_equal(root[root >= graph.n_entities], own[first[root >= graph.n_entities]])


def lightest(graph: NeighbourGraph, source: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
    """The weight of the lightest edge from each source to each target, NaN where there is none."""
    pairs = graph.source.astype(np.int64) * graph.n_nodes + graph.target
    order = np.lexsort((graph.weight, pairs))
    wanted = source.astype(np.int64) * graph.n_nodes + target
    place = np.searchsorted(pairs[order], wanted)
    weight = np.full(len(wanted), np.nan)
    inside = np.flatnonzero(place < graph.n_edges)
    there = inside[pairs[order[place[inside]]] == wanted[inside]]
    weight[there] = graph.weight[order[place[there]]]
    return weight


def roots(partition: Partition, own: NDArray[Any]) -> NDArray[Any]:
    """Roots by pointer doubling: what still moves after log2(n) rounds runs in a circle."""
    above = np.arange(partition.n_entities + partition.n_mentions)
    above[own] = np.where(partition.parent >= 0, partition.parent, own)
    for _ in range(int(partition.n_mentions).bit_length() + 1):
        above = above[above]
    np.testing.assert_array_equal(above, above[above])
    top: NDArray[Any] = above[own]
    return top
