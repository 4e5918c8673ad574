"""Documents and entities as text that gives them back exactly; plain ASCII, whatever they hold."""

from __future__ import annotations

import json
from typing import Any

from arborlink.document import Document, Mention
from arborlink.entity import Entity


def document_record(document: Document) -> str:
    """A document with its mentions; equal documents have equal records."""
    mentions = [
        [each.id, each.start, each.end, each.types, each.entities, dict(each.extra)]
        for each in document.mentions
    ]
    return to_text([document.id, document.text, mentions, dict(document.extra)])


def document_of(record: str) -> Document:
    """The document of a record."""
    id_, text, mentions, extra = json.loads(record)
    return Document(id_, text, tuple(_mention(*each) for each in mentions), extra)


def entity_record(entity: Entity) -> str:
    """An entity; equal entities have equal records."""
    return to_text(
        [entity.id, entity.name, entity.aliases, entity.description, entity.types, dict(entity.extra)]
    )


def entity_of(record: str) -> Entity:
    """The entity of a record."""
    id_, name, aliases, description, types, extra = json.loads(record)
    return Entity(id_, name, tuple(aliases), description, tuple(types), extra)


def to_text(value: Any) -> str:
    """JSON on one line in ASCII, fields of objects in alphabetical order."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def _mention(
    id_: str, start: int, end: int, types: list[str], entities: list[str] | None, extra: dict[str, Any]
) -> Mention:
    return Mention(id_, start, end, tuple(types), None if entities is None else tuple(entities), extra)
