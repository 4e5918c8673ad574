"""Writing PubTator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from arborlink.document import Document, Mention
from arborlink.errors import InputError
from arborlink.files import write_text
from arborlink.formats.pubtator_columns import (
    join_identifiers,
    join_types,
    split_identifiers,
    split_types,
    without_prefix,
)

_LINE_END = re.compile(r"[\r\n]")
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=\S)")


def write_documents(documents: Iterable[Document], path: Path) -> None:
    """Write documents as title line, abstract line, mentions and relations, with a blank line after each.

    Line ends inside a text become blanks, so offsets stay. Mention ids and other extra fields are not kept.
    """
    with write_text(path) as out:
        for document in documents:
            out.write("\n".join(_lines(document)) + "\n\n")


def _lines(document: Document) -> Iterator[str]:
    id_ = document.id
    if re.search(r"[|\t\r\n]", id_):
        raise InputError(f"document id {id_!r} cannot stand in PubTator: it holds a bar, a tab or a line end")
    split = _title_length(document)
    text = _LINE_END.sub(" ", document.text)
    yield f"{id_}|t|{text[:split]}"
    if split < len(text):
        yield f"{id_}|a|{text[split + 1 :]}"
    for mention in document.mentions:
        surface = re.sub(r"[\t\r\n]", " ", document.text_of(mention))
        columns = [id_, str(mention.start), str(mention.end), surface, _types(mention), _identifier(mention)]
        yield "\t".join(columns + _columns(mention.extra.get("more_columns")))
    relations = document.extra.get("relations")
    for relation in relations if isinstance(relations, list) else ():
        columns = _columns(relation)
        if columns:
            yield "\t".join([id_, *columns])


def _title_length(document: Document) -> int:
    """Where the title ends: as it was read, else at the first line end, else after the first sentence.

    The character there is the blank between title and abstract; a text without one is all title.
    """
    text, length = document.text, document.extra.get("title_length")
    if type(length) is int and (length == len(text) or (0 <= length < len(text) and text[length] in " \r\n")):
        return length
    boundary = _LINE_END.search(text) or _SENTENCE_END.search(text)
    return boundary.start() if boundary else len(text)


def _types(mention: Mention) -> str:
    column = join_types(mention.types)
    if "\t" in column or _LINE_END.search(column) or split_types(column) != mention.types:
        raise InputError(
            f"the types {mention.types!r} of mention {mention.id!r} cannot stand in PubTator: "
            "a comma separates types, a tab columns"
        )
    return column


def _identifier(mention: Mention) -> str:
    raw = mention.extra.get("identifier")
    # as it was read, unless the label was changed since
    if (
        isinstance(raw, str)
        and split_identifiers(raw) == mention.entities
        and not re.search(r"[\t\r\n]", raw)
    ):
        return raw
    column = join_identifiers(mention.entities)
    bare = None if mention.entities is None else tuple(without_prefix(id_) for id_ in mention.entities)
    if re.search(r"[\t\r\n]", column) or split_identifiers(column) != bare:
        raise InputError(
            f"the entities {mention.entities!r} of mention {mention.id!r} cannot stand in PubTator: "
            "a bar separates ids, a tab columns, and -1 is no id"
        )
    return column


def _columns(value: object) -> list[str]:
    """Columns kept from reading; anything else under that name is not PubTator's."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [re.sub(r"[\t\r\n]", " ", item) for item in value]
    return []
