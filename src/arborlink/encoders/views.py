"""What an encoder gets to read of a mention and of an entity, as text.

A mention is its marked span in the middle of a window of its document, an entity its name, other names, types and
description::

    left [START] mention [END] right          name [TITLE] aliases ; types ; description

The tokenizer adds its own first and last token. Windows are cut at word boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arborlink.document import Document, Mention
from arborlink.entity import Entity

CountTokens = Callable[[Sequence[str]], list[int]]

_WORD = re.compile(r"\S+")


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


def mention_view(
    document: Document, mention: Mention, n_tokens: int, count_tokens: CountTokens, markers: Markers
) -> str:
    """The mention marked in its context, in at most ``n_tokens`` tokens.

    The window is centred on the mention: each side gets half of what the mention leaves, and what one side does not
    need goes to the other. A mention longer than half the window keeps its beginning and its end.
    """
    words = document.text_of(mention).split()
    sizes = count_tokens(words)
    room = n_tokens - 2
    span, used = _middle_cut(words, sizes, max(1, room - room // 4))
    # Words hold at least one token each, so no more than ``room`` words a side can be of use.
    left = [
        match.group() for match in _WORD.finditer(document.text, *_before(document.text, mention.start, room))
    ]
    right = [
        match.group() for match in _WORD.finditer(document.text, *_after(document.text, mention.end, room))
    ]
    left_sizes, right_sizes = count_tokens(left), count_tokens(right)
    room -= used
    left_room = max(room // 2, room - sum(right_sizes))
    n_left, left_used = _how_many(left_sizes[::-1], left_room)
    n_right, _ = _how_many(right_sizes, room - left_used)
    parts = [*left[len(left) - n_left :], markers.start, *span, markers.end, *right[:n_right]]
    return " ".join(parts)


def entity_view(entity: Entity, markers: Markers, max_characters: int = 2000) -> str:
    """Name, then everything else that tells what the entity is, in at most ``max_characters`` characters."""
    rest = " ; ".join(
        [*entity.names[1:], *entity.types, *([entity.description] if entity.description else [])]
    )
    name = " ".join(entity.name.split())[:max_characters]
    return f"{name} {markers.title} {' '.join(rest.split())}"[: max(max_characters, len(name))].rstrip()


def _before(text: str, position: int, n_words: int) -> tuple[int, int]:
    """Bounds of a stretch of ``text`` before ``position`` that holds enough words, begun at a word."""
    begin = max(0, position - 40 * n_words)
    while begin > 0 and not text[begin - 1].isspace() and begin < position:
        begin += 1
    return begin, position


def _after(text: str, position: int, n_words: int) -> tuple[int, int]:
    end = min(len(text), position + 40 * n_words)
    while end < len(text) and not text[end].isspace() and end > position:
        end -= 1
    return position, end


def _how_many(sizes: Sequence[int], room: int) -> tuple[int, int]:
    """How many of the first words fit into ``room`` tokens, and how many tokens they take."""
    used = 0
    for number, size in enumerate(sizes):
        if used + size > room:
            return number, used
        used += size
    return len(sizes), used


def _middle_cut(words: list[str], sizes: list[int], room: int) -> tuple[list[str], int]:
    """All words if they fit, else the first and the last ones that do."""
    if sum(sizes) <= room:
        return words, sum(sizes)
    n_first, first_used = _how_many(sizes, room - room // 2)
    n_last, last_used = _how_many(sizes[:n_first:-1] if n_first else sizes[::-1], room - first_used)
    kept = words[:n_first] + words[len(words) - n_last :]
    if kept:
        return kept, first_used + last_used
    # One word longer than the window: its first characters, at most one token each.
    return [words[0][:room]], room
