"""What an encoder gets to read of a mention and of an entity, as text.

A mention is its marked span in the middle of a window of its document, an entity its name, other names, types and
description; or one text for each of its names, without the others::

    left [START] mention [END] right          name [TITLE] aliases ; types ; description
                                              name [TITLE] types ; description

The tokenizer adds its own first and last token. Windows are cut between words; in scripts that are written without
blanks every character counts as a word. A marker that a text happens to contain loses its first character, so that
each marker stands where it belongs and nowhere else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from arborlink.document import Document, Mention
from arborlink.entity import Entity

CountTokens = Callable[[Sequence[str]], list[int]]
EntityViews = Literal["text", "names"]

# Thai and Lao, Burmese, Khmer, Chinese and Japanese (but for the ideographic blank).
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3001-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Characters of a token; no vocabulary holds longer ones that matter.
_LONGEST_TOKEN = 64
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Markers:
    """The special tokens that show where a mention begins and ends, and where a name ends."""

    start: str = "[START]"
    end: str = "[END]"
    title: str = "[TITLE]"

    @property
    def all(self) -> tuple[str, str, str]:
        """The three tokens."""
        return self.start, self.end, self.title


class Windows:
    """Cuts the windows of one document's mentions; its words are counted once for all of them.

    Args:
        document: the document.
        n_tokens: tokens a window may hold, the two markers included.
        count_tokens: how many tokens each of some words has, at least one.
        markers: the special tokens.
    """

    def __init__(
        self, document: Document, n_tokens: int, count_tokens: CountTokens, markers: Markers
    ) -> None:
        self._text = without_markers(document.text, markers)
        self._room = max(1, n_tokens - 2)
        self._markers = markers
        self._count_tokens = count_tokens
        spans = [match.span() for match in _WORD.finditer(self._text)]
        self._starts, self._ends = [start for start, _ in spans], [end for _, end in spans]
        self._sizes = self._counted(spans)

    def of(self, mention: Mention) -> str:
        """The mention marked in its context.

        The window is centred on the mention: each side gets half of what the mention leaves, and what one side does
        not need goes to the other. A mention longer than three quarters of the window keeps its beginning and its
        end.
        """
        span, used = self._span(self._text[mention.start : mention.end])
        room = self._room - used
        begins, left_sizes = self._before(mention.start)
        stops, right_sizes = self._after(mention.end)
        _, right_used = _fitting(right_sizes, room)
        n_left, left_used = _fitting(left_sizes, max(room // 2, room - right_used))
        n_right, _ = _fitting(right_sizes, room - left_used)
        left = self._text[begins[n_left - 1] : mention.start] if n_left else ""
        right = self._text[mention.end : stops[n_right - 1]] if n_right else ""
        return " ".join(" ".join([left, self._markers.start, span, self._markers.end, right]).split())

    def _counted(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Tokens of each word.

        Right behind a sign of a script without blanks a word may be read as the rest of that sign's word, which can
        take more tokens than the word alone.
        """
        sizes = self._count_tokens([self._text[start:end] for start, end in spans])
        behind = [
            number
            for number, (start, end) in enumerate(spans)
            if end - start > 1 and start and not self._text[start - 1].isspace()
        ]
        signs = self._count_tokens([self._text[spans[number][0] - 1] for number in behind])
        together = self._count_tokens(
            [self._text[spans[number][0] - 1 : spans[number][1]] for number in behind]
        )
        for number, sign, both in zip(behind, signs, together, strict=True):
            sizes[number] = max(sizes[number], both - sign)
        return sizes

    def _before(self, position: int) -> tuple[list[int], list[int]]:
        """Beginnings and sizes of the words before ``position``, the nearest first, no more than can be of use."""
        stop = bisect_left(self._starts, position)
        begins, sizes = (each[max(0, stop - self._room) : stop][::-1] for each in (self._starts, self._sizes))
        if stop and self._ends[stop - 1] > position:  # the mention begins inside a word
            sizes[:1] = self._counted([(begins[0], position)])
        return begins, sizes

    def _after(self, position: int) -> tuple[list[int], list[int]]:
        """Ends and sizes of the words after ``position``, as above."""
        start = bisect_right(self._ends, position)
        stops, sizes = (each[start : start + self._room] for each in (self._ends, self._sizes))
        if stops and self._starts[start] < position:
            sizes[:1] = self._count_tokens([self._text[position : stops[0]]])
        return stops, sizes

    def _span(self, text: str) -> tuple[str, int]:
        """The mention, or its first and last words, and how many tokens that takes."""
        spans = [match.span() for match in _WORD.finditer(text)]
        sizes = self._count_tokens([text[start:end] for start, end in spans])
        room = max(1, self._room - self._room // 4)
        if sum(sizes) <= room:
            return text, sum(sizes)
        n_first, used = _fitting(sizes, room - room // 2)
        first = text[: spans[n_first - 1][1]] if n_first else ""
        if not n_first:
            first, used = self._beginning(
                text[slice(*spans[0])], room - room // 2 if len(spans) > 1 else room
            )
        n_last, last_used = _fitting(sizes[max(1, n_first) :][::-1], room - used)
        last = text[spans[-n_last][0] :] if n_last else ""
        return f"{first} {last}", used + last_used

    def _beginning(self, word: str, room: int) -> tuple[str, int]:
        """As many first characters of a long word as fit."""
        fits, too_many = 1, min(len(word), _LONGEST_TOKEN * room) + 1
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            if self._count_tokens([word[:middle]])[0] <= room:
                fits = middle
            else:
                too_many = middle
        return word[:fits], self._count_tokens([word[:fits]])[0]


def mention_view(
    document: Document, mention: Mention, n_tokens: int, count_tokens: CountTokens, markers: Markers
) -> str:
    """One mention marked in its context, in at most ``n_tokens`` tokens; see :class:`Windows`."""
    return Windows(document, n_tokens, count_tokens, markers).of(mention)


def entity_view(entity: Entity, markers: Markers, max_characters: int = 2000) -> str:
    """Name, then everything else that tells what the entity is, in at most ``max_characters`` characters.

    A long name is cut so that the marker behind it has room.
    """
    return _titled(
        entity.name, (*entity.names[1:], *entity.types, entity.description), markers, max_characters
    )


def name_views(entity: Entity, markers: Markers, max_characters: int = 2000) -> list[str]:
    """A text for each name of the entity: that name, then types and description, without the other names."""
    rest = (*entity.types, entity.description)
    return list(dict.fromkeys(_titled(name, rest, markers, max_characters) for name in entity.names))


def _titled(name: str, parts: Sequence[str], markers: Markers, max_characters: int) -> str:
    rest = " ; ".join(part for part in parts if part)
    name, rest = (" ".join(without_markers(part, markers).split()) for part in (name, rest))
    name = name[: max(1, max_characters - len(markers.title) - 1)].rstrip()
    return f"{name} {markers.title} {rest}"[:max_characters].rstrip()


def without_markers(text: str, markers: Markers) -> str:
    """The text with the first character of every marker in it blanked: offsets stay what they are."""
    for marker in markers.all:
        if marker in text:
            text = text.replace(marker, " " + marker[1:])
    return text


def _fitting(sizes: Sequence[int], room: int) -> tuple[int, int]:
    """How many of the first words fit into ``room`` tokens, and how many tokens they take."""
    used = 0
    for number, size in enumerate(sizes):
        if used + size > room:
            return number, used
        used += size
    return len(sizes), used
