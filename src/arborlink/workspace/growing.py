"""What of the documents and entities that somebody adds is new."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from arborlink.corpus import Corpus
from arborlink.document import Document
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.workspace.identities import discovery_number
from arborlink.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class News:
    """What of the given is new, and ids of what was there already, just so."""

    documents: tuple[Document, ...]
    entities: tuple[Entity, ...]
    skipped_documents: tuple[str, ...]
    skipped_entities: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.documents or self.entities)


def news(snapshot: Snapshot, documents: Iterable[Document], entities: Iterable[Entity]) -> News:
    """Sort out what is new.

    Raises:
        InputError: an id that is known, of something else.
    """
    new_documents, old_documents = _new_documents(snapshot, documents)
    new_entities, old_entities = _new_entities(snapshot, entities)
    return News(new_documents, new_entities, old_documents, old_entities)


def _new_documents(
    snapshot: Snapshot, given: Iterable[Document]
) -> tuple[tuple[Document, ...], tuple[str, ...]]:
    known = {document.id: document for document in snapshot.documents}
    owner = {mention.id: document.id for document, mention in snapshot.corpus.mentions}
    new: list[Document] = []
    skipped: list[str] = []
    for document in Corpus(given):
        if document.id in known:
            if document != known[document.id]:
                raise InputError(
                    f"document {document.id!r} is in the workspace with another text or other mentions; documents "
                    "there do not change: give the new one another id"
                )
            skipped.append(document.id)
            continue
        for mention in document.mentions:
            if mention.id in owner:
                raise InputError(
                    f"mention id {mention.id!r} of document {document.id!r} is in the workspace, in document "
                    f"{owner[mention.id]!r}; ids of mentions are unique over all documents"
                )
        new.append(document)
    return tuple(new), tuple(skipped)


def _new_entities(snapshot: Snapshot, given: Iterable[Entity]) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
    known = {entity.id: entity for entity in snapshot.entities}
    listed = list(given)
    new: list[Entity] = []
    skipped: list[str] = []
    for entity in KnowledgeBase(listed) if listed else ():
        number = discovery_number(entity.id)
        if entity.id in known:
            if entity != known[entity.id]:
                raise InputError(
                    f"entity {entity.id!r} is in the workspace with another name or description; entities there do "
                    "not change: give the new one another id"
                )
            skipped.append(entity.id)
        elif number is not None and 0 < number < snapshot.next_discovery:
            raise InputError(
                f"entity {entity.id!r} has the id of something this workspace discovered; promote that, or give the "
                "entity another id"
            )
        else:
            new.append(entity)
    return tuple(new), tuple(skipped)


def with_news(snapshot: Snapshot, found: News) -> Snapshot:
    """The next version, without vectors and a partition of what is new."""
    numbers = [discovery_number(entity.id) or 0 for entity in found.entities]
    return snapshot.but(
        version=snapshot.version + 1,
        documents=(*snapshot.documents, *found.documents),
        entities=(*snapshot.entities, *found.entities),
        is_active=np.concatenate([snapshot.is_active, np.ones(len(found.entities), dtype=bool)]),
        # ids of promoted entities of another workspace are not given a second time
        next_discovery=max([snapshot.next_discovery, *(number + 1 for number in numbers)]),
    )
