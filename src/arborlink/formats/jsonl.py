"""ArborLink's own files: one JSON object per line.

Documents: ``{"id", "text", "mentions": [{"id"?, "start", "end", "type"?, "entity"?}]}``; knowledge base:
``{"id", "name", "aliases"?, "description"?, "types"?}``. Other fields are kept in ``extra`` and written back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from arborlink.document import Document, Mention, mention_id
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.files import write_text
from arborlink.formats.json_fields import (
    encode_json,
    identifier,
    kind_of,
    read_json_lines,
    required,
    string,
    string_or_strings,
    strings,
    whole_number,
)
from arborlink.formats.problems import Problems
from arborlink.formats.records import DocumentRecord, EntityRecord

_UNLABELLED = object()


def read_documents(path: Path, problems: Problems) -> Iterator[DocumentRecord]:
    """Read documents, one per line."""
    for line, record in read_json_lines(path, problems):
        try:
            document = _document(path, line, record, problems)
        except InputError as error:
            problems.found(error.at(path, line))
        else:
            yield document


def _document(path: Path, line: int, record: dict[str, Any], problems: Problems) -> DocumentRecord:
    id_ = identifier(required(record, "id", "a document"), "id")
    text = string(required(record, "text", "a document"), "text")
    given = record.pop("mentions", None)
    if given is None:
        given = []
    if not isinstance(given, list):
        raise InputError(f'"mentions" of document {id_!r} is {kind_of(given)}; expected a list')
    mentions: list[tuple[int, Mention]] = []
    for position, mention in enumerate(given):
        try:
            mentions.append((line, _mention(mention, id_, position)))
        except InputError as error:
            problem = f"mention {position + 1} of document {id_!r}: {error.message}"
            problems.found(InputError(problem, path, line))
    return DocumentRecord(path, line, id_, text, mentions, record)


def _mention(record: Any, document_id: str, position: int) -> Mention:
    if not isinstance(record, dict):
        raise InputError(f"found {kind_of(record)}; expected an object")
    start = whole_number(required(record, "start", "a mention"), "start")
    end = whole_number(required(record, "end", "a mention"), "end")
    id_ = record.pop("id", None)
    return Mention(
        mention_id(document_id, position) if id_ is None else identifier(id_, "id"),
        start,
        end,
        string_or_strings(record.pop("type", None), "type"),
        _gold(record.pop("entity", _UNLABELLED)),
        record or {},  # an emptied dictionary keeps its memory, a new one has next to none
    )


def _gold(value: object) -> tuple[str, ...] | None:
    if type(value) is str and value:
        return (value,)
    if value is _UNLABELLED:
        return None
    if value is None:
        return ()
    ids = tuple(identifier(item, "entity") for item in (value if isinstance(value, list) else [value]))
    if "" in ids:
        raise InputError(
            '"entity" is an empty string; leave the field out (not labelled) '
            "or write null (in no knowledge base)"
        )
    return ids


def read_entities(path: Path, problems: Problems) -> Iterator[EntityRecord]:
    """Read the entities of a knowledge base, one per line."""
    for line, record in read_json_lines(path, problems):
        try:
            entity = _entity(record)
        except InputError as error:
            problems.found(error.at(path, line))
        else:
            yield EntityRecord(path, line, entity)


def _entity(record: dict[str, Any]) -> Entity:
    id_ = identifier(required(record, "id", "an entity"), "id")
    name = string(required(record, "name", "an entity"), "name")
    description = record.pop("description", None)
    return Entity(
        id_,
        name,
        strings(record.pop("aliases", None), "aliases"),
        "" if description is None else string(description, "description"),
        string_or_strings(record.pop("types", None), "types"),
        record or {},  # an emptied dictionary keeps its memory, a new one has next to none
    )


def write_documents(documents: Iterable[Document], path: Path) -> None:
    """Write documents, one per line; reading the file gives them back exactly."""
    with write_text(path) as out:
        for document in documents:
            out.write(encode_json(document_object(document)) + "\n")


def document_object(document: Document) -> dict[str, object]:
    """The JSON object of a document."""
    mentions = [_mention_object(mention) for mention in document.mentions]
    core: dict[str, object] = {"id": document.id, "text": document.text, "mentions": mentions}
    return core | _others(document.extra, core)


def _mention_object(mention: Mention) -> dict[str, object]:
    core: dict[str, object] = {"id": mention.id, "start": mention.start, "end": mention.end}
    if mention.types:
        core["type"] = mention.types[0] if len(mention.types) == 1 else list(mention.types)
    if mention.entities is not None:
        ids = mention.entities
        core["entity"] = None if not ids else ids[0] if len(ids) == 1 else list(ids)
    return core | _others(mention.extra, core, "type", "entity")


def write_entities(entities: Iterable[Entity], path: Path) -> None:
    """Write entities, one per line; reading the file gives them back exactly."""
    with write_text(path) as out:
        for entity in entities:
            out.write(encode_json(entity_object(entity)) + "\n")


def entity_object(entity: Entity) -> dict[str, object]:
    """The JSON object of an entity."""
    core: dict[str, object] = {"id": entity.id, "name": entity.name}
    if entity.aliases:
        core["aliases"] = list(entity.aliases)
    if entity.description:
        core["description"] = entity.description
    if entity.types:
        core["types"] = list(entity.types)
    return core | _others(entity.extra, core, "aliases", "description", "types")


def _others(extra: Any, core: dict[str, object], *reserved: str) -> dict[str, object]:
    """The extra fields, less any that would pass for one of the format's own."""
    return {name: value for name, value in extra.items() if name not in core and name not in reserved}
