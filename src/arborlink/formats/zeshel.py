"""Reading ZeShEL: worlds of pages, and mentions as token indices into them.

A mentions file stands in a folder beside ``documents``::

    documents/<world>.json      {"title", "text", "document_id", "entity"?: false}
    mentions/<split>.json       {"mention_id", "context_document_id", "corpus", "start_index", "end_index",
                                 "text", "label_document_id", "category"}

``start_index`` and ``end_index`` are inclusive and count the tokens of ``text.split(" ")``. The type of a
mention or an entity is its world.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from arborlink.document import Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats.json_fields import (
    identifier,
    read_json_lines,
    required,
    string,
    string_or_strings,
    strings,
    whole_number,
)
from arborlink.formats.problems import Problems
from arborlink.formats.records import DocumentRecord, EntityRecord
from arborlink.formats.zeshel_pages import Page, page_files, read_pages, split_title, world_file, world_of
from arborlink.formats.zeshel_tokens import token_starts

_UNLABELLED = object()


class _Row(NamedTuple):
    """A line of a mentions file."""

    line: int
    id: str
    context: str
    world: str
    first: int
    last: int
    surface: str | None
    types: tuple[str, ...]
    entities: tuple[str, ...] | None
    extra: dict[str, object]


def read_documents(path: Path, problems: Problems) -> Iterator[DocumentRecord]:
    """Read the context pages of a mentions file, each once, in the order of their first mention."""
    if path.is_dir():
        raise InputError("a folder; give one of the files in its mentions folder", path)
    rows_of: dict[str, list[_Row]] = {}
    for line, record in read_json_lines(path, problems):
        try:
            row = _row(line, record)
        except InputError as error:
            problems.found(error.at(path, line))
        else:
            rows_of.setdefault(row.context, []).append(row)
    pages = _context_pages(path, rows_of, problems)
    for id_, rows in rows_of.items():
        page = next((pages[row.world, id_] for row in rows if (row.world, id_) in pages), None)
        mentions = _mentions(path, rows, pages, page, problems)
        if page is not None and mentions:
            extra: dict[str, object] = {"title": page.title, **page.others}
            yield DocumentRecord(path, rows[0].line, id_, page.text, mentions, extra)


def _row(line: int, record: dict[str, Any]) -> _Row:
    id_ = identifier(required(record, "mention_id", "a mention"), "mention_id")
    context = identifier(required(record, "context_document_id", "a mention"), "context_document_id")
    world = string(required(record, "corpus", "a mention"), "corpus")
    if world in ("", ".", "..") or "/" in world or "\\" in world:
        raise InputError(f'"corpus" of mention {id_!r} is {world!r}; expected the name of a world')
    first = whole_number(required(record, "start_index", "a mention"), "start_index")
    last = whole_number(required(record, "end_index", "a mention"), "end_index")
    surface = record.pop("text", None)
    types = string_or_strings(record.pop("types"), "types") if "types" in record else (world,)
    label = record.pop("label_document_id", _UNLABELLED)
    labels = strings(record.pop("label_document_ids", None), "label_document_ids")
    entities = labels or _gold(label)
    surface = None if surface is None else string(surface, "text")
    return _Row(line, id_, context, world, first, last, surface, types, entities, record)


def _gold(label: object) -> tuple[str, ...] | None:
    if label is _UNLABELLED:
        return None
    return () if label is None else (identifier(label, "label_document_id"),)


def _context_pages(
    path: Path, rows_of: dict[str, list[_Row]], problems: Problems
) -> dict[tuple[str, str], Page]:
    """The pages that mentions stand in, by world and id; only the worlds that are named are read."""
    folder = path.parent.parent / "documents"
    first_line: dict[str, int] = {}
    for rows in rows_of.values():
        for row in rows:
            first_line.setdefault(row.world, row.line)
    pages: dict[tuple[str, str], Page] = {}
    for world, line in first_line.items():
        file = world_file(folder, world)
        if file is None:
            raise InputError(f"world {world!r} has no file {folder / world}.json or .json.gz", path, line)
        for page in read_pages(file, problems):
            if page.id in rows_of and pages.setdefault((world, page.id), page) is not page:
                found = f"page id {page.id!r} stands twice, first at line {pages[world, page.id].line}"
                problems.found(InputError(found, file, page.line))
    return pages


def _mentions(
    path: Path,
    rows: list[_Row],
    pages: dict[tuple[str, str], Page],
    page: Page | None,
    problems: Problems,
) -> list[tuple[int, Mention]]:
    starts = [] if page is None else token_starts(page.text)
    mentions: list[tuple[int, Mention]] = []
    for row in rows:
        try:
            own = pages.get((row.world, row.context))
            if page is None or own is None:
                raise InputError(f"mention {row.id!r}: world {row.world!r} has no page {row.context!r}")
            if own.text != page.text:
                raise InputError(f"page {row.context!r} has another text in world {row.world!r} than before")
            mentions.append((row.line, _mention(row, page, starts)))
        except InputError as error:
            problems.found(error.at(path, row.line))
    return mentions


def _mention(row: _Row, page: Page, starts: list[int]) -> Mention:
    n_tokens = len(starts) - 1
    if not 0 <= row.first <= row.last < n_tokens:
        raise InputError(
            f"mention {row.id!r} covers tokens {row.first} to {row.last} but page {row.context!r} "
            f"has {n_tokens} tokens"
        )
    start, end = starts[row.first], starts[row.last + 1] - 1
    found = page.text[start:end]
    if row.surface is not None and _letters(found) != _letters(row.surface):
        raise InputError(
            f"mention {row.id!r} is {row.surface!r} but tokens {row.first} to {row.last} of page "
            f"{row.context!r} are {found!r}"
        )
    return Mention(row.id, start, end, row.types, row.entities, row.extra)


def _letters(text: str) -> str:
    """What must agree between a mention and the page: all but case and white space."""
    return "".join(text.split()).casefold()


def read_entities(path: Path, problems: Problems) -> Iterator[EntityRecord]:
    """Read the entities of one world, or of a folder of them; pages marked as context only are left out."""
    for file in page_files(path):
        world = world_of(file)
        for page in read_pages(file, problems):
            if not page.is_entity:
                continue
            try:
                entity = _entity(page, world)
            except InputError as error:
                problems.found(error.at(file, page.line))
            else:
                yield EntityRecord(file, page.line, entity)


def _entity(page: Page, world: str) -> Entity:
    leading, description = split_title(page.title, page.text)
    extra = dict(page.others)
    aliases = strings(extra.pop("aliases", None), "aliases")
    types = string_or_strings(extra.pop("types"), "types") if "types" in extra else (world,)
    if leading != page.title:
        extra["leading_title"] = leading
    return Entity(page.id, page.title, aliases, description, types, extra)
