"""Rows of small numbers in a few bits each, with a scale for every row.

The numbers are whole levels between -h and h, h = 2 ** (bits - 1) - 1, one byte each, and Huffman codes make these
bytes as short as their distribution allows: less than ``bits`` bits for each, whatever ``bits`` is.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEWEST_BITS, MOST_BITS = 2, 8


@dataclass(frozen=True, eq=False, slots=True)
class QuantisedRows:
    """Numbers as levels times the scale of their row.

    Args:
        levels: int8, shape (n_rows, n_columns).
        scales: float32, shape (n_rows,).
    """

    levels: NDArray[np.int8]
    scales: NDArray[np.float32]

    def added_to(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """``rows`` and these numbers together; float32, shape (n_rows, n_columns).

        One rounded product and one rounded sum for each number: the same bits on every machine.
        """
        numbers = self.levels.astype(np.float32)
        numbers *= self.scales[:, None]
        numbers += rows
        return numbers


def quantise(numbers: NDArray[np.float32], bits: int) -> QuantisedRows:
    """The nearest levels; the largest number of a row has the highest.

    Args:
        numbers: finite, float32, shape (n_rows, n_columns).
        bits: of a level, from 2 to 8.

    Raises:
        ValueError: ``bits`` out of range.
    """
    if not FEWEST_BITS <= bits <= MOST_BITS:
        raise ValueError(f"bits is {bits}; expected {FEWEST_BITS} to {MOST_BITS}")
    highest = np.float32(2 ** (bits - 1) - 1)
    scales = np.abs(numbers).max(axis=1, initial=0) / highest
    divisors = np.where(scales > 0, scales, np.float32(1))[:, None]
    levels = np.clip(np.rint(numbers / divisors), -highest, highest).astype(np.int8)
    return QuantisedRows(levels, scales.astype(np.float32))


def deflated(levels: NDArray[np.int8]) -> NDArray[np.uint8]:
    """The levels, row by row, as a zlib stream of Huffman codes; there is nothing repeated to refer back to."""
    coder = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, 9, zlib.Z_HUFFMAN_ONLY)
    stream = coder.compress(np.ascontiguousarray(levels).tobytes()) + coder.flush()
    return np.frombuffer(stream, dtype=np.uint8)


def inflated(stream: NDArray[np.uint8], n_rows: int, n_columns: int) -> NDArray[np.int8]:
    """The levels of :func:`deflated`.

    Raises:
        ValueError: the stream is damaged or holds another number of levels.
    """
    expected = n_rows * n_columns
    decoder = zlib.decompressobj()
    try:
        content = decoder.decompress(stream.tobytes(), expected + 1)
    except zlib.error as error:
        raise ValueError(f"its levels are damaged: {error}") from error
    if len(content) != expected or not decoder.eof:
        raise ValueError(f"it holds other than the {expected:,} levels that belong to it")
    return np.frombuffer(content, dtype=np.int8).reshape(n_rows, n_columns)
