"""The names of all entities: which of them have every word of a mention, and how many descriptions have them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.lexical import folded_words
from arborlink.knowledge_base import KnowledgeBase
from arborlink.progress import progress_bar

_WORD = re.compile(r"\w+")
# "Mercury (planet)": what tells it from others of its name, and is no part of the name.
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
# Between the names of an entity; folded words have no such sign.
_BETWEEN = " | "


@dataclass(frozen=True, eq=False)
class Names:
    """What entities are called, and how often others speak of them.

    Args:
        folded: for each entity its names, folded, without what stands in brackets at the end.
        n_naming: int64, shape (n_entities,): descriptions of other entities in which one of its names stands.
    """

    folded: list[str]
    n_naming: NDArray[np.int64]

    @classmethod
    def of(cls, kb: KnowledgeBase, progress: bool | None = None) -> Names:
        """Read the names and look for them in all descriptions."""
        names = [[_IN_BRACKETS.sub("", name) or name for name in entity.names] for entity in kb]
        folded = [f" {_BETWEEN.join(folded_words(name) for name in own)} " for own in names]
        return cls(folded, _n_naming(names, kb, progress))

    def hold(self, words: str, entities: Iterable[int]) -> list[bool]:
        """Whether some of these entities have a name that has these folded words, side by side; below 0 is none."""
        within = f" {words} "
        return [entity >= 0 and within in self.folded[entity] for entity in entities]


def _n_naming(names: Sequence[Sequence[str]], kb: KnowledgeBase, progress: bool | None) -> NDArray[np.int64]:
    """At each place the longest name that begins there is found, case and all, so that "Jon Snow" is no "Jon"."""
    called: dict[tuple[str, ...], list[int]] = {}
    for entity, own in enumerate(names):
        for name in dict.fromkeys(tuple(_WORD.findall(each)) for each in own):
            if name:
                called.setdefault(name, []).append(entity)
    lengths: dict[str, set[int]] = {}
    for name in called:
        lengths.setdefault(name[0], set()).add(len(name))
    longest_first = {word: sorted(own, reverse=True) for word, own in lengths.items()}
    counts = np.zeros(len(names), dtype=np.int64)
    with progress_bar("Looking for names in descriptions", len(kb), progress) as advance:
        for page, described in enumerate(kb):
            said = _WORD.findall(described.description)
            found: set[int] = set()
            place = 0
            while place < len(said):
                step = 1
                for length in longest_first.get(said[place], ()):
                    if named := called.get(tuple(said[place : place + length])):
                        found.update(named)
                        step = length
                        break
                place += step
            counts[list(found - {page})] += 1
            advance(1)
    return counts
