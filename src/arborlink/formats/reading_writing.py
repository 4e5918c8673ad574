"""The four doors of this room: read and write documents and entities in any format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from arborlink.document import Document
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats import jsonl, pubtator, pubtator_writer, zeshel, zeshel_writer
from arborlink.formats.detect import ROLE_NAMES, check_format, detect_format, guess_from_name
from arborlink.formats.problems import Problems
from arborlink.formats.records import DocumentRecord, EntityRecord, checked_documents, checked_entities
from arborlink.formats.umls import read_umls

Item = TypeVar("Item")

_DOCUMENT_READERS: dict[str, Callable[[Path, Problems], Iterator[DocumentRecord]]] = {
    "jsonl": jsonl.read_documents,
    "pubtator": pubtator.read_documents,
    "zeshel": zeshel.read_documents,
}
_ENTITY_READERS: dict[str, Callable[[Path, Problems], Iterator[EntityRecord]]] = {
    "jsonl": jsonl.read_entities,
    "zeshel": zeshel.read_entities,
}
_DOCUMENT_WRITERS: dict[str, Callable[[Iterable[Document], Path], None]] = {
    "jsonl": jsonl.write_documents,
    "pubtator": pubtator_writer.write_documents,
    "zeshel": zeshel_writer.write_documents,
}
_ENTITY_WRITERS: dict[str, Callable[[Iterable[Entity], Path], None]] = {
    "jsonl": jsonl.write_entities,
    "zeshel": zeshel_writer.write_entities,
}


def read_documents(
    path: str | Path, *, format: str | None = None, problems: Problems | None = None
) -> Iterator[Document]:
    """Read documents one by one.

    Args:
        path: the file; gzip is unpacked.
        format: one of `DOCUMENT_FORMATS`; ``None`` finds out.
        problems: what to do about invalid documents and mentions; ``None`` stops at the first.

    Raises:
        InputError: with file and line, for what cannot be used. Damage that hides the rest of a file (a cut
            gzip, an encoding that is not UTF-8) is raised even where ``problems`` skips.
    """
    path, problems = Path(path), problems or Problems()
    format = detect_format(path, "documents") if format is None else check_format(format, "documents", path)
    return checked_documents(_DOCUMENT_READERS[format](path, problems), problems)


def read_entities(
    path: str | Path, *, format: str | None = None, problems: Problems | None = None
) -> Iterator[Entity]:
    """Read the entities of a knowledge base one by one; see `read_documents`, with `ENTITY_FORMATS`."""
    path, problems = Path(path), problems or Problems()
    format = detect_format(path, "kb") if format is None else check_format(format, "kb", path)
    if format == "umls":
        # its concepts are sorted, and a second run of one is an error of order: ids cannot repeat
        return read_umls(path, problems=problems)
    return checked_entities(_ENTITY_READERS[format](path, problems), problems)


def write_documents(documents: Iterable[Document], path: str | Path, *, format: str | None = None) -> None:
    """Write documents; nothing appears under its name before all of it is written. ``.gz`` is packed.

    Args:
        documents: what to write.
        path: the file.
        format: one of `DOCUMENT_FORMATS`; ``None`` goes by the name, ``jsonl`` where that tells none.
    """
    format = _format_to_write(format, Path(path), "documents")
    _write(_DOCUMENT_WRITERS[format], documents, Path(path))


def write_entities(entities: Iterable[Entity], path: str | Path, *, format: str | None = None) -> None:
    """Write a knowledge base; see `write_documents`, with `ENTITY_FORMATS` but ``umls``."""
    format = _format_to_write(format, Path(path), "kb")
    if format not in _ENTITY_WRITERS:
        raise InputError(f"{format} can be read only; write {' or '.join(_ENTITY_WRITERS)}", path)
    _write(_ENTITY_WRITERS[format], entities, Path(path))


def _format_to_write(format: str | None, path: Path, role: str) -> str:
    if format is not None:
        return check_format(format, role, path)
    guess = guess_from_name(path)
    if guess is None:
        return "jsonl"
    if guess.role not in (None, role):
        raise InputError(
            f"the name is that of {ROLE_NAMES[guess.role]} ({guess.format}), this is {ROLE_NAMES[role]}; "
            "give another name, or the format",
            path,
        )
    return guess.format


def _write(writer: Callable[[Iterable[Item], Path], None], items: Iterable[Item], path: Path) -> None:
    try:
        writer(items, path)
    except UnicodeEncodeError as error:
        found = f"U+{ord(error.object[error.start]):04X}"
        raise InputError(
            f"cannot be written: {found} is half a character (a lone surrogate)", path
        ) from error
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path) from error
