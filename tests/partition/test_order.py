"""The sort beneath the modes: keys of weights, bytes, and the exact order of the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike

from arborlink.partition.keys import KEEP_ALL, weight_keys
from arborlink.partition.order import ascending
from arborlink.partition.radix import sort_by_bytes

numbers = st.lists(st.floats(allow_nan=False, width=32), max_size=40)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(max_examples=300, deadline=None)
@given(values=numbers, threshold=st.none() | st.floats(allow_nan=False))
def test_keys_order_as_weights_do(dtype: DTypeLike, values: list[float], threshold: float | None) -> None:
    weight = np.array(values, dtype)
    keys = weight_keys(weight, threshold)
    np.testing.assert_array_equal(keys.keys[:, None] < keys.keys, weight[:, None] < weight)
    np.testing.assert_array_equal(keys.keys[:, None] == keys.keys, weight[:, None] == weight)
    np.testing.assert_array_equal(keys.decode(keys.keys), weight)
    assert ((keys.keys > 0) & (keys.keys < KEEP_ALL)).all()
    expected = [threshold is None or value <= threshold for value in values]
    assert (keys.keys <= keys.limit).tolist() == expected
    assert np.isnan(keys.decode(np.zeros(1, np.uint32))).all()


@pytest.mark.parametrize(("first", "last"), [(0, 8), (4, 8), (0, 1), (3, 5)])
@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_bytes_are_sorted_stably(n: int, first: int, last: int) -> None:
    values = np.random.default_rng(n).integers(0, 2**64, n, np.uint64)
    digits = (values >> np.uint64(8 * first)) & np.uint64(2 ** (8 * (last - first)) - 1)
    expected = values[np.argsort(digits, kind="stable")]
    sort_by_bytes(values, np.empty_like(values), first, last)
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("levels", [1, 3, 40, 2000, 10**9])
@pytest.mark.parametrize("n_nodes", [2, 50, 2**31 - 1])
def test_edges_ascend_by_weight_source_and_target(levels: int, n_nodes: int) -> None:
    rng = np.random.default_rng(levels)
    keys = rng.integers(1, levels + 1, 5000, np.uint64)
    source, target = (rng.integers(0, n_nodes, 5000).astype(np.int32) for _ in range(2))
    for array in (source, target):
        array.setflags(write=False)
    packed = (keys << np.uint64(32)) | np.arange(5000, dtype=np.uint64)
    np.testing.assert_array_equal(ascending(packed, source, target), np.lexsort((target, source, keys)))
