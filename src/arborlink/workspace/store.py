"""The database of a workspace: one writer at a time, readers whenever they like, all of a command or nothing."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arborlink.errors import WorkspaceError
from arborlink.workspace.schema import APPLICATION_ID, FORMAT_VERSION, TABLES

DATABASE = "workspace.sqlite"


class Store:
    """Connections to the database of a folder.

    A write transaction holds SQLite's write lock from its beginning: a second writer waits, then is told so. With
    the write-ahead log readers see the last committed state meanwhile. The operating system takes the lock from a
    process that dies, and the next connection forgets what it had not committed.

    Args:
        folder: the workspace's.
        wait: seconds to wait for another writer.
    """

    def __init__(self, folder: Path, wait: float) -> None:
        self.folder = folder
        self.wait = wait
        self._readers, self._writers = threading.RLock(), threading.RLock()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None

    @contextmanager
    def making(self) -> Iterator[sqlite3.Connection]:
        """A write transaction in a new database, whose tables are there, empty; nothing is made unless it commits.

        Raises:
            WorkspaceError: there is a workspace already.
        """
        with self._writers, self._told():
            self._writer = self._connect(mode="rwc")
            self._writer.execute("PRAGMA journal_mode = WAL")
        with self.writing() as connection:
            if connection.execute("SELECT name FROM sqlite_master").fetchone() is not None:
                raise WorkspaceError(
                    f"{self.folder}: there is a workspace already; add to it, or choose another folder"
                )
            for statement in filter(str.strip, TABLES.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees one committed state, whatever is written meanwhile."""
        with self._readers, self._told():
            if self._reader is None:
                self._reader = self._checked()
            self._reader.execute("BEGIN")
            try:
                yield self._reader
            finally:
                self._reader.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that nobody else writes beside; committed at the end, rolled back by an exception.

        Raises:
            WorkspaceError: another process writes for longer than the wait, or the database cannot be written.
        """
        with self._writers, self._told():
            if self._writer is None:
                self._writer = self._checked()
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            finally:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the database."""
        with self._readers, self._writers:
            for connection in filter(None, (self._reader, self._writer)):
                with suppress(sqlite3.Error):
                    connection.close()
            self._reader = self._writer = None

    def __del__(self) -> None:
        self.close()

    def _checked(self) -> sqlite3.Connection:
        connection = self._connect(mode="rw")
        found = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if found != APPLICATION_ID:
            connection.close()
            raise WorkspaceError(f"{self.folder / DATABASE}: not the database of a workspace")
        if version != FORMAT_VERSION:
            connection.close()
            raise WorkspaceError(
                f"{self.folder}: a workspace of format {version}, but this ArborLink reads format {FORMAT_VERSION}; "
                "export it with the version that made it"
            )
        return connection

    def _connect(self, mode: str) -> sqlite3.Connection:
        address = f"{(self.folder / DATABASE).absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, timeout=self.wait, check_same_thread=False
        )
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what SQLite raises into words a user can act on."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise WorkspaceError(
                    f"{self.folder}: another process has been writing this workspace for more than {self.wait:g} "
                    "seconds; try again when it is done"
                ) from error
            raise WorkspaceError(f"{self.folder / DATABASE}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise WorkspaceError(
                f"{self.folder / DATABASE}: the database is damaged ({error}); restore the folder from a copy"
            ) from error


def is_made(folder: Path) -> bool:
    """Whether there is a database in the folder, be it of a command that was killed."""
    return (folder / DATABASE).exists()
