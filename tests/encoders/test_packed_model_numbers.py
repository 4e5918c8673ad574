"""Differences between networks in a few bits a number: what comes back is near enough, or exact, or told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arborlink.encoders.packed_model.differences import Bits, differences, restored
from arborlink.encoders.packed_model.quantised import QuantisedRows, deflated, inflated, quantise

SIZES = st.tuples(st.integers(1, 6), st.integers(1, 40))


def numbers(seed: int, shape: tuple[int, ...], scale: float = 1.0) -> NDArray[np.float32]:
    return (scale * np.random.default_rng(seed).standard_normal(shape)).astype(np.float32)


@settings(deadline=None)
@given(
    seed=st.integers(0, 9999),
    shape=SIZES,
    bits=st.integers(2, 8),
    scale=st.sampled_from([1e-20, 1e-4, 1, 1e9]),
)
def test_a_number_is_off_by_half_a_level_at_most(
    seed: int, shape: tuple[int, int], bits: int, scale: float
) -> None:
    exact = numbers(seed, shape, scale)
    exact[0] = 0
    found = quantise(exact, bits)
    assert found.levels.dtype == np.int8
    assert np.abs(found.levels).max() <= 2 ** (bits - 1) - 1
    back = found.added_to(np.zeros_like(exact))
    assert (np.abs(back - exact) <= found.scales[:, None] * 0.5001).all()
    assert not back[0].any()
    stream = deflated(found.levels)
    np.testing.assert_array_equal(inflated(stream, *shape), found.levels)


def test_sums_are_those_of_a_plain_loop() -> None:
    levels = np.array([[3, -127], [0, 7]], dtype=np.int8)
    scales = np.array([0.1, 3e-7], dtype=np.float32)
    rows = numbers(0, (2, 2))
    expected = [
        [np.float32(np.float32(level) * scale) + number for level, number in zip(line, row, strict=True)]
        for line, scale, row in zip(levels, scales, rows, strict=True)
    ]
    np.testing.assert_array_equal(QuantisedRows(levels, scales).added_to(rows), np.array(expected))


def test_fewer_bits_take_less_room() -> None:
    exact = numbers(0, (64, 256))
    sizes = [8 * len(deflated(quantise(exact, bits).levels)) / exact.size for bits in range(2, 9)]
    assert sizes == sorted(sizes)
    for bits, size in zip(range(3, 9), sizes[1:], strict=True):
        assert size < bits


@pytest.mark.parametrize("bits", [1, 9])
def test_bits_out_of_range(bits: int) -> None:
    with pytest.raises(ValueError, match=f"^bits is {bits}; expected 2 to 8$"):
        quantise(numbers(0, (1, 1)), bits)


def test_a_damaged_stream_is_told() -> None:
    stream = deflated(np.zeros((4, 5), dtype=np.int8))
    with pytest.raises(ValueError, match="other than the 15 levels"):
        inflated(stream, 3, 5)
    with pytest.raises(ValueError, match="other than the 20 levels"):
        inflated(stream[:-4], 4, 5)
    with pytest.raises(ValueError, match="its levels are damaged"):
        inflated(stream[::-1], 4, 5)


BASE: dict[str, NDArray[Any]] = {
    "word_embeddings.weight": numbers(1, (20, 8)),
    "layer.weight": numbers(2, (8, 8)),
    "layer.bias": numbers(3, (8,)),
    "pooler.weight": numbers(4, (8, 8)),
}


def test_what_did_not_change_is_not_stored() -> None:
    assert differences(BASE, BASE, Bits()) == {}
    assert restored(BASE, {}) == {}


def test_rows_that_changed_rows_that_are_new_and_vectors() -> None:
    embeddings = np.concatenate([BASE["word_embeddings.weight"], numbers(5, (3, 8))])
    embeddings[[4, 11]] += np.float32(0.01)
    trained = BASE | {"word_embeddings.weight": embeddings, "layer.bias": numbers(6, (8,))}
    stored = differences(BASE, trained, Bits(8, 4))
    assert {key: part.shape for key, part in stored.items() if not key.startswith("levels")} == {
        "scales/word_embeddings.weight": (2,),
        "rows/word_embeddings.weight": (2,),
        "added/word_embeddings.weight": (3, 8),
        "values/layer.bias": (8,),
    }
    found = restored(BASE, stored)
    assert found.keys() == {"word_embeddings.weight", "layer.bias"}
    np.testing.assert_array_equal(found["layer.bias"], trained["layer.bias"])
    exact = np.ones(23, dtype=bool)
    exact[[4, 11]] = False
    np.testing.assert_array_equal(found["word_embeddings.weight"][exact], embeddings[exact])
    np.testing.assert_allclose(found["word_embeddings.weight"], embeddings, atol=1e-6)


def test_embeddings_may_have_other_bits_than_the_rest() -> None:
    trained = {name: values + numbers(7, values.shape, 0.01) for name, values in BASE.items()}
    found = restored(BASE, differences(BASE, trained, Bits(8, 3)))
    off = {name: float(np.abs(found[name] - trained[name]).max()) for name in BASE}
    assert off["layer.weight"] < 0.0002 < off["word_embeddings.weight"] < 0.008
    assert off["layer.bias"] == 0


@pytest.mark.parametrize(
    ("trained", "message"),
    [
        ({name: values for name, values in BASE.items() if name != "layer.bias"}, "it has no layer.bias"),
        (
            BASE | {"layer.weight": numbers(0, (8, 9))},
            r"layer.weight has the shape \(8, 9\), in the base \(8, 8\)",
        ),
        (BASE | {"layer.weight": numbers(0, (7, 8))}, r"layer.weight has the shape \(7, 8\)"),
        (BASE | {"layer.bias": np.full(8, np.nan, dtype=np.float32)}, "layer.bias holds NaN or infinity"),
    ],
)
def test_a_network_of_another_kind_is_told(trained: dict[str, NDArray[Any]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        differences(BASE, trained, Bits())


STORED = differences(BASE, BASE | {"layer.weight": BASE["layer.weight"] + np.float32(0.01)}, Bits())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nothing": np.zeros(1)}, "nothing is no part of a difference"),
        ({"levels/gone": np.zeros(1)}, "the base has no gone"),
        (
            {"scales/layer.weight": np.ones(7, dtype=np.float32)},
            "layer.weight: it holds other than the 56 levels",
        ),
        ({"rows/layer.weight": np.arange(7)}, "layer.weight: the numbers of the rows"),
        ({"rows/layer.weight": np.arange(8)[::-1]}, "layer.weight: the numbers of the rows"),
        ({"rows/layer.weight": np.arange(8) - 1}, "layer.weight: the numbers of the rows"),
        ({"rows/layer.weight": np.arange(8) + 1}, "layer.weight: index 8 is out of bounds"),
        ({"added/layer.weight": np.zeros((1, 9))}, r"layer.weight: rows of the shape \(9,\)"),
    ],
)
def test_a_difference_that_is_not_in_order_is_told(changes: dict[str, NDArray[Any]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        restored(BASE, STORED | changes)


def test_a_difference_of_fewer_rows_is_told() -> None:
    short: dict[str, NDArray[Any]] = {
        "scales/layer.weight": np.ones(7, dtype=np.float32),
        "levels/layer.weight": deflated(np.zeros((7, 8), dtype=np.int8)),
    }
    with pytest.raises(ValueError, match=r"layer\.weight: 7 rows changed, the base has 8"):
        restored(BASE, short)
