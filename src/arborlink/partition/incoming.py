"""The edges that enter each mention, lightest first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.lightest import NONE
from arborlink.partition.order import SHORT
from arborlink.partition.radix import HALF, sort_by_bytes


@compiled
def incoming_edges(
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    limit: int,
    n_entities: int,
    lightest: NDArray[Any],
) -> Any:
    """For every mention the edges lighter than its lightest entity edge, ascending, and then that one.

    Args:
        source: int32, node each edge leaves.
        target: int32, mention each edge enters, as a node.
        keys: uint32, weight keys.
        limit: largest key that is kept.
        n_entities: how many entities there are.
        lightest: what :func:`arborlink.partition.lightest.lightest_entity_edges` returned.

    Returns:
        ``start``, int64, shape (n_mentions + 1,), and ``edges``, uint64: those of mention ``m`` are
        ``edges[start[m]:start[m + 1]]``, each (weight key, source) in the upper and the lower half.
    """
    n_mentions = lightest.shape[0]
    start = np.zeros(n_mentions + 1, np.int64)
    for edge in range(source.shape[0]):
        if source[edge] >= n_entities and keys[edge] <= limit:
            mention = target[edge] - n_entities
            if keys[edge] < lightest[mention] >> HALF:
                start[mention + 1] += 1
    longest = 0
    for mention in range(n_mentions):
        longest = max(longest, start[mention + 1])
        start[mention + 1] += start[mention] + (lightest[mention] != NONE)
    edges = np.empty(start[n_mentions], np.uint64)
    end = start[:-1].copy()
    for edge in range(source.shape[0]):
        if source[edge] >= n_entities and keys[edge] <= limit:
            mention = target[edge] - n_entities
            if keys[edge] < lightest[mention] >> HALF:
                edges[end[mention]] = (np.uint64(keys[edge]) << HALF) | np.uint64(source[edge])
                end[mention] += 1
    scratch = np.empty(longest if longest > SHORT else 0, np.uint64)
    for mention in range(n_mentions):
        _sort(edges[start[mention] : end[mention]], scratch)
        if lightest[mention] != NONE:
            edges[end[mention]] = lightest[mention]
    return start, edges


@compiled
def _sort(values: NDArray[Any], scratch: NDArray[Any]) -> None:
    if values.shape[0] > SHORT:
        sort_by_bytes(values, scratch, 0, 8)
        return
    for i in range(1, values.shape[0]):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value
