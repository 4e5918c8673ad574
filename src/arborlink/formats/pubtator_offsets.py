"""Do the offsets of a PubTator file fit its text, and in which unit do they count?

ArborLink counts code points. Some tools count UTF-16 units or UTF-8 bytes, which differs as soon as the text
holds a Greek letter or an emoji. The text column tells: a document of which every mention fits in one of
those units, and not every one in code points, is converted.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

UNITS = {"utf-16-le": (2, "UTF-16 units"), "utf-8": (1, "UTF-8 bytes")}
_BLANK = re.compile(r"\s")


class Span(NamedTuple):
    """Offsets and the text that should stand there."""

    start: int
    end: int
    surface: str


def fits(text: str, span: Span) -> bool:
    """Whether the surface stands at the offsets; one kind of white space is as good as another."""
    if not 0 <= span.start < span.end <= len(text):
        return False
    found = text[span.start : span.end]
    return found == span.surface or _BLANK.sub(" ", found) == _BLANK.sub(" ", span.surface)


def to_code_points(text: str, spans: list[Span]) -> list[Span]:
    """The spans with offsets in code points, converted if the document as a whole counts in another unit."""
    if text.isascii() or all(fits(text, span) for span in spans):
        return spans
    for encoding in UNITS:
        converted = [_converted(text, span, encoding) for span in spans]
        if all(span is not None for span in converted):
            return [span for span in converted if span is not None]
    return spans


def unit_that_fits(text: str, span: Span) -> str | None:
    """The unit, in words, in which a span that does not fit would fit."""
    if not text.isascii():
        for encoding, (_, words) in UNITS.items():
            if _converted(text, span, encoding) is not None:
                return words
    return None


def _converted(text: str, span: Span, encoding: str) -> Span | None:
    offsets = _offsets(text, encoding)
    start, end = bisect_left(offsets, span.start), bisect_left(offsets, span.end)
    # an offset that is none of these lies inside a character, or outside the text
    if max(start, end) > len(text) or (offsets[start], offsets[end]) != span[:2]:
        return None
    converted = Span(start, end, span.surface)
    return converted if fits(text, converted) else None


@lru_cache(maxsize=len(UNITS))  # the mentions of a document come one after the other
def _offsets(text: str, encoding: str) -> array[int]:
    """Where each code point begins in units of the encoding, and the end of the text."""
    width = UNITS[encoding][0]
    lengths = (len(character.encode(encoding, "surrogatepass")) // width for character in text)
    return array("q", accumulate(lengths, initial=0))
