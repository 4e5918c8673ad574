"""Offsets in another unit: one table a text and unit, however many mentions there are."""

from __future__ import annotations

import pytest

from arborlink.formats import pubtator_offsets
from arborlink.formats.pubtator_offsets import Span, to_code_points, unit_that_fits


@pytest.mark.parametrize(("encoding", "width"), [("utf-8", 1), ("utf-16-le", 2)])
def test_many_mentions_share_one_table(encoding: str, width: int) -> None:
    words = [f"α😀{number}" for number in range(300)]
    text = " ".join(words)
    spans, expected = [], []
    for word in words:
        start = text.index(word + " ") if word != words[-1] else len(text) - len(word)
        before, length = (len(part.encode(encoding)) // width for part in (text[:start], word))
        spans.append(Span(before, before + length, word))
        expected.append(Span(start, start + len(word), word))
    pubtator_offsets._offsets.cache_clear()
    assert to_code_points(text, spans) == expected
    assert pubtator_offsets._offsets.cache_info().misses <= 2


@pytest.mark.parametrize("span", [(1, 2), (-1, 2), (0, 99), (99, 100)])
def test_an_offset_inside_a_character_or_outside_the_text_fits_no_unit(span: tuple[int, int]) -> None:
    assert unit_that_fits("😀α", Span(*span, "x")) is None
