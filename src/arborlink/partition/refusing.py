"""Kruskal's algorithm that refuses to bring together what is to stay apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.forest import hang
from arborlink.partition.union_find import find, unite


@compiled
def grow_refusing(
    order: NDArray[Any],
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    n_entities: int,
    start: NDArray[Any],
    foes: NDArray[Any],
    parent: NDArray[Any],
    parent_key: NDArray[Any],
) -> None:
    """Join trees over edges taken as undirected, unless both have an entity or a foe stands in the other.

    Trees with an entity are rooted there, the others at their smallest mention. To see whether two trees may be
    joined, the foes of the one that has fewer of them are looked up.

    Args:
        order: int32, edges in ascending order.
        source: int32, node each edge leaves.
        target: int32, mention each edge enters, as a node.
        keys: uint32, weight keys.
        n_entities: how many entities there are.
        start: int64, shape (n_nodes + 1,); the nodes that node ``u`` must not meet are
            ``foes[start[u]:start[u + 1]]``.
        foes: int32; every pair stands there both ways.
        parent: int32, shape (n_mentions,), -1 for the mentions that take part; written.
        parent_key: uint32, shape (n_mentions,), 0 likewise; key of the edge to the parent; written.
    """
    n_nodes = n_entities + parent.shape[0]
    leader = np.arange(n_nodes, dtype=np.int32)
    size = np.ones(n_nodes, np.int32)
    # of a tree, by its leader: the nodes with foes as a list, how many foes they have, whether it has an entity
    first = np.full(n_nodes, -1, np.int32)
    last = np.full(n_nodes, -1, np.int32)
    following = np.full(n_nodes, -1, np.int32)
    n_foes = np.zeros(n_nodes, np.int64)
    has_entity = np.zeros(n_nodes, np.bool_)
    has_entity[:n_entities] = True
    for node in range(n_nodes):
        n_foes[node] = start[node + 1] - start[node]
        if n_foes[node] > 0:
            first[node] = last[node] = node
    for edge in order:
        upper, lower = source[edge], target[edge]
        over, under = find(leader, upper), find(leader, lower)
        if over == under or (has_entity[over] and has_entity[under]):
            continue
        fewer, more = (over, under) if n_foes[over] < n_foes[under] else (under, over)
        if _are_foes(fewer, more, leader, first, following, start, foes):
            continue
        if has_entity[under] or (not has_entity[over] and size[over] < size[under]):
            over, under, upper, lower = under, over, lower, upper
        hang(parent, parent_key, n_entities, lower - n_entities, upper, keys[edge])
        both = unite(leader, size, over, under)
        has_entity[both] = has_entity[over] or has_entity[under]
        n_foes[both] = n_foes[over] + n_foes[under]
        head, tail = first[more], last[more]
        if first[fewer] >= 0:
            following[tail] = first[fewer]
            tail = last[fewer]
        first[both], last[both] = head, tail
    for mention in range(parent.shape[0]):
        top = find(leader, n_entities + mention)
        if not has_entity[top] and size[top] > 1:
            hang(parent, parent_key, n_entities, mention, -1, np.uint32(0))
            size[top] = 0  # its first mention is its root now


@compiled
def _are_foes(
    one: int,
    other: int,
    leader: NDArray[Any],
    first: NDArray[Any],
    following: NDArray[Any],
    start: NDArray[Any],
    foes: NDArray[Any],
) -> bool:
    """Whether a node of the tree ``one`` has a foe in the tree ``other``."""
    node = first[one]
    while node >= 0:
        for foe in foes[start[node] : start[node + 1]]:
            if find(leader, foe) == other:
                return True
        node = following[node]
    return False
