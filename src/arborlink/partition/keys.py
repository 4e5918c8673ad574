"""Weights as 32-bit integers of the same order, so that every later step compares integers only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.radix import HALF, LOW, sort_by_bytes

KEEP_ALL = 0xFFFFFFFF
_SIGN_32 = np.uint32(0x80000000)
_ALL_32 = np.uint32(0xFFFFFFFF)
_SIGN_64 = np.uint64(1 << 63)
_ALL_64 = np.uint64((1 << 64) - 1)


@dataclass(frozen=True, slots=True)
class WeightKeys:
    """Weights in the order of integers.

    Args:
        keys: uint32, shape (n_edges,): ``keys[i] < keys[j]`` exactly if ``weight[i] < weight[j]``, and equal
            exactly if the weights are equal (0.0 and -0.0 are). 0 and 0xFFFFFFFF never occur.
        limit: an edge is at most as heavy as the threshold exactly if its key is at most this.
        distinct: the weights that occur, ascending, where keys count them from 1; ``None`` where a key is the
            rearranged bits of a float32.
    """

    keys: NDArray[np.uint32]
    limit: int
    distinct: NDArray[np.float64] | None

    def decode(self, keys: NDArray[np.uint32]) -> NDArray[np.floating[Any]]:
        """The weights of keys; NaN for the key 0."""
        if self.distinct is not None:
            weights: NDArray[np.floating[Any]] = np.concatenate(([np.nan], self.distinct))[keys]
            return weights
        bits = np.where(keys & _SIGN_32, keys ^ _SIGN_32, ~keys)
        weights = bits.view(np.float32)
        weights[keys == 0] = np.nan
        return weights


def weight_keys(weight: NDArray[np.floating[Any]], threshold: float | None) -> WeightKeys:
    """Keys of float32 or float64 weights, and the largest key a threshold lets through.

    A float32 has as many bits as a key and needs one pass. Float64 weights are sorted and counted.
    """
    if weight.dtype == np.float32:
        keys = _keys_of_bits(weight.view(np.uint32))
        return WeightKeys(keys, KEEP_ALL if threshold is None else _limit_32(threshold), None)
    keys, distinct = _keys_of_ranks(weight, weight.view(np.uint64))
    limit = KEEP_ALL if threshold is None else int(np.searchsorted(distinct, threshold, side="right"))
    return WeightKeys(keys, limit, distinct)


def _limit_32(threshold: float) -> int:
    # the comparison is exact: the largest float32 that does not exceed the threshold, not the nearest one
    with np.errstate(over="ignore"):
        largest = np.float32(threshold)
    if float(largest) > threshold:
        largest = np.nextafter(largest, np.float32(-np.inf))
    return int(_keys_of_bits(np.array([largest], np.float32).view(np.uint32))[0])


@compiled
def _keys_of_bits(bits: NDArray[Any]) -> NDArray[Any]:
    # positive floats ascend as integers already and only move above the negative ones, which descend
    keys = np.empty(bits.shape[0], np.uint32)
    for i in range(bits.shape[0]):
        value = bits[i]
        if value == _SIGN_32:
            value = np.uint32(0)
        keys[i] = value ^ (_ALL_32 if value & _SIGN_32 else _SIGN_32)
    return keys


@compiled
def _keys_of_ranks(weight: NDArray[Any], bits: NDArray[Any]) -> Any:
    n = weight.shape[0]
    ordered = np.empty(n, np.uint64)
    for i in range(n):
        value = bits[i]
        if value == _SIGN_64:
            value = np.uint64(0)
        ordered[i] = value ^ (_ALL_64 if value & _SIGN_64 else _SIGN_64)
    # half a weight and the edge's number share 64 bits: two stable sorts, the lower half first
    packed, scratch = np.empty(n, np.uint64), np.empty(n, np.uint64)
    for i in range(n):
        packed[i] = ((ordered[i] & LOW) << HALF) | np.uint64(i)
    sort_by_bytes(packed, scratch, 4, 8)
    for i in range(n):
        edge = packed[i] & LOW
        packed[i] = (ordered[edge] & ~LOW) | edge
    sort_by_bytes(packed, scratch, 4, 8)
    keys, distinct = np.empty(n, np.uint32), np.empty(n, np.float64)
    n_distinct = 0
    for i in range(n):
        edge = packed[i] & LOW
        if i == 0 or ordered[edge] != ordered[packed[i - 1] & LOW]:
            distinct[n_distinct] = weight[edge] + 0.0
            n_distinct += 1
        keys[edge] = np.uint32(n_distinct)
    return keys, distinct[:n_distinct].copy()
