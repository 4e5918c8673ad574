"""Reading PubTator: title and abstract lines, then one tab-separated line per mention.

::

    227508|t|Naloxone reverses the antihypertensive effect of clonidine.
    227508|a|In unanesthetized, spontaneously hypertensive rats ...
    227508	0	8	Naloxone	Chemical	D009270
    227508	CID	D008750	D007022

The document's text is title, one blank, abstract: that is what the offsets count. ``extra`` keeps the title's
length and the relations of a document, and of a mention the columns that follow the identifier and the
identifier itself where ArborLink would write it otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arborlink.document import Mention, mention_id
from arborlink.errors import InputError
from arborlink.files import read_lines
from arborlink.formats.problems import Problems
from arborlink.formats.pubtator_columns import join_identifiers, split_identifiers, split_types
from arborlink.formats.pubtator_offsets import Span, fits, to_code_points, unit_that_fits
from arborlink.formats.records import DocumentRecord

HEADER = re.compile(r"([^|\t]*)\|([ta])\|(.*)", re.DOTALL)
_NUMBER = re.compile(r"-?\d{1,18}")
_RELATION_COLUMNS = (4, 5)


@dataclass(slots=True)
class _Block:
    """The lines of one document."""

    line: int
    id: str
    title: str = ""
    abstract: str | None = None
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    usable: bool = True


def read_documents(path: Path, problems: Problems) -> Iterator[DocumentRecord]:
    """Read documents; a title line begins one, blank lines mean nothing."""
    for block in _blocks(path, problems):
        if block.usable:
            yield _document(path, block, problems)


def _blocks(path: Path, problems: Problems) -> Iterator[_Block]:
    block: _Block | None = None
    for line, text in read_lines(path):
        if not text or text.isspace():
            continue
        header = HEADER.fullmatch(text)
        if header is None:
            _add_row(block, line, text, path, problems)
            continue
        id_, kind, content = header.groups()
        if kind == "a" and block is not None and block.id == id_:
            _add_abstract(block, content, line, path, problems)
            continue
        if block is not None:
            yield block
        block = _Block(line, id_, content, usable=kind == "t")
        if kind == "a":
            found = f"the abstract of document {id_!r} has no title line before it; expected {id_}|t|..."
            problems.found(InputError(found, path, line))
    if block is not None:
        yield block


def _add_abstract(block: _Block, content: str, line: int, path: Path, problems: Problems) -> None:
    if block.abstract is None:
        block.abstract = content
    elif block.usable:
        block.usable = False
        problems.found(InputError(f"document {block.id!r} has a second abstract", path, line))


def _add_row(block: _Block | None, line: int, text: str, path: Path, problems: Problems) -> None:
    columns = text.split("\t")
    if len(columns) < 2:
        found = f"found {text[:60]!r}; expected id|t|title, id|a|abstract or a mention with tabs"
        problems.found(InputError(found, path, line))
    elif block is None or columns[0] != block.id:
        where = "before any title line" if block is None else f"among the lines of document {block.id!r}"
        problems.found(InputError(f"a line of document {columns[0]!r} stands {where}", path, line))
    else:
        block.rows.append((line, columns))


def _document(path: Path, block: _Block, problems: Problems) -> DocumentRecord:
    text = block.title if block.abstract is None else f"{block.title} {block.abstract}"
    extra: dict[str, object] = {"title_length": len(block.title)}
    relations = [columns[1:] for _, columns in block.rows if _is_relation(columns)]
    if relations:
        extra["relations"] = relations
    rows = [(line, columns) for line, columns in block.rows if not _is_relation(columns)]
    mentions = _mentions(path, block.id, text, rows, problems)
    return DocumentRecord(path, block.line, block.id, text, mentions, extra)


def _is_relation(columns: list[str]) -> bool:
    return len(columns) in _RELATION_COLUMNS and columns[1][:1].isalpha()


def _mentions(
    path: Path, document_id: str, text: str, rows: list[tuple[int, list[str]]], problems: Problems
) -> list[tuple[int, Mention]]:
    read: list[tuple[int, str, list[str], Span]] = []
    for position, (line, columns) in enumerate(rows):
        try:
            read.append((line, mention_id(document_id, position), columns, _span(columns)))
        except InputError as error:
            problems.found(error.at(path, line))
    mentions: list[tuple[int, Mention]] = []
    spans = to_code_points(text, [span for *_, span in read])
    for (line, id_, columns, _), span in zip(read, spans, strict=True):
        try:
            mentions.append((line, _mention(id_, text, span, columns)))
        except InputError as error:
            problems.found(error.at(path, line))
    return mentions


def _span(columns: list[str]) -> Span:
    if len(columns) < 5:
        raise InputError(
            f"a mention line has {len(columns)} columns; expected id, start, end, text, type, identifier"
        )
    start, end, surface = columns[1:4]
    if not (_NUMBER.fullmatch(start) and _NUMBER.fullmatch(end)):
        raise InputError(f"a mention starts at {start!r} and ends at {end!r}; expected whole numbers")
    return Span(int(start), int(end), surface)


def _mention(id_: str, text: str, span: Span, columns: list[str]) -> Mention:
    raw = columns[5] if len(columns) > 5 else ""
    extra: dict[str, object] = {}
    entities = split_identifiers(raw)
    if join_identifiers(entities) != raw:
        extra["identifier"] = raw
    if len(columns) > 6:
        extra["more_columns"] = columns[6:]
    mention = Mention(id_, span.start, span.end, split_types(columns[4]), entities, extra)
    # a span past the end is told by the document, which knows its length
    if span.end <= len(text) and not fits(text, span):
        raise InputError(_mismatch(text, span))
    return mention


def _mismatch(text: str, span: Span) -> str:
    found = text[span.start : span.end]
    message = f"the mention is {span.surface!r} but the text at {span.start}..{span.end} is {found!r}"
    unit = unit_that_fits(text, span)
    if unit is None:
        return f"{message}; offsets count characters of title, one blank, abstract"
    return f"{message}; it would fit if offsets counted {unit}: convert them to characters"
