"""Several encoders in one: vectors side by side, texts joined into one, views of an item crossed.

Inner products of vectors that stand side by side add up. With each part scaled by the square root of its share, they
are the weighted mean of the parts' own: an affinity stays an inner product, whatever it is made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

# In place of a row, where a part has nothing to say.
NOTHING = -1
Rows = NDArray[np.int32]


class Viewed(Protocol):
    """What vectors and texts have in common."""

    @property
    def rows(self) -> Rows:
        """The views of item 0, then those of item 1, and so on."""
        ...

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each item's begin and end."""
        ...


class _Views(NamedTuple):
    rows: Rows
    offsets: NDArray[np.int64]


def crossed(
    first: Viewed, second: Viewed, or_nothing: bool = False
) -> tuple[tuple[Rows, Rows], NDArray[np.int64]]:
    """Each view of an item in the one with each of its views in the other.

    Args:
        first: views of some items.
        second: other views of the same items.
        or_nothing: each view of the first stands beside nothing as well.

    Returns:
        The rows of both for each new view, :data:`NOTHING` for none; and the new offsets.
    """
    n_first, n_second = np.diff(first.offsets), np.diff(second.offsets) + or_nothing
    item = np.repeat(np.arange(len(n_first)), n_first)
    each = n_second[item]
    offsets = np.concatenate([[0], np.cumsum(n_first * n_second)])
    begins = np.cumsum(each) - each
    place = np.arange(int(each.sum())) - np.repeat(begins, each) - or_nothing
    rows = np.append(second.rows, np.int32(NOTHING))  # so that there is always something to take
    taken = np.where(place >= 0, np.repeat(second.offsets[item], each) + place, len(second.rows))
    return (np.repeat(first.rows, each), rows[taken]), offsets.astype(np.int64)


def all_crossed(parts: Sequence[Viewed]) -> tuple[list[Rows], NDArray[np.int64]]:
    """Each view of an item in one part with each in all the others: the rows of every part, and new offsets."""
    columns, offsets = [parts[0].rows], parts[0].offsets
    for part in parts[1:]:
        so_far = _Views(np.arange(len(columns[0]), dtype=np.int32), offsets)
        (places, rows), offsets = crossed(so_far, part)
        columns = [*(column[places] for column in columns), rows]
    return columns, offsets


def distinct_pairs(first: Rows, second: Rows) -> tuple[NDArray[np.int64], Rows]:
    """Each pair of rows once, shape (n, 2), and the place of every pair given among them."""
    keys, rows = np.unique((first.astype(np.int64) << 32) | (second + np.int64(1)), return_inverse=True)
    return np.stack([keys >> 32, (keys & 0xFFFFFFFF) - 1], axis=1), rows.astype(np.int32)


def all_distinct(columns: Sequence[Rows]) -> tuple[NDArray[np.int64], Rows]:
    """The same for rows of any number of parts, shape (n, n_parts), in order of first appearance.

    A part that numbers its own rows in that order then finds them in it.
    """
    first, places = np.unique(columns[0], return_inverse=True)
    tuples, rows = first.astype(np.int64)[:, None], places.astype(np.int32)
    for column in columns[1:]:
        pairs, rows = distinct_pairs(rows, column)
        tuples = np.column_stack([tuples[pairs[:, 0]], pairs[:, 1]])
    order = np.argsort(np.unique(rows, return_index=True)[1])
    renumbered = np.empty(len(order), dtype=np.int32)
    renumbered[order] = np.arange(len(order), dtype=np.int32)
    return tuples[order], renumbered[rows]


def joined_texts(parts: Sequence[list[str]], tuples: NDArray[np.int64], between: str) -> list[str]:
    """One text for each tuple of rows; of a part that has :data:`NOTHING` there, nothing."""
    columns = (
        [texts[row] if row >= 0 else "" for row in rows.tolist()]
        for texts, rows in zip(parts, tuples.T, strict=True)
    )
    return list(map(between.join, zip(*columns, strict=True)))


def parted_texts(
    texts: Sequence[str], n_parts: int, between: str
) -> tuple[list[list[str]], NDArray[np.int64]]:
    """The texts of each part, each distinct one once, and which belong together; undoes :func:`joined_texts`."""
    known: list[dict[str, int]] = [{} for _ in range(n_parts)]
    tuples = np.full((len(texts), n_parts), NOTHING, dtype=np.int64)
    for number, text in enumerate(texts):
        for part, own in enumerate(text.split(between)):
            if own:
                tuples[number, part] = known[part].setdefault(own, len(known[part]))
    return [list(own) for own in known], tuples


def side_by_side(
    parts: Sequence[NDArray[np.float32]], tuples: NDArray[np.int64], shares: Sequence[float]
) -> NDArray[np.float32]:
    """A vector for each tuple of rows: those of the parts, each times the square root of its share."""
    widths = [vectors.shape[1] for vectors in parts]
    joined = np.zeros((len(tuples), sum(widths)), dtype=np.float32)
    start = 0
    for vectors, width, rows, share in zip(parts, widths, tuples.T, shares, strict=True):
        is_there = rows >= 0
        scale = np.float32(np.sqrt(share))
        if is_there.all():
            np.multiply(vectors[rows], scale, out=joined[:, start : start + width])
        else:
            joined[is_there, start : start + width] = vectors[rows[is_there]] * scale
        start += width
    return joined
