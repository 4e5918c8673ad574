"""A knowledge base: entities in order, reachable by position or id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.files import collector_paused
from arborlink.formats import Problems, read_entities, write_entities


class KnowledgeBase:
    """An immutable sequence of entities, numbered from 0 in the order given.

    Example:
        >>> kb = KnowledgeBase([Entity("Q1", "Ada Lovelace", aliases=("Ada",))])
        >>> kb["Q1"].names
        ('Ada Lovelace', 'Ada')
    """

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._entities = tuple(entities)
        if not self._entities:
            raise InputError("the knowledge base is empty: it needs at least one entity")
        if len(self.index) != len(self._entities):
            seen: set[str] = set()
            for entity in self._entities:
                if entity.id in seen:
                    raise InputError(f"entity id {entity.id!r} stands twice")
                seen.add(entity.id)

    @classmethod
    def read(
        cls, path: str | Path, *, format: str | None = None, problems: Problems | None = None
    ) -> KnowledgeBase:
        """Read a knowledge base in any known format; ``format`` names it where content and name do not tell."""
        with collector_paused():
            entities = tuple(read_entities(path, format=format, problems=problems))
        if not entities:
            raise InputError("the knowledge base is empty: it needs at least one entity", path)
        return cls(entities)

    def write(self, path: str | Path, *, format: str | None = None) -> None:
        """Write the entities; nothing appears under ``path`` before all of it is written.

        Without ``format`` the name tells it; a name that tells none gets ``jsonl``.
        """
        write_entities(self._entities, path, format=format)

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The entities, in order."""
        return self._entities

    @cached_property
    def index(self) -> dict[str, int]:
        """Number of an entity, by id."""
        return {entity.id: number for number, entity in enumerate(self._entities)}

    def __len__(self) -> int:
        return len(self._entities)

    def __iter__(self) -> Iterator[Entity]:
        return iter(self._entities)

    def __contains__(self, entity: object) -> bool:
        """Whether there is an entity of this id; an `Entity` stands for its id."""
        return (entity.id if isinstance(entity, Entity) else entity) in self.index

    def __getitem__(self, entity_id: str) -> Entity:
        return self._entities[self.index[entity_id]]

    def __repr__(self) -> str:
        return f"KnowledgeBase({len(self)} entities)"
