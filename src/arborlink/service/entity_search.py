"""Finding entities by name as somebody types: all names in one text, looked through by the fast search of strings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from unicodedata import normalize

from arborlink.knowledge_base import KnowledgeBase

# Names looked at for one search; those that match best come first.
MOST_FOUND = 2000
_END = "\n"


class EntitySearch:
    """The names of a knowledge base, to be searched.

    A name that is what was typed comes first, then names that begin with it, then those with a word that does, then
    those that hold it anywhere, shorter ones first; an entity stands at the place of its best name. Several words may
    stand in any order, and in different names of the entity. Case, and the way Unicode composes a letter, do not
    matter.

    Example:
        >>> from arborlink.entity import Entity
        >>> search = EntitySearch(KnowledgeBase([Entity("Q1", "Ada Lovelace"), Entity("Q2", "Adam")]))
        >>> [number for number, _ in search.find("ada")]
        [1, 0]
    """

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        names = [_folded(name) for entity in kb for name in (*entity.names, entity.id)]
        starts, at = [], 1
        for name in names:
            starts.append(at)
            at += len(name) + 1
        self._starts = starts
        self._owners = [number for number, entity in enumerate(kb) for _ in range(len(entity.names) + 1)]
        self._first = _firsts(self._owners)
        self._text = _END + _END.join(names) + _END

    def find(self, typed: str) -> list[tuple[int, str]]:
        """Numbers of the entities, the best first, each with the name that was found."""
        words = _folded(typed).split()
        if not words:
            return [
                (number, entity.name) for number, entity in zip(range(MOST_FOUND), self._kb, strict=False)
            ]
        whole = " ".join(words)
        best = self._best(self._places(whole))
        if len(words) > 1 and len(best) < MOST_FOUND:
            rarest = max(words, key=len)
            for number, name in self._best(self._places(rarest)).items():
                if number not in best and self._has_all(number, words):
                    best[number] = name
        return [(number, self._name(name)) for number, name in best.items()]

    def _best(self, names: Iterable[int]) -> dict[int, int]:
        best: dict[int, int] = {}
        for name in names:
            best.setdefault(self._owners[name], name)
        return best

    def _places(self, typed: str) -> list[int]:
        """Numbers of the names that hold what was typed, the best first."""
        found: dict[int, None] = {}
        for pattern in (f"{_END}{typed}{_END}", f"{_END}{typed}", f" {typed}", typed):
            if len(found) >= MOST_FOUND:
                break
            again = list(self._occurrences(pattern, MOST_FOUND))
            found.update(dict.fromkeys(sorted(again, key=self._length)))
        return list(found)

    def _occurrences(self, pattern: str, most: int) -> Iterator[int]:
        at, last = self._text.find(pattern), -1
        while at >= 0 and most:
            # the sign before a name belongs to the pattern where it has one
            name = bisect_right(self._starts, at + (pattern[0] == _END)) - 1
            if name != last:
                most -= 1
                yield name
            last = name
            at = self._text.find(pattern, at + 1)

    def _length(self, name: int) -> int:
        end = self._starts[name + 1] if name + 1 < len(self._starts) else len(self._text)
        return end - self._starts[name]

    def _has_all(self, number: int, words: Iterable[str]) -> bool:
        start = self._starts[self._first[number]]
        end = self._starts[self._first[number + 1]] if number + 1 < len(self._first) else len(self._text)
        own = self._text[start:end]
        return all(word in own for word in words)

    def _name(self, name: int) -> str:
        entity = self._kb.entities[self._owners[name]]
        place = name - self._first[self._owners[name]]
        return (*entity.names, entity.id)[place]


def _firsts(owners: list[int]) -> list[int]:
    firsts: list[int] = []
    for name, owner in enumerate(owners):
        if owner == len(firsts):
            firsts.append(name)
    return firsts


def _folded(text: str) -> str:
    return " ".join(normalize("NFKC", text).casefold().split())
