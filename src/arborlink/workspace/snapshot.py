"""All that a workspace holds at one version, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document
from arborlink.encoder import Embeddings
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.partition import Constraints
from arborlink.workspace.effects import StoredDecision, constraints_of, in_force
from arborlink.workspace.lists import Lists
from arborlink.workspace.parts import Parts
from arborlink.workspace.settings import WorkspaceSettings
from arborlink.workspace.stable_ids import format_id
from arborlink.workspace.vectors import VectorTable

# What is worked out when it is first asked for, and the fields it is worked out from.
_WORKED_OUT = {
    "corpus": {"documents"},
    "mention_ids": {"documents"},
    "all_entities": {"entities"},
    "kb": {"entities", "is_active"},
    "members": {"parts"},
    "rejected": {"decisions"},
}


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One version. Nothing in it changes; a command makes the next one.

    Args:
        version: grows by one with every commit.
        settings: model and inference.
        documents: in the order they came.
        entities: by number; one whose promotion was undone keeps its number and has no vectors.
        is_active: bool, shape (n_entities,): whether an entity is in the knowledge base.
        mention_vectors: vectors of the texts of mentions.
        entity_vectors: vectors of the texts of entities.
        mention_rows: int32, shape (n_mentions,): the row of each mention's text.
        entity_rows: int32: the rows of the entities' texts, as in :class:`~arborlink.encoder.Embeddings`.
        entity_offsets: int64, shape (n_entities + 1,): where each entity's begin.
        lists: nearest entities and mentions.
        parts: the partition.
        decisions: all that were made, undone ones as well.
        discovery_versions: version with which each live discovery last changed, by id.
        next_discovery: number of the next discovery.
    """

    version: int
    settings: WorkspaceSettings
    documents: tuple[Document, ...]
    entities: tuple[Entity, ...]
    is_active: NDArray[np.bool_]
    mention_vectors: VectorTable
    entity_vectors: VectorTable
    mention_rows: NDArray[np.int32]
    entity_rows: NDArray[np.int32]
    entity_offsets: NDArray[np.int64]
    lists: Lists
    parts: Parts
    decisions: tuple[StoredDecision, ...]
    discovery_versions: Mapping[str, int]
    next_discovery: int

    @classmethod
    def empty(cls, settings: WorkspaceSettings) -> Snapshot:
        """The version before the first."""
        return cls(
            version=0,
            settings=settings,
            documents=(),
            entities=(),
            is_active=np.empty(0, dtype=bool),
            mention_vectors=VectorTable(),
            entity_vectors=VectorTable(),
            mention_rows=np.empty(0, dtype=np.int32),
            entity_rows=np.empty(0, dtype=np.int32),
            entity_offsets=np.zeros(1, dtype=np.int64),
            lists=Lists.empty(settings.candidates, settings.n_others),
            parts=Parts.empty(),
            decisions=(),
            discovery_versions={},
            next_discovery=1,
        )

    def but(self, **changes: Any) -> Snapshot:
        """The same but for some fields; what was worked out from the others is not worked out again."""
        other = replace(self, **changes)
        for name, needed in _WORKED_OUT.items():
            if name in self.__dict__ and not needed & changes.keys():
                other.__dict__[name] = self.__dict__[name]
        return other

    @cached_property
    def corpus(self) -> Corpus:
        """All documents."""
        return Corpus(self.documents)

    @cached_property
    def all_entities(self) -> KnowledgeBase:
        """Every entity by its number, active or not."""
        return KnowledgeBase(self.entities)

    @cached_property
    def kb(self) -> KnowledgeBase:
        """The knowledge base as it is now."""
        if self.is_active.all():
            return self.all_entities
        return KnowledgeBase(
            entity for entity, active in zip(self.entities, self.is_active.tolist(), strict=True) if active
        )

    @property
    def entity_embeddings(self) -> Embeddings:
        """Vectors of the entities."""
        return Embeddings(self.entity_vectors.vectors, self.entity_rows, self.entity_offsets)

    @property
    def entity_views(self) -> Embeddings:
        """The same without the vectors themselves, which take a while to put together."""
        return Embeddings(np.empty((0, 0), dtype=np.float32), self.entity_rows, self.entity_offsets)

    @property
    def mention_embeddings(self) -> Embeddings:
        """Vectors of the mentions."""
        return Embeddings.one_each(self.mention_vectors.vectors, self.mention_rows)

    @cached_property
    def mention_ids(self) -> list[str]:
        """Ids of the mentions, by number."""
        return [mention.id for _, mention in self.corpus.mentions]

    @cached_property
    def members(self) -> dict[str, list[int]]:
        """Mentions of each live discovery, by its id."""
        return {format_id(number): members.tolist() for number, members in self.parts.members().items()}

    @property
    def decisions_in_force(self) -> list[StoredDecision]:
        """Those that were not undone."""
        return in_force(self.decisions)

    @cached_property
    def rejected(self) -> frozenset[str]:
        """Mentions that a decision in force rejects."""
        return frozenset(mention for stored in self.decisions_in_force for mention in stored.effects.rejected)

    def is_rejected(self, discovery: str) -> bool:
        """Whether at least half of a discovery's mentions were rejected: it is then not proposed."""
        members = self.members[discovery]
        n_rejected = sum(self.mention_ids[number] in self.rejected for number in members)
        return n_rejected * 2 >= len(members) if n_rejected else False

    def constraints(self) -> Constraints:
        """What the decisions in force state, in numbers."""
        effects = [stored.effects for stored in self.decisions_in_force]
        if not effects:
            return Constraints()
        return constraints_of(effects, self.corpus.mention_index, self.all_entities.index)

    def labels(self) -> Labels | None:
        """Who may meet whom, if linking is by type and there is anybody to link.

        Raises:
            InputError: nobody shares a type.
        """
        from arborlink.type_labels import labels_of

        if not self.settings.inference.by_type or not self.corpus.n_mentions:
            return None
        active = labels_of(self.corpus, self.kb, self.settings.is_by_type_asked)
        if self.kb is self.all_entities:
            return active
        known = dict(zip((entity.id for entity in self.kb), active.of_targets, strict=True))
        return Labels(active.of_queries, [known.get(each.id, frozenset()) for each in self.entities])

    def unlinked(self) -> list[int]:
        """Numbers of the mentions that are linked to no entity."""
        return np.flatnonzero(self.parts.entity < 0).tolist()

    def number_of(self, mention: str) -> int:
        """Number of a mention by its id.

        Raises:
            InputError: there is none.
        """
        number = self.corpus.mention_index.get(mention)
        if number is None:
            raise InputError(f"there is no mention {mention!r} in the workspace")
        return number

    def place_of(self, number: int) -> tuple[str, str]:
        """Where a mention is: ``entity`` or ``discovery``, and its id."""
        entity = int(self.parts.entity[number])
        if entity >= 0:
            return "entity", self.entities[entity].id
        return "discovery", format_id(int(self.parts.discovery[number]))
