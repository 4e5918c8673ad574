"""Names that the description of an entity gives it, though no list of aliases does.

A page about Wonder Woman says that she is Diana; the list of her names may not. Where the words of a mention stand in
an entity's description, they are taken for a name of it, though not for a sure one: the more often they stand there
and the fewer other descriptions have them, the more it weighs. A vector of the name times that weight is one more
view of the entity, so that affinities stay inner products.

Towers read the first words of a description at most; here all of it counts, and what no training has seen as well.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.lexical import folded_words

# Entities that get a name from one string at most: those whose descriptions have it most often.
N_EACH = 8
# What a name loses each time that twice as many descriptions have it.
_LOSS_BY_DOUBLING = 0.05
# Between a name and its weight: white space to Python, which no name has.
_BEFORE_WEIGHT = "\x1e"
# Strings that are remembered; with more, all are forgotten.
_MOST_STRINGS = 100_000


@dataclass(frozen=True, slots=True)
class DescriptionName:
    """A string that stands in the description of an entity.

    Args:
        entity: the entity's number.
        string: the string's number.
        weight: how sure a name it is, above 0 and below 1, in hundredths.
    """

    entity: int
    string: int
    weight: float


class DescriptionNames:
    """Finds them. Descriptions are read once, and strings looked up once, as long as the object lives.

    Args:
        n_each: entities that get a name from one string at most.

    Example:
        >>> said = DescriptionNames()
        >>> list(said.of(["diana"], ["The Amazon Diana, or Diana Prince.", "A wizard.", "He met Diana."]))
        [DescriptionName(entity=0, string=0, weight=0.63), DescriptionName(entity=2, string=0, weight=0.47)]
    """

    def __init__(self, n_each: int = N_EACH) -> None:
        self.n_each = n_each
        self._phrases = _Phrases()
        self._lock = threading.Lock()

    def of(
        self, strings: Sequence[str], descriptions: Sequence[str], among: NDArray[np.int64] | None = None
    ) -> Iterator[DescriptionName]:
        """The names that the strings become, string by string.

        What is found for one string does not depend on the others.

        Args:
            strings: distinct strings.
            descriptions: of each entity; may be empty.
            among: numbers of the entities that count; ``None``: all.
        """
        counted = range(len(descriptions)) if among is None else among.tolist()
        with self._lock:
            bearers: dict[int, list[int]] = {}
            for entity in counted:
                if descriptions[entity]:
                    bearers.setdefault(self._phrases.add(descriptions[entity]), []).append(entity)
            found = [self._phrases.count(folded_words(string)) for string in strings]
        for number, counts in enumerate(found):
            pairs = [(-count, entity) for text, count in counts.items() for entity in bearers.get(text, ())]
            rarity = 1 - _LOSS_BY_DOUBLING * (len(pairs).bit_length() - 1)
            for negative, entity in sorted(pairs)[: self.n_each]:
                weight = round(rarity * negative / (negative - 1), 2)
                if weight > 0:
                    yield DescriptionName(entity, number, weight)


def weighted_text(name: str, weight: float) -> str:
    """A name and its weight as one text."""
    return f"{name}{_BEFORE_WEIGHT}{weight:.2f}"


def parted_texts(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64], NDArray[np.float32]]:
    """The distinct names in some texts; the place of each text's name among them; its weight, 1 where it has none."""
    names: dict[str, int] = {}
    places = np.empty(len(texts), dtype=np.int64)
    weights = np.ones(len(texts), dtype=np.float32)
    for number, text in enumerate(texts):
        name, _, weight = text.partition(_BEFORE_WEIGHT)
        places[number] = names.setdefault(name, len(names))
        if weight:
            weights[number] = float(weight)
    return list(names), places, weights


class _Phrases:
    """How often words stand one after the other in which texts; texts may be added at any time."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        # words of all texts are counted through, with a gap between two texts, which no phrase then reaches across
        self._starts = array("q")
        self._n_words = 0
        self._places: dict[str, array[int]] = {}
        # for each phrase how many texts have been searched, and what was found in them
        self._known: dict[str, tuple[int, dict[int, int]]] = {}

    def add(self, text: str) -> int:
        """The text's number."""
        number = self._number.setdefault(text, len(self._starts))
        if number == len(self._starts):
            self._starts.append(self._n_words)
            words = folded_words(text).split()
            for place, word in enumerate(words, start=self._n_words):
                if word not in self._places:
                    self._places[word] = array("q")
                self._places[word].append(place)
            self._n_words += len(words) + 1
        return number

    def count(self, phrase: str) -> dict[int, int]:
        """How often each text has these folded words, for those that have them."""
        n_texts = len(self._starts)
        searched, found = self._known.get(phrase, (0, {}))
        if searched < n_texts:
            found = found | self._search(phrase.split(), searched)
            if len(self._known) >= _MOST_STRINGS:
                self._known.clear()
            self._known[phrase] = n_texts, found
        return found

    def _search(self, words: list[str], first: int) -> dict[int, int]:
        """The same in the texts from number ``first`` on: where each word stands at its distance to the first one."""
        if not words or not all(word in self._places for word in words):
            return {}
        # copies: an array that is looked into cannot grow
        starts = np.array(self._starts)
        begins = [np.array(self._places[word]) - place for place, word in enumerate(words)]
        begins.sort(key=len)
        found = begins[0][begins[0] >= starts[first]]
        for others in begins[1:]:
            nearest = np.minimum(np.searchsorted(others, found), len(others) - 1)
            found = found[others[nearest] == found]
        texts, counts = np.unique(np.searchsorted(starts, found, side="right") - 1, return_counts=True)
        return dict(zip(texts.tolist(), counts.tolist(), strict=True))
