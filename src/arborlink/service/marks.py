"""Review marks: discoveries that a reviewer was unsure about, kept beside the workspace.

Being unsure states nothing about mentions, so it is no decision of the workspace and never enters a partition. A mark
holds for the version of a discovery that was looked at; a discovery that has changed since is to be looked at anew.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from arborlink.errors import WorkspaceError

MARKS_FILE = "review.sqlite"
_APPLICATION_ID = 0x41524D4B
_TABLE = """
CREATE TABLE IF NOT EXISTS unsure (
    discovery TEXT PRIMARY KEY, version INTEGER NOT NULL, time TEXT NOT NULL, author TEXT
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """Somebody was unsure about a discovery as it was at a version."""

    discovery: str
    version: int
    time: str
    author: str | None


class Marks:
    """The marks of a workspace, in a small database of their own; several processes may share it.

    Every change is one transaction that is on disk when the call returns.

    Args:
        folder: the workspace's.
        wait: seconds to wait for another process that writes.
    """

    def __init__(self, folder: Path, wait: float = 10.0) -> None:
        self.path = folder / MARKS_FILE
        self._lock = threading.Lock()
        with self._told():
            self._connection = sqlite3.connect(
                self.path, timeout=wait, isolation_level=None, check_same_thread=False
            )
            self._prepare()

    def all(self) -> Mapping[str, Mark]:
        """Every mark, by the id of its discovery."""
        with self._lock, self._told():
            rows = self._connection.execute("SELECT discovery, version, time, author FROM unsure").fetchall()
        return {row[0]: Mark(*row) for row in rows}

    def put(self, discovery: str, version: int, author: str | None) -> None:
        """Mark a discovery at a version, instead of an earlier mark."""
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        row = (discovery, version, time, author)
        with self._lock, self._told():
            self._connection.execute("INSERT OR REPLACE INTO unsure VALUES (?, ?, ?, ?)", row)

    def remove(self, discovery: str) -> None:
        """Take a mark back; it is no matter if there is none."""
        with self._lock, self._told():
            self._connection.execute("DELETE FROM unsure WHERE discovery = ?", (discovery,))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def _prepare(self) -> None:
        found = self._connection.execute("PRAGMA application_id").fetchone()[0]
        if found not in (0, _APPLICATION_ID):
            raise WorkspaceError(f"{self.path}: not the review marks of a workspace; move it away")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(_TABLE)
        self._connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise WorkspaceError(f"{self.path}: {error}") from error
