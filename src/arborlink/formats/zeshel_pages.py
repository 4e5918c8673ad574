"""The pages of ZeShEL's worlds: ``documents/<world>.json``, one page per line.

::

    {"title": "Tower", "text": "Tower A tower is ...", "document_id": "76776559DE2F16E7"}

Every page is an entity of its world unless it says ``"entity": false``; any may be the context of mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arborlink.errors import InputError
from arborlink.formats.json_fields import identifier, kind_of, read_json_lines, required, string
from arborlink.formats.problems import Problems

SUFFIXES = (".json", ".json.gz")


class Page(NamedTuple):
    """One page; ``others`` are the fields that ZeShEL does not have."""

    line: int
    id: str
    title: str
    text: str
    is_entity: bool
    others: dict[str, object]

    def as_object(self) -> dict[str, object]:
        """The page as it stands in a file."""
        core: dict[str, object] = {"title": self.title, "text": self.text, "document_id": self.id}
        if not self.is_entity:
            core["entity"] = False
        return core | {k: v for k, v in self.others.items() if k not in core and k != "entity"}


def read_pages(path: Path, problems: Problems) -> Iterator[Page]:
    """Read the pages of one world."""
    for line, record in read_json_lines(path, problems):
        try:
            id_ = identifier(required(record, "document_id", "a page"), "document_id")
            title = string(required(record, "title", "a page"), "title")
            text = string(required(record, "text", "a page"), "text")
            is_entity = record.pop("entity", True)
            if type(is_entity) is not bool:
                raise InputError(f'"entity" of page {id_!r} is {kind_of(is_entity)}; expected true or false')
        except InputError as error:
            problems.found(error.at(path, line))
        else:
            yield Page(line, id_, title, text, is_entity, record)


def world_of(path: Path) -> str:
    """The world a file of pages belongs to: its name."""
    return re.sub(r"\.json(\.gz)?$", "", path.name)


def world_file(folder: Path, world: str) -> Path | None:
    """The file of a world, plain or packed, if it is there."""
    candidates = (folder / f"{world}{suffix}" for suffix in SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


def page_files(path: Path) -> list[Path]:
    """The files of pages under a path: a file itself, all worlds of a folder, or of its ``documents``."""
    if not path.is_dir():
        return [path]
    folder = path / "documents" if (path / "documents").is_dir() else path
    files = sorted(file for file in folder.iterdir() if file.name.endswith(SUFFIXES) and file.is_file())
    if not files:
        raise InputError("the folder holds no <world>.json; expected ZeShEL's documents folder", path)
    return files


def split_title(title: str, text: str) -> tuple[str, str]:
    """Cut the title off the front of a page's text: (the title as it stands there, the rest).

    ZeShEL repeats each title at the start of the text with its punctuation set apart: "Crown (short)" stands
    there as "Crown ( short )". A text that does not begin so is all rest.
    """
    end = len(title) if text == title or text.startswith(f"{title} ") else _end_of_title(title, text)
    if end is None:
        return "", text
    # "Tower " has no rest, and the blank must not be lost
    return (text, "") if text[end:] in ("", " ") else (text[:end], text[end + 1 :])


def _end_of_title(title: str, text: str) -> int | None:
    """Where a title that stands there with other white space ends, if it ends with a token."""
    letters = "".join(title.split())
    end = 0
    for letter in letters:
        while text[end : end + 1].isspace():
            end += 1
        if text[end : end + 1] != letter:
            return None
        end += 1
    return end if letters and text[end : end + 1] in ("", " ") else None
