"""What the readers hand over, and the one place where ids are checked to be unique."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats.problems import Problems

_MAX_LINES = 2**40


class DocumentRecord(NamedTuple):
    """A document as it stands in a file; each mention comes with its own line of that file."""

    path: Path
    line: int
    id: str
    text: str
    mentions: list[tuple[int, Mention]]
    extra: dict[str, object]


class EntityRecord(NamedTuple):
    """An entity and the place it stands at."""

    path: Path
    line: int
    entity: Entity


class _FirstPlaces:
    """Remembers where each id stood first, and makes the error for an id that comes again."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._paths: list[Path] = []
        # one integer for file and line: a tuple per id would cost memory and the garbage collector's time
        self._places: dict[str, int] = {}

    def repetition(self, id_: str, path: Path, line: int) -> InputError | None:
        first = self._places.get(id_)
        if first is None:
            if not self._paths or self._paths[-1] is not path:
                self._paths.append(path)
            self._places[id_] = (len(self._paths) - 1) * _MAX_LINES + line
            return None
        first_path, first_line = self._paths[first // _MAX_LINES], first % _MAX_LINES
        where = f"line {first_line}" if first_path == path else f"{first_path}:{first_line}"
        return InputError(f"{self._kind} id {id_!r} stands twice, first at {where}", path, line)


def checked_documents(records: Iterable[DocumentRecord], problems: Problems) -> Iterator[Document]:
    """Turn records into documents, leaving out (or raising for) what is invalid or has an id seen before.

    A mention that is invalid costs that mention, a document that is invalid costs the document with its
    mentions; each is reported once.
    """
    documents = _FirstPlaces("document")
    mentions = _FirstPlaces("mention")
    for record in records:
        error = documents.repetition(record.id, record.path, record.line)
        if error is None and not record.id:
            error = InputError("a document has an empty id", record.path, record.line)
        if error is not None:
            problems.found(error)
            continue
        try:
            document = Document(record.id, record.text, tuple(m for _, m in record.mentions), record.extra)
        except InputError:
            yield _with_valid_mentions(record, mentions, problems)
            continue
        errors = [mentions.repetition(mention.id, record.path, line) for line, mention in record.mentions]
        if any(errors):
            kept = tuple(
                mention for mention, error in zip(document.mentions, errors, strict=True) if error is None
            )
            for error in filter(None, errors):
                problems.found(error)
            document = Document(record.id, record.text, kept, record.extra)
        yield document


def _with_valid_mentions(record: DocumentRecord, seen: _FirstPlaces, problems: Problems) -> Document:
    valid: list[Mention] = []
    for line, mention in record.mentions:
        try:
            # the document's own checks, one mention at a time, so that the message can name the line
            Document(record.id, record.text, (mention,))
        except InputError as error:
            problems.found(error.at(record.path, line))
            continue
        repetition = seen.repetition(mention.id, record.path, line)
        if repetition is None:
            valid.append(mention)
        else:
            problems.found(repetition)
    return Document(record.id, record.text, tuple(valid), record.extra)


def checked_entities(records: Iterable[EntityRecord], problems: Problems) -> Iterator[Entity]:
    """Hand on the entities, leaving out (or raising for) those whose id was seen before."""
    places = _FirstPlaces("entity")
    for path, line, entity in records:
        error = places.repetition(entity.id, path, line)
        if error is None:
            yield entity
        else:
            problems.found(error)
