"""Offsets as a browser counts them: JavaScript's strings are made of UTF-16 units, ours of code points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

_LAST_OF_ONE_UNIT = "\uffff"


def utf16_offsets(text: str, offsets: Sequence[int]) -> list[int]:
    """Offsets into the UTF-16 form of a text, for offsets into its code points.

    Args:
        text: the text.
        offsets: places in it, from 0 to ``len(text)``.

    Example:
        >>> utf16_offsets("a😀b", [1, 2, 3])
        [1, 3, 4]
    """
    if text.isascii() or max(text) <= _LAST_OF_ONE_UNIT:
        return list(offsets)
    units = list(accumulate((2 if sign > _LAST_OF_ONE_UNIT else 1 for sign in text), initial=0))
    return [units[offset] for offset in offsets]
