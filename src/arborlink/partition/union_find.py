"""Disjoint sets in one array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled


@compiled
def find(leader: NDArray[Any], node: int | np.integer[Any]) -> Any:
    """The leader of the set a node belongs to; ``leader[x] == x`` for leaders. Halves the paths it walks."""
    while leader[node] != node:
        leader[node] = leader[leader[node]]
        node = leader[node]
    return node


@compiled
def unite(leader: NDArray[Any], size: NDArray[Any], one: int, other: int) -> int:
    """Join the sets of two leaders, the smaller into the larger, and return the leader of both."""
    if one == other:
        return one
    if size[one] < size[other]:
        one, other = other, one
    leader[other] = one
    size[one] += size[other]
    return one
