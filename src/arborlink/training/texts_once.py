"""Texts that are tokenised when they are first asked for, and once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.sequences import Sequences

Rows = NDArray[np.int64]


class TextsOnce:
    """Token ids of the texts that were asked for so far.

    Args:
        n_texts: how many texts there may be.
        read: tokenises the texts of some numbers, one for each.
    """

    def __init__(self, n_texts: int, read: Callable[[Rows], Sequences]) -> None:
        self._read = read
        self._place = np.full(n_texts, -1, dtype=np.int64)
        self._known: Sequences | None = None

    def of(self, numbers: Rows) -> Sequences:
        """The texts of these numbers, in this order."""
        unknown = np.unique(numbers[self._place[numbers] < 0])
        if len(unknown) or self._known is None:
            read = self._read(unknown)
            n_known = 0 if self._known is None else len(self._known)
            self._known = read if self._known is None else self._known.joined(read)
            self._place[unknown] = n_known + np.arange(len(unknown))
        return self._known.taken(self._place[numbers])
