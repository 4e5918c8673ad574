"""A small gold corpus with every kind of label, and a way to write links for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase

WriteLines = Callable[..., Path]


@pytest.fixture
def kb() -> KnowledgeBase:
    return KnowledgeBase(Entity(f"E{number}", f"entity {number}") for number in range(4))


@pytest.fixture
def corpus() -> Corpus:
    """Eight mentions: four linkable (one composite), two outside, one NIL without cluster, one unlabelled."""
    drug, disease = ("Drug",), ("Disease",)
    first = Document(
        "d1",
        "aa bb cc dd",
        (
            Mention("d1.0", 0, 2, drug, ("E0",)),
            Mention("d1.1", 3, 5, drug, ("E1",)),
            Mention("d1.2", 6, 8, disease, ("E9", "E2")),
            Mention("d1.3", 9, 11, disease, ("NEW",)),
        ),
    )
    second = Document(
        "d2",
        "ee ff gg hh",
        (
            Mention("d2.0", 0, 2, drug, ("E0",)),
            Mention("d2.1", 3, 5, disease, ("NEW",)),
            Mention("d2.2", 6, 8, ("Odd",), ()),
            Mention("d2.3", 9, 11, (), None),
        ),
    )
    return Corpus([first, second])


@pytest.fixture
def write_lines(tmp_path: Path) -> WriteLines:
    """Write records as JSON Lines: ``write_lines("links.jsonl", {...}, {...})``."""

    def write(name: str, *records: object) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return path

    return write
