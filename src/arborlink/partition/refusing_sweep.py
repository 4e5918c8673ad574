"""Minimax inference that passes over an edge which would bring together what is to stay apart.

The sweep of :mod:`arborlink.partition.minimax` crosses, at every moment, the lightest edge that leads from a
mention some entity reaches to one that none reaches. A mention reached never changes its entity, so an edge that
may not be crossed once may never be crossed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.minimax import pop, wait


@compiled
def sweep_refusing(
    order: NDArray[Any],
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    n_entities: int,
    group: NDArray[Any],
    start: NDArray[Any],
    foes: NDArray[Any],
    parent: NDArray[Any],
    parent_key: NDArray[Any],
) -> None:
    """Hang every mention an entity may reach from the last node on its path.

    Args:
        order: int32, edges in ascending order; those inside a group come first.
        source: int32, node each edge leaves.
        target: int32, mention each edge enters, as a node.
        keys: uint32, weight keys.
        n_entities: how many entities there are.
        group: int32, shape (n_nodes,): the node that stands for each node's group.
        start: int64, shape (n_nodes + 1,); the groups that group ``g`` must not meet are
            ``foes[start[g]:start[g + 1]]``.
        foes: int32; every pair stands there both ways.
        parent: int32, shape (n_mentions,), all -1; written.
        parent_key: uint32, shape (n_mentions,), all 0; written.
    """
    n_edges = order.shape[0]
    n_mentions = parent.shape[0]
    entity = np.full(n_entities + n_mentions, -1, np.int32)  # of the nodes reached
    entity[:n_entities] = np.arange(n_entities)
    # places in the order of the edges that wait for their source to be reached: one ascending list per source
    first = np.full(n_mentions, -1, np.int32)
    last = np.full(n_mentions, -1, np.int32)
    following = np.full(n_edges, -1, np.int32)
    heap = np.empty(n_mentions + 1, np.int32)  # of each mention just reached, the next edge that leads on
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
            node = target[edge]
            mention = node - n_entities
            waiting = following[crossed]
            if parent[mention] < 0 and _may_enter(entity[source[edge]], group[node], entity, start, foes):
                parent[mention], parent_key[mention] = source[edge], keys[edge]
                entity[node] = entity[source[edge]]
                n_heap = wait(heap, n_heap, first[mention], following, order, target, n_entities, parent)
            n_heap = wait(heap, n_heap, waiting, following, order, target, n_entities, parent)


@compiled
def _may_enter(to: int, group: int, entity: NDArray[Any], start: NDArray[Any], foes: NDArray[Any]) -> bool:
    """Whether no foe of a group is linked to an entity. The node of a group is reached with all of it or not."""
    for foe in foes[start[group] : start[group + 1]]:  # noqa: SIM110 - a loop is what the compiler takes
        if entity[foe] == to:
            return False
    return True
