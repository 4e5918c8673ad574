"""The names by which a knowledge base knows its entities besides the main one: synonyms that nobody had to label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class OtherNames:
    """Names that say which entity is meant without any context.

    Left out are names with the same words as the entity's main name, whatever their order and case: they would teach
    to copy. So are names that several entities of one scope have: only a context could tell which of them is meant.
    Of an entity's names that have the same words the first stands for all.

    Args:
        entity: int32, shape (n_names,), ascending: whose name it is.
        place: int32, shape (n_names,): which of ``Entity.names``.
        fingerprint: of the names.
    """

    entity: NDArray[np.int32]
    place: NDArray[np.int32]
    fingerprint: str

    @classmethod
    def of(cls, kb: KnowledgeBase, scopes: Sequence[int] | None = None) -> OtherNames:
        """Find them.

        Args:
            kb: the knowledge base.
            scopes: the scope of each entity, where several knowledge bases are learned together.
        """
        entity, place, words = _all_names(kb, scopes)
        fingerprint = blake2b(words.tobytes() + entity.tobytes(), digest_size=12).hexdigest()
        main = words[np.flatnonzero(place == 0)]
        order = np.lexsort((place, entity, words))
        same_words = np.zeros(len(order), dtype=bool)
        same_words[1:] = words[order][1:] == words[order][:-1]
        same_entity = np.zeros(len(order), dtype=bool)
        same_entity[1:] = entity[order][1:] == entity[order][:-1]
        is_first = ~(same_words & same_entity)
        bearers = np.bincount(np.cumsum(~same_words) - 1, weights=is_first)
        is_usable = is_first & (bearers[np.cumsum(~same_words) - 1] == 1)
        rows = np.sort(order[is_usable])
        rows = rows[words[rows] != main[entity[rows]]]
        return cls(entity[rows], place[rows], fingerprint)

    def __len__(self) -> int:
        return len(self.entity)

    def draw(self, n: int, favoured: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.int64]:
        """Choose names, each at most once: half of them of favoured entities, the others of any.

        Entities are drawn evenly, however many names they have: none gives a second name before all have given one.

        Args:
            n: how many; fewer come where there are fewer.
            favoured: bool, shape (n_entities,).
            random: decides.

        Returns:
            int64, ascending: numbers of names.
        """
        by_entity = np.lexsort((random.random(len(self)), self.entity))
        first = np.searchsorted(self.entity, self.entity)
        turn = np.empty(len(self), dtype=np.int64)
        turn[by_entity] = (
            np.arange(len(self)) - first
        )  # entities ascend, so names keep the place of their entity
        order = np.lexsort((random.random(len(self)), turn))
        half = order[favoured[self.entity[order]]][: n // 2]
        rest = order[~np.isin(order, half)][: n - len(half)]
        return np.sort(np.concatenate([half, rest]))


def without_name(entity: Entity, place: int) -> Entity:
    """The entity without one of its aliases and without those that have the same words.

    Example:
        >>> aspirin = Entity("E0", "aspirin", aliases=("salicylate, acetyl", "asa", "acetyl salicylate"))
        >>> without_name(aspirin, 3).aliases
        ('asa',)
    """
    words = _words(entity.names[place])
    return replace(entity, aliases=tuple(alias for alias in entity.aliases if _words(alias) != words))


def _words(name: str) -> str:
    folded = name.casefold()
    return " ".join(sorted(_WORD.findall(folded))) or folded.strip()


def _all_names(
    kb: KnowledgeBase, scopes: Sequence[int] | None
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint64]]:
    """Entity, place and words of every name; words are told by a hash, since there may be millions."""
    counts = np.zeros(len(kb), dtype=np.int64)
    words = bytearray()
    for number, entity in enumerate(kb):
        scope = "" if scopes is None else f"{scopes[number]}/"
        names = entity.names
        counts[number] = len(names)
        for name in names:
            told = f"{scope}{_words(name)}".encode("utf-8", "surrogatepass")
            words += blake2b(told, digest_size=8).digest()
    entity_of = np.repeat(np.arange(len(kb), dtype=np.int32), counts)
    place = np.arange(len(entity_of)) - np.repeat(np.cumsum(counts) - counts, counts)
    return entity_of, place.astype(np.int32), np.frombuffer(bytes(words), dtype=np.uint64)
