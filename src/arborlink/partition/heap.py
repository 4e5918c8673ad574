"""Mergeable heaps of mentions, ordered by the lightest edge each still has.

Pairing heaps (Fredman, Sedgewick, Sleator and Tarjan, The pairing heap, 1986): a merge takes one
comparison, taking off the top O(log n) amortised.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled

# one record per mention, because a step of a merge looks at all of it: (weight key, source) of its lightest
# edge, its first child in its heap and the next child of its parent, -1 for none
NODE = np.dtype([("head", np.uint64), ("child", np.int32), ("sibling", np.int32)], align=True)


@compiled
def meld(nodes: NDArray[Any], one: int, other: int) -> int:
    """Merge two heaps and return the top of the result; -1 is the empty heap.

    Args:
        nodes: one :data:`NODE` per mention; equal heads are ordered by mention. Written.
        one: top of a heap, without a sibling.
        other: top of another heap, without a sibling.
    """
    if one < 0:
        return other
    if other < 0:
        return one
    if nodes[other].head < nodes[one].head or (nodes[other].head == nodes[one].head and other < one):
        one, other = other, one
    nodes[other].sibling = nodes[one].child
    nodes[one].child = other
    return one


@compiled
def remove(nodes: NDArray[Any], top: int) -> int:
    """Take the top off its heap; return the new top."""
    child = nodes[top].child
    nodes[top].child = -1
    pairs = -1  # merged two by two from the first child on, linked in reverse
    while child >= 0:
        partner = nodes[child].sibling
        rest = nodes[partner].sibling if partner >= 0 else -1
        nodes[child].sibling = -1
        if partner >= 0:
            nodes[partner].sibling = -1
        pair = meld(nodes, child, partner)
        nodes[pair].sibling = pairs
        pairs = pair
        child = rest
    new_top = -1
    while pairs >= 0:
        rest = nodes[pairs].sibling
        nodes[pairs].sibling = -1
        new_top = meld(nodes, new_top, pairs)
        pairs = rest
    return new_top
