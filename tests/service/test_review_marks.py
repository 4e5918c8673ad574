"""Review marks: kept beside the workspace, by whatever process."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from arborlink.errors import WorkspaceError
from arborlink.service.marks import MARKS_FILE, Marks


def test_marks_are_there_for_the_next_one(tmp_path: Path) -> None:
    first = Marks(tmp_path)
    first.put("new-000001", 3, "ada")
    first.put("new-000002", 4, None)
    first.put("new-000001", 5, "bob")
    second = Marks(tmp_path)
    assert {mark.discovery: (mark.version, mark.author) for mark in second.all().values()} == {
        "new-000001": (5, "bob"),
        "new-000002": (4, None),
    }
    second.remove("new-000002")
    second.remove("new-000009")
    assert set(first.all()) == {"new-000001"}
    first.close()
    second.close()


def test_hostile_ids_are_only_text(tmp_path: Path) -> None:
    marks = Marks(tmp_path)
    marks.put("'; DROP TABLE unsure; --", 1, "\x00<script>")
    assert set(marks.all()) == {"'; DROP TABLE unsure; --"}
    marks.close()


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / MARKS_FILE)
    other.execute("PRAGMA application_id = 7")
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(WorkspaceError, match="not the review marks"):
        Marks(tmp_path)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / MARKS_FILE).write_bytes(b"no database at all, but long enough to be looked at" * 50)
    with pytest.raises(WorkspaceError, match=MARKS_FILE):
        Marks(tmp_path)
