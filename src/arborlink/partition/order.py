"""Edges in ascending order of (weight, source, target)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.radix import HALF, LOW, sort_by_bytes

SHORT = 32


@compiled
def ascending(packed: NDArray[Any], source: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
    """Edge numbers in ascending order of (weight, source, target).

    Args:
        packed: uint64, a weight key in the upper half, the edge's number in the lower; sorted in place.
        source: int32, node each edge of the graph leaves.
        target: int32, node each edge of the graph enters.

    Returns:
        int32, shape (len(packed),).
    """
    n = packed.shape[0]
    scratch = np.empty(n, np.uint64)
    sort_by_bytes(packed, scratch, 4, 8)
    start = 0
    while start < n:
        end = start + 1
        while end < n and packed[end] >> HALF == packed[start] >> HALF:
            end += 1
        if end - start > SHORT:
            _sort_long_run(packed[start:end], scratch, source, target)
        elif end - start > 1:
            _sort_short_run(packed, start, end, source, target)
        start = end
    order = np.empty(n, np.int32)
    for i in range(n):
        order[i] = np.int32(packed[i] & LOW)
    return order


@compiled
def _sort_short_run(
    packed: NDArray[Any], start: int, end: int, source: NDArray[Any], target: NDArray[Any]
) -> None:
    for i in range(start + 1, end):
        value = packed[i]
        edge = value & LOW
        ends = (source[edge], target[edge])
        j = i
        while j > start:
            other = packed[j - 1] & LOW
            if (source[other], target[other]) <= ends:
                break
            packed[j] = packed[j - 1]
            j -= 1
        packed[j] = value


@compiled
def _sort_long_run(
    run: NDArray[Any], scratch: NDArray[Any], source: NDArray[Any], target: NDArray[Any]
) -> None:
    # all weights of the run are equal, so its upper halves are free to hold first the target, then the source
    key = run[0] & ~LOW
    for nodes in (target, source):
        for i in range(run.shape[0]):
            edge = run[i] & LOW
            run[i] = (np.uint64(nodes[edge]) << HALF) | edge
        sort_by_bytes(run, scratch, 4, 8)
    for i in range(run.shape[0]):
        run[i] = key | (run[i] & LOW)
