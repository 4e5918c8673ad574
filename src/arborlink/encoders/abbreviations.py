"""Short forms that a document defines itself: "indomethacin (IDM)" makes IDM mean indomethacin there.

A mention that is only a short form says nothing to an encoder that compares strings, while its document usually
spells it out once. The pairs are found by the right-to-left letter matching of Schwartz and Hearst, "A simple
algorithm for identifying abbreviation definitions in biomedical text" (PSB 2003).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# The inner text must be free of parentheses: "(a (b) c)" defines nothing that can be read off with certainty.
_PARENTHESIS = re.compile(r"[(\[]([^()\[\]]{2,80})[)\]]")
_MAX_SHORT_FORM = 10


def find_abbreviations(text: str) -> dict[str, str]:
    """Short form → long form for every definition in ``text``; the first definition of a short form holds.

    Example:
        >>> find_abbreviations("Rats got indomethacin (IDM). IDM lowered plasma renin activity (PRA).")
        {'IDM': 'indomethacin', 'PRA': 'plasma renin activity'}
    """
    found: dict[str, str] = {}
    for match in _PARENTHESIS.finditer(text):
        inner = re.split(r"[,;]", match.group(1), maxsplit=1)[0].strip()
        before = text[max(0, match.start() - 200) : match.start()].rstrip()
        if _is_short_form(inner):
            short, long = inner, _long_form(inner, before)
        else:  # "IDM (indomethacin)": the last word before the parenthesis may be the short form
            short = before.rsplit(None, 1)[-1] if before else ""
            long = _long_form(short, inner) if _is_short_form(short) else None
        if long is not None:
            found.setdefault(short, long)
    return found


def expand_abbreviations(text: str, abbreviations: Mapping[str, str]) -> str:
    """``text`` with each whole word that is a known short form replaced by its long form."""
    for short, long in abbreviations.items():
        # A mention that holds the definition itself ("indomethacin (IDM)") is left as it is.
        if short in text and long.casefold() not in text.casefold():
            text = re.sub(rf"(?<!\w){re.escape(short)}(?!\w)", lambda _, long=long: long, text)  # type: ignore[misc]
    return text


def _is_short_form(text: str) -> bool:
    return (
        2 <= len(text) <= _MAX_SHORT_FORM
        and len(text.split()) <= 2
        and text[0].isalnum()
        and any(character.isalpha() for character in text)
        and any(character.isupper() or character.isdigit() for character in text)
    )


def _long_form(short: str, before: str) -> str | None:
    """The shortest end of ``before`` that spells ``short``, its first letter at the beginning of a word."""
    n_words = min(len(short) + 5, len(short) * 2)
    words = list(re.finditer(r"\S+", before))[-n_words:]
    if not words:
        return None
    candidate = before[words[0].start() :]
    position = len(candidate)
    for index in range(len(short) - 1, -1, -1):
        letter = short[index].casefold()
        if not letter.isalnum():
            continue
        position -= 1
        while position >= 0 and not (
            candidate[position].casefold() == letter
            and (index > 0 or position == 0 or not candidate[position - 1].isalnum())
        ):
            position -= 1
        if position < 0:
            return None
    long = candidate[position:].strip()
    is_definition = len(long) > len(short) and short.casefold() not in long.casefold().split()
    return long if is_definition else None
