"""Which format a file or folder is in, by what it holds, then by its name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, NamedTuple

from arborlink.errors import InputError
from arborlink.files import read_lines
from arborlink.formats.json_fields import parse_object
from arborlink.formats.pubtator import HEADER
from arborlink.formats.rrf import find_table
from arborlink.formats.zeshel_pages import SUFFIXES

Role = Literal["documents", "kb"]

DOCUMENT_FORMATS: tuple[str, ...] = ("jsonl", "pubtator", "zeshel")
"""The formats documents can be read from; all of them can be written."""

ENTITY_FORMATS: tuple[str, ...] = ("jsonl", "zeshel", "umls")
"""The formats a knowledge base can be read from; all but ``umls`` can be written."""

ROLE_NAMES = {"documents": "documents", "kb": "a knowledge base"}
_CONCEPT_ROW = re.compile(r"C\d{7}\|[A-Z]{3}\|[PS]\|")


class Guess(NamedTuple):
    """A format, and what the file holds in it where that is beyond doubt."""

    format: str
    role: Role | None


def formats_of(role: str) -> tuple[str, ...]:
    """The formats a role can be read from."""
    if role not in ROLE_NAMES:
        raise InputError(f"unknown role {role!r}; expected documents or kb")
    return DOCUMENT_FORMATS if role == "documents" else ENTITY_FORMATS


def check_format(format: str, role: str, path: Path | None = None) -> str:
    """The format, if it is one that the role has."""
    formats = formats_of(role)
    if format in formats:
        return format
    held = "documents" if format in DOCUMENT_FORMATS else "kb" if format in ENTITY_FORMATS else None
    what = f"unknown format {format!r}" if held is None else f"{format} holds {ROLE_NAMES[held]}"
    raise InputError(f"{what}; the formats of {ROLE_NAMES[role]} are {', '.join(formats)}", path)


def detect_format(path: str | Path, role: str) -> str:
    """The format that documents (``role="documents"``) or a knowledge base (``"kb"``) stand in.

    Raises:
        InputError: there is no such file, it tells no format, or it holds the other role.
    """
    path = Path(path)
    formats = formats_of(role)
    guess = guess_format(path)
    if guess is None:
        raise InputError(
            f"the format is not plain from the content or the name; {ROLE_NAMES[role]} can be "
            f"{', '.join(formats)}: name one with --format (convert: --from){_hint(path)}",
            path,
        )
    if guess.role is not None and guess.role != role:
        raise InputError(
            f"this is {ROLE_NAMES[guess.role]} ({guess.format}) where {ROLE_NAMES[role]} should be given",
            path,
        )
    return check_format(guess.format, role, path)


def guess_format(path: Path) -> Guess | None:
    """What the path most plainly is, or ``None``."""
    if not path.exists():
        raise InputError("there is no such file or folder", path)
    if path.is_dir():
        return _guess_folder(path)
    first = next((line for _, line in read_lines(path) if line and not line.isspace()), None)
    named = guess_from_name(path)
    if first is None:
        # nothing in it: every format reads it alike
        return named or Guess("jsonl", None)
    # first of all, because a string of JSON may hold what makes a line of PubTator
    if first.lstrip().startswith("{"):
        guess = _guess_object(first)
        return guess or (named if named is not None and named.format == "jsonl" else None)
    if HEADER.match(first):
        return Guess("pubtator", "documents")
    if _CONCEPT_ROW.match(first):
        return Guess("umls", "kb")
    return named if named is not None and named.format != "zeshel" else None


def guess_from_name(path: Path) -> Guess | None:
    """What a file of this name should hold; the file need not exist."""
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(".jsonl"):
        return Guess("jsonl", None)
    if name.removesuffix(".txt").endswith(".pubtator"):
        return Guess("pubtator", "documents")
    if name.endswith(".json") and path.parent.name.startswith("mentions"):
        return Guess("zeshel", "documents")
    if path.name == "documents" or (name.endswith(".json") and path.parent.name == "documents"):
        return Guess("zeshel", "kb")
    return None


def _guess_object(line: str) -> Guess | None:
    try:
        fields = parse_object(line).keys()
    except InputError:
        return None
    if {"mention_id", "context_document_id"} <= fields:
        return Guess("zeshel", "documents")
    if {"document_id", "title"} <= fields:
        return Guess("zeshel", "kb")
    like_document, like_entity = not fields.isdisjoint(("text", "mentions")), "name" in fields
    if "id" not in fields or not (like_document or like_entity):
        return None
    # an entity may have a field "text" of its own, and a document a "name"
    return Guess("jsonl", None if like_document == like_entity else "documents" if like_document else "kb")


def _guess_folder(path: Path) -> Guess | None:
    if find_table(path, "MRCONSO") is not None:
        return Guess("umls", "kb")
    if (path / "documents").is_dir():
        return Guess("zeshel", "kb")
    pages = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES) and file.is_file())
    guess = guess_format(pages[0]) if pages else None
    return guess if guess == Guess("zeshel", "kb") else None


def _hint(path: Path) -> str:
    if path.is_file():
        first = next((line for _, line in read_lines(path)), "").lstrip()
        if first.startswith("["):
            return "; it looks like a JSON array, of which jsonl wants each object on a line of its own"
        if first.strip() == "{":
            return "; it looks like JSON over several lines, of which jsonl wants each object on one line"
    return ""
