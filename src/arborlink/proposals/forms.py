"""The forms that mentions of a cluster use, and which of them are short for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_PRONOUNS = """
he she it they him her them his hers its their theirs this that these those one i me my mine you your yours we us our
ours who whom which himself herself itself themselves
"""
PRONOUNS = frozenset(_PRONOUNS.split())
_DETERMINER_WORDS = "the a an this that these those his her its their my your our such said"
_DETERMINERS = frozenset(_DETERMINER_WORDS.split())
_MAX_ABBREVIATION = 10


@dataclass(frozen=True, slots=True)
class Form:
    """One surface form, whatever its case and white space.

    Args:
        text: its most frequent spelling; of equals the first.
        n_mentions: how many mentions use it.
        first: place of the first of them, from 0.
    """

    text: str
    n_mentions: int
    first: int

    @property
    def words(self) -> tuple[str, ...]:
        """Its words, case folded."""
        return tuple(self.text.casefold().split())


def forms_of(texts: Iterable[str]) -> list[Form]:
    """The distinct forms by case folding, the most frequent first, of equals the longest, then the first."""
    spellings: dict[str, Counter[str]] = {}
    first: dict[str, int] = {}
    for place, text in enumerate(texts):
        folded = " ".join(text.split())
        key = folded.casefold()
        first.setdefault(key, place)
        spellings.setdefault(key, Counter())[folded] += 1
    forms = [
        Form(counts.most_common(1)[0][0], counts.total(), first[key]) for key, counts in spellings.items()
    ]
    return sorted(forms, key=lambda form: (-form.n_mentions, -len(form.text), form.first))


def why_short(short: Form, full: Form) -> str | None:
    """In what way one form is short for another, as a noun; ``None`` where it is not.

    - an abbreviation: its letters are the initials of the other's words (``NKP``, ``North Korea Party``);
    - a bare name: one capitalised word of several capitalised ones (``Doe``, ``John Doe``);
    - a reference: what follows its determiner ends the other, which has more words (``the cough``, ``a dry cough``),
      or the other begins with no determiner and says the same (``the Accord``, ``Accord``).
    """
    if _is_abbreviation(short, full):
        return "abbreviation"
    if _is_bare_name(short, full):
        return "bare name"
    if _is_reference(short, full):
        return "reference"
    return None


def is_pronoun(form: Form) -> bool:
    """Whether it says nothing by itself; ``US``, ``IT`` and ``WHO`` in capitals are names."""
    return form.text.casefold() in PRONOUNS and (len(form.text) == 1 or not form.text.isupper())


def _is_abbreviation(short: Form, full: Form) -> bool:
    letters = "".join(sign for sign in short.text if sign.isalnum())
    if not 2 <= len(letters) <= _MAX_ABBREVIATION or " " in short.text or sum(map(str.isupper, letters)) < 2:
        return False
    words = [word for word in full.text.replace("-", " ").split() if word[0].isalnum()]
    spelt_small = "".join(word[0] for word in words)
    without_small = "".join(word[0] for word in words if not word.islower())
    return len(words) > 1 and letters.casefold() in (spelt_small.casefold(), without_small.casefold())


def _is_bare_name(short: Form, full: Form) -> bool:
    words = full.text.split()
    is_one_name = " " not in short.text and short.text[:1].isupper()
    is_full_name = len(words) > 1 and words[0][:1].isupper() and words[-1][:1].isupper()
    return is_one_name and is_full_name and short.text.casefold() in (full.words[0], full.words[-1])


def _is_reference(short: Form, full: Form) -> bool:
    if short.words[0] not in _DETERMINERS or len(short.words) < 2:
        return False
    head = short.words[1:]
    own = full.words[1:] if full.words[0] in _DETERMINERS else full.words
    if own == head:
        return full.words == head
    return len(own) > len(head) and own[-len(head) :] == head
