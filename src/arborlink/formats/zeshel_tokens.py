"""Between token indices and character offsets: a ZeShEL text is split at every single blank."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise

from arborlink.document import Mention


def token_starts(text: str) -> list[int]:
    """The offset of each token of ``text.split(" ")``, and at the end where one more would start."""
    return list(accumulate((len(token) + 1 for token in text.split(" ")), initial=0))


def with_blanks_around(text: str, mentions: Iterable[Mention]) -> tuple[str, list[tuple[int, int]]]:
    """Insert blanks so that every mention begins and ends with a token.

    Returns:
        The text, and for each mention its first and last token (inclusive) in it.
    """
    mentions = list(mentions)
    gaps = {m.start for m in mentions if m.start > 0 and text[m.start - 1] != " "}
    gaps |= {m.end for m in mentions if m.end < len(text) and text[m.end] != " "}
    cuts = [0, *sorted(gaps), len(text)]
    spaced = " ".join(text[left:right] for left, right in pairwise(cuts))
    # a blank of the text itself or one that is put in: each begins a new token
    blanks = list(accumulate((character == " " for character in text), initial=0))
    inserted = list(accumulate(position in gaps for position in range(len(text) + 1)))
    tokens = [(blanks[m.start] + inserted[m.start], blanks[m.end] + inserted[m.end - 1]) for m in mentions]
    return spaced, tokens
