"""The names that are near some string by spelling, remembered: a knowledge base that changes little costs little.

Comparing ten thousand strings with two hundred thousand names takes seconds, and who promotes a discovery changes the
knowledge base by one entity. What a string was near to is therefore kept: new names are compared alone and take the
places they win, and only strings that lose a name are compared with all of them again. What comes out is what
:func:`~arborlink.encoders.shortlist.shortlist` gives, since affinities depend on two vectors alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.encoders.lexical import lexical_vectors
from arborlink.search.neighbours import Neighbours
from arborlink.search.reproducible import nearest_reproducibly, none_found

# With more new names than this share of all, everything is compared again: it is as quick.
_MOST_NEW = 0.02
# Strings that are remembered; with more, the older ones are forgotten.
_MOST_STRINGS = 100_000


@dataclass(frozen=True, eq=False)
class _Known:
    """What was near to what.

    Args:
        names: the row of each name.
        strings: the row of each string.
        near: the rows of the nearest names of each string, nearest first, equally near ones by row.
    """

    names: dict[str, int]
    strings: dict[str, int]
    near: Neighbours


class NearNames:
    """Finds the names that are worth encoding.

    Args:
        n_each: how many to keep for each string.
        device: where to search.
    """

    def __init__(self, n_each: int, device: str = "cpu") -> None:
        self.n_each = n_each
        self.device = device
        self.n_compared = 0  # strings that were compared with all names, ever
        self._known: _Known | None = None

    def rows(self, strings: Sequence[str], names: Sequence[str]) -> NDArray[np.int64]:
        """Numbers of the names that are among the ``n_each`` nearest of some string; sorted, int64.

        Args:
            strings: distinct strings.
            names: distinct names.
        """
        if not strings or len(names) <= self.n_each:
            return np.arange(len(names))
        known = self._with_names(names)
        if len(known.strings) + len(strings) > _MOST_STRINGS:
            known = self._nothing(known.names)
        known = self._with_strings(known, strings, names)
        self._known = known  # in one step: threads may ask at once
        return np.unique(known.near.items[[known.strings[string] for string in strings]]).astype(np.int64)

    def _nothing(self, names: dict[str, int]) -> _Known:
        return _Known(names, {}, none_found(0, self.n_each))

    def _with_names(self, names: Sequence[str]) -> _Known:
        """What is known, told in rows of these names."""
        known, rows = self._known, {name: row for row, name in enumerate(names)}
        if known is None or not known.strings:
            return self._nothing(rows)
        before = np.fromiter((known.names.get(name, -1) for name in names), np.int64, len(names))
        stayed, new = np.flatnonzero(before >= 0), np.flatnonzero(before < 0)
        # Equally near names go by row, so those that stayed must have kept their order.
        if len(new) > _MOST_NEW * len(names) or (np.diff(before[stayed]) < 0).any():
            return self._nothing(rows)
        row_now = np.full(len(known.names), -1, dtype=np.int32)
        row_now[before[stayed]] = stayed
        items = row_now[known.near.items]
        is_whole: NDArray[np.bool_] = items.min(axis=1) >= 0
        strings = [string for string, row in known.strings.items() if is_whole[row]]
        near = Neighbours(items[is_whole], known.near.affinities[is_whole])
        if len(new) and strings:
            found = self._nearest(strings, [names[row] for row in new.tolist()])
            near = _best(near, Neighbours(new.astype(np.int32)[found.items], found.affinities), self.n_each)
        return _Known(rows, {string: row for row, string in enumerate(strings)}, near)

    def _with_strings(self, known: _Known, strings: Sequence[str], names: Sequence[str]) -> _Known:
        """The same with strings that are not known yet."""
        unknown = [string for string in strings if string not in known.strings]
        if not unknown:
            return known
        self.n_compared += len(unknown)
        found = self._nearest(unknown, names)
        more = {string: len(known.strings) + number for number, string in enumerate(unknown)}
        near = Neighbours(
            np.concatenate([known.near.items, found.items]),
            np.concatenate([known.near.affinities, found.affinities]),
        )
        return _Known(known.names, known.strings | more, near)

    def _nearest(self, strings: Sequence[str], names: Sequence[str]) -> Neighbours:
        queries, targets = (Embeddings.one_each(lexical_vectors(texts)) for texts in (strings, names))
        k = min(self.n_each, len(names))
        return nearest_reproducibly(queries, targets, k, device=self.device, progress=False)


def _best(one: Neighbours, other: Neighbours, k: int) -> Neighbours:
    """The k nearest of two lists for each string, nearest first, equally near ones by row."""
    items = np.concatenate([one.items, other.items], axis=1)
    affinities = np.concatenate([one.affinities, other.affinities], axis=1)
    order = np.lexsort((items, -affinities), axis=1)[:, :k]
    return Neighbours(np.take_along_axis(items, order, axis=1), np.take_along_axis(affinities, order, axis=1))
