"""Short forms that a document defines itself: "indomethacin (IDM)" makes IDM mean indomethacin there.

A mention that is only a short form says nothing to an encoder that compares strings, while its document usually
spells it out once. The pairs are found by the right-to-left letter matching of Schwartz and Hearst, "A simple
algorithm for identifying abbreviation definitions in biomedical text" (PSB 2003).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# The inner text must be free of parentheses: "(a (b) c)" defines nothing that can be read off with certainty.
_PARENTHESIS = re.compile(r"\(([^()\[\]]{2,80})\)|\[([^()\[\]]{2,80})\]")
_LIST_SEPARATOR = re.compile(r"[,;]")
_CLOSING = re.compile(r"[)\]]")
_WORD = re.compile(r"\S+")
_MAX_SHORT_FORM = 10
# Characters before a parenthesis that may hold the long form: the words that count, at a length that occurs.
_REACH = 200
# What may stand in a short form besides letters and digits (IL-1β, Ca2+, A&E); "n=12" and "p<0.05" are none.
_JOINERS = frozenset(" -‐‑–/.+&'’*:")


def find_abbreviations(text: str) -> dict[str, str]:
    """Short form → long form for every definition in ``text``; the first definition of a short form holds.

    Example:
        >>> find_abbreviations("Rats got indomethacin (IDM). IDM lowered plasma renin activity (PRA).")
        {'IDM': 'indomethacin', 'PRA': 'plasma renin activity'}
    """
    found: dict[str, str] = {}
    for match in _PARENTHESIS.finditer(text):
        inner = _LIST_SEPARATOR.split(match.group(1) or match.group(2), maxsplit=1)[0].strip()
        before = _before(text, match.start())
        if _is_short_form(inner):
            short, long = inner, _long_form(inner, before)
        else:  # "IDM (indomethacin)": the last word before the parenthesis may be the short form
            short = before.rsplit(None, 1)[-1] if before else ""
            long = _long_form(short, inner) if _is_short_form(short) and not short.istitle() else None
        if long is not None:
            found.setdefault(short, long)
    return found


def expand_abbreviations(text: str, abbreviations: Mapping[str, str]) -> str:
    """``text`` with each whole word that is a known short form replaced by its long form.

    The plural of a short form is known with it: with NSAID or NSAIDs defined, both are replaced.
    """
    forms: dict[str, str] = {}
    folded = text.casefold()
    for short, long in abbreviations.items():
        # A mention that holds the definition itself ("indomethacin (IDM)") is left as it is.
        if _singular(short) in text and long.casefold() not in folded:
            forms.update((form, full) for form, full in _numbers(short, long) if form not in abbreviations)
            forms[short] = long
    if not forms:
        return text
    # All at once, the longest first: a long form may hold another short form, which is not meant to be replaced.
    known = _whole_word(*sorted(forms, key=len, reverse=True))
    return known.sub(lambda match: forms[match.group()], text)


def _singular(short: str) -> str:
    is_plural = len(short) > 2 and short.endswith("s") and short[-2].isupper()
    return short[:-1] if is_plural else short


def _numbers(short: str, long: str) -> list[tuple[str, str]]:
    """The other number of a short form that ends in a capital, and its long form."""
    singular = _singular(short)
    if singular != short:
        return [(singular, long)]
    return [(f"{short}s", long if long.endswith("s") else f"{long}s")] if short[-1].isupper() else []


def _before(text: str, end: int) -> str:
    """The words before ``end`` that are near enough, none of them cut."""
    start = max(0, end - _REACH)
    if start and not text[start - 1].isspace():
        while start < end and not text[start].isspace():
            start += 1
    return text[start:end].rstrip()


def _is_short_form(text: str) -> bool:
    if not 2 <= len(text) <= _MAX_SHORT_FORM or not text[0].isalnum():
        return False
    if not all(character.isalnum() or character in _JOINERS for character in text):
        return False
    n_words = len(text.split())
    if text[0].isdigit():  # 5-HT is a short form, "10 mg" and "3d" are quantities
        return n_words == 1 and any(character.isupper() for character in text)
    return n_words <= 2 and any(character.isupper() or character.isdigit() for character in text)


def _long_form(short: str, before: str) -> str | None:
    """The shortest end of ``before`` that spells ``short``, if it can be its definition."""
    n_words = min(len(short) + 5, len(short) * 2)
    words = list(_WORD.finditer(before))[-n_words:]
    candidate = before[words[0].start() :] if words else ""
    position = _spelt_from(short, candidate)
    if position < 0:
        return None
    long = candidate[position:].rstrip(" ([")
    # "(R)-alpha-methylhistamine": the parenthesis belongs to the name, unless it holds a short form itself.
    if not _is_balanced(long) and position and not _is_short_form(_CLOSING.split(long, maxsplit=1)[0]):
        long = candidate[position - 1] + long
    # "rats (n = 4), mice" begins or ends inside a parenthesis; "IDM in rats" for IDM spells nothing out.
    is_definition = len(long) > len(short) and _is_balanced(long) and not _holds(long, short)
    return long if is_definition else None


def _spelt_from(short: str, candidate: str) -> int:
    """Where the letters of ``short`` begin in ``candidate``, matched from the right, the first one beginning a word;
    -1 if they are not there.
    """
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
            break
    return position


def _holds(text: str, word: str) -> bool:
    text, word = text.casefold(), word.casefold()
    return word in text and _whole_word(word).search(text) is not None


def _is_balanced(text: str) -> bool:
    return all(text.count(opening) == text.count(closing) for opening, closing in ("()", "[]"))


def _whole_word(*words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
