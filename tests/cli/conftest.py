"""A small world of files, and ``arborlink link`` on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RunCommand = Callable[..., Any]

KB = [
    {"id": "Q1", "name": "Ada Lovelace", "aliases": ["Ada"], "types": ["Person"]},
    {"id": "Q2", "name": "Bob", "types": ["Person"]},
    {"id": "Q3", "name": "London", "types": ["Place"]},
]
DOCUMENTS = [
    {
        "id": "d1",
        "text": "Ada met Bob in London.",
        "mentions": [
            {"id": "ada", "start": 0, "end": 3, "type": "Person"},
            {"start": 8, "end": 11, "type": "Person"},
            {"id": "london", "start": 15, "end": 21, "type": "Place"},
        ],
    },
    {"id": "d2", "text": "Ada Lovelace left.", "mentions": [{"start": 0, "end": 12, "type": "Person"}]},
]


def put(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    put(tmp_path / "kb.jsonl", KB)
    put(tmp_path / "documents.jsonl", DOCUMENTS)
    return tmp_path


@pytest.fixture
def link(run_command: RunCommand, world: Path) -> RunCommand:
    """``link("--model", ..., documents=path)``: links the world's files into ``world / "out"``."""

    def run(*options: object, **files: object) -> Any:
        given = {"kb": world / "kb.jsonl", "documents": world / "documents.jsonl", "output": world / "out"}
        paths = [part for name, path in (given | files).items() for part in (f"--{name}", path)]
        return run_command("link", *paths, *options)

    return run
