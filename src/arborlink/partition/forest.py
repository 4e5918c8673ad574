"""Minimum spanning forests, rooted while they grow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.order import ascending
from arborlink.partition.radix import HALF
from arborlink.partition.union_find import find, unite

BLOCK = 256


@compiled
def grow_forest(
    order: NDArray[Any],
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    n_entities: int,
    parent: NDArray[Any],
    parent_key: NDArray[Any],
) -> None:
    """Kruskal's algorithm over edges taken as undirected, with all entities as one node.

    Trees with an entity are rooted there, the others at their smallest mention. A tree is turned around
    when it is hung into another: the one without an entity if one has it, otherwise the smaller one, so
    that every mention is turned at most log2(n_mentions) + 2 times.

    Args:
        order: int32, edges in ascending order.
        source: int32, node each edge leaves.
        target: int32, mention each edge enters, as a node.
        keys: uint32, weight keys.
        n_entities: how many entities there are.
        parent: int32, shape (n_mentions,), -1 for the mentions that take part; written.
        parent_key: uint32, shape (n_mentions,); key of the edge to the parent, 0 where there is none;
            written.
    """
    n_mentions = parent.shape[0]
    leader = np.arange(n_mentions + 1, dtype=np.int32)
    size = np.ones(n_mentions + 1, np.int32)
    linked = n_mentions  # leader of the component that holds the entities
    block = np.empty(BLOCK, np.int32)
    for start in range(0, order.shape[0], BLOCK):
        n_block = _undecided(order[start : start + BLOCK], source, target, n_entities, leader, block)
        for edge in block[:n_block]:
            upper, lower = source[edge], target[edge]
            over = find(leader, n_mentions if upper < n_entities else upper - n_entities)
            under = find(leader, lower - n_entities)
            if over == under:
                continue
            if under == linked or (over != linked and size[over] < size[under]):
                over, under, upper, lower = under, over, lower, upper
            hang(parent, parent_key, n_entities, lower - n_entities, upper, keys[edge])
            both = unite(leader, size, over, under)
            if over == linked:
                linked = both
    for mention in range(n_mentions):
        top = find(leader, mention)
        if top != linked and size[top] > 1:
            hang(parent, parent_key, n_entities, mention, -1, np.uint32(0))
            size[top] = 0  # its first mention is its root now


@compiled
def _undecided(
    order: NDArray[Any],
    source: NDArray[Any],
    target: NDArray[Any],
    n_entities: int,
    leader: NDArray[Any],
    block: NDArray[Any],
) -> int:
    """Write those of a few edges into ``block`` that may join two trees; return how many.

    Large graphs wait for memory, not for the processor. Looked at without a branch, edges are waited for
    together instead of one after the other, and the second look finds everything close by.
    """
    last = leader.shape[0] - 1
    n_block = 0
    for edge in order:
        node = source[edge]
        upper = leader[last if node < n_entities else node - n_entities]
        block[n_block] = edge
        n_block += upper != leader[target[edge] - n_entities]
    return n_block


@compiled
def hang(
    parent: NDArray[Any],
    parent_key: NDArray[Any],
    n_entities: int,
    mention: int,
    below: int,
    key: int | np.integer[Any],
) -> None:
    """Hang a mention, and with it the whole tree it stands in, below a node (-1: make it the root)."""
    while True:
        next_mention = parent[mention] - n_entities
        is_root = parent[mention] < 0
        next_key = parent_key[mention]
        parent[mention], parent_key[mention] = below, key
        if is_root:
            return
        below, key = mention + n_entities, next_key
        mention = next_mention


@compiled
def grow_unlinked(
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    limit: int,
    n_entities: int,
    parent: NDArray[Any],
    parent_key: NDArray[Any],
) -> None:
    """Give mentions no entity reaches (``parent`` -1) the minimum spanning forest of the edges among them."""
    n_unlinked = 0
    for mention in range(parent.shape[0]):
        n_unlinked += parent[mention] < 0
    if n_unlinked == 0:
        return
    packed = np.empty(source.shape[0], np.uint64)
    n_kept = 0
    for edge in range(source.shape[0]):
        if keys[edge] > limit or source[edge] < n_entities:
            continue
        if parent[source[edge] - n_entities] < 0 and parent[target[edge] - n_entities] < 0:
            packed[n_kept] = (np.uint64(keys[edge]) << HALF) | np.uint64(edge)
            n_kept += 1
    order = ascending(packed[:n_kept], source, target)
    grow_forest(order, source, target, keys, n_entities, parent, parent_key)
