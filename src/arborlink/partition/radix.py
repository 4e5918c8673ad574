"""A stable radix sort of 64-bit integers, least significant byte first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled

BYTE = np.uint64(0xFF)
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@compiled
def sort_by_bytes(values: NDArray[Any], scratch: NDArray[Any], first: int, last: int) -> None:
    """Sort ``values`` in place by their bytes ``first`` (from 0, the lowest) to ``last - 1``, stably.

    Args:
        values: uint64, shape (n,).
        scratch: uint64, at least as long; its content is lost.
        first: lowest byte that counts.
        last: one past the highest byte that counts.
    """
    n = values.shape[0]
    counts = np.zeros((last - first, 256), np.int64)
    for i in range(n):
        value = values[i] >> np.uint64(8 * first)
        for digit in range(last - first):
            counts[digit, np.int64(value & BYTE)] += 1
            value >>= np.uint64(8)
    here, there = values, scratch
    for digit in range(last - first):
        shift = np.uint64(8 * (first + digit))
        place = counts[digit]
        if n == 0 or place[np.int64((here[0] >> shift) & BYTE)] == n:
            continue  # all have the same byte here
        total = np.int64(0)
        for bucket in range(256):
            count = place[bucket]
            place[bucket] = total
            total += count
        for i in range(n):
            value = here[i]
            byte = np.int64((value >> shift) & BYTE)
            there[place[byte]] = value
            place[byte] += 1
        here, there = there, here
    if here is not values:
        for i in range(n):
            values[i] = here[i]
