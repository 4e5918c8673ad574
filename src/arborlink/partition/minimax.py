"""Minimax inference: every mention to the entity with the smallest bottleneck.

Edges come in ascending order. The moment an edge joins a mention some entity reaches to one that none
reaches, the edge is the bottleneck of that mention and of all mentions behind it. Those are entered along
the lightest edges first, so that the path of every mention is the best in this sense: its edges, sorted
from the heaviest, come first in lexicographic order. Several entities may share the bottleneck; this order
tells which of them wins, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.forest import grow_unlinked
from arborlink.partition.lightest import lightest_entity_edges, useful_edges
from arborlink.partition.order import ascending


@compiled
def minimax(
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    limit: int,
    n_entities: int,
    parent: NDArray[Any],
    parent_key: NDArray[Any],
) -> None:
    """Hang every mention from the last node on its best path from an entity."""
    lightest = lightest_entity_edges(source, target, keys, limit, n_entities, parent.shape[0])
    packed = useful_edges(source, target, keys, limit, n_entities, lightest, False)
    _sweep(ascending(packed, source, target), source, target, keys, n_entities, parent, parent_key)
    grow_unlinked(source, target, keys, limit, n_entities, parent, parent_key)


@compiled
def _sweep(
    order: NDArray[Any],
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    n_entities: int,
    parent: NDArray[Any],
    parent_key: NDArray[Any],
) -> None:
    n_edges = order.shape[0]
    # places in the order of the edges that wait for their source to be reached: one ascending list per source
    first = np.full(parent.shape[0], -1, np.int32)
    last = np.full(parent.shape[0], -1, np.int32)
    following = np.full(n_edges, -1, np.int32)
    heap = np.empty(parent.shape[0], np.int32)  # of each mention just reached, the next edge that leads on
    for place in range(n_edges):
        edge = order[place]
        if parent[target[edge] - n_entities] >= 0:
            continue
        mention = source[edge] - n_entities
        if mention >= 0 and parent[mention] < 0:
            if first[mention] < 0:
                first[mention] = place
            else:
                following[last[mention]] = place
            last[mention] = place
            continue
        heap[0] = place
        n_heap = 1
        while n_heap:
            crossed = pop(heap, n_heap)
            n_heap -= 1
            edge = order[crossed]
            mention = target[edge] - n_entities
            waiting = following[crossed]
            if parent[mention] < 0:
                parent[mention], parent_key[mention] = source[edge], keys[edge]
                n_heap = wait(heap, n_heap, first[mention], following, order, target, n_entities, parent)
            n_heap = wait(heap, n_heap, waiting, following, order, target, n_entities, parent)


@compiled
def wait(
    heap: NDArray[Any],
    n_heap: int,
    place: int,
    following: NDArray[Any],
    order: NDArray[Any],
    target: NDArray[Any],
    n_entities: int,
    parent: NDArray[Any],
) -> int:
    """Put the first edge of a list to a mention not yet reached on the heap; return the heap's size."""
    while place >= 0 and parent[target[order[place]] - n_entities] >= 0:
        place = following[place]
    if place >= 0:
        _push(heap, n_heap, place)
        n_heap += 1
    return n_heap


@compiled
def _push(heap: NDArray[Any], size: int, value: int) -> None:
    """Add a value to a binary heap of ``size`` values, the smallest on top."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if heap[above] <= value:
            break
        heap[at] = heap[above]
        at = above
    heap[at] = value


@compiled
def pop(heap: NDArray[Any], size: int) -> int:
    """Take the smallest of ``size`` values from a binary heap."""
    smallest = heap[0]
    value = heap[size - 1]
    size -= 1
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= value:
            break
        heap[at] = heap[below]
        at = below
    if size > 0:
        heap[at] = value
    return int(smallest)
