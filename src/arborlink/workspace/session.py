"""A workspace that is open: the last version in memory, one writer at a time, the model when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from arborlink.errors import ModelError, WorkspaceError
from arborlink.files import collector_paused
from arborlink.linker import Linker
from arborlink.workspace.array_files import ArrayFiles
from arborlink.workspace.changes import Changes
from arborlink.workspace.folder import check_folder, write_marker
from arborlink.workspace.identities import Step
from arborlink.workspace.loading import load, read_version
from arborlink.workspace.saving import save
from arborlink.workspace.settings import ModelChoice, WorkspaceSettings
from arborlink.workspace.snapshot import Snapshot
from arborlink.workspace.store import Store

# Times a reader starts over because a writer replaced a file under its hands.
_N_TRIES = 20

LoadLinker = Callable[[ModelChoice], Linker]


class Write:
    """A command that writes: the version it starts from, and the one it makes.

    Args:
        connection: inside a write transaction.
        files: the arrays.
        before: the version there is.
    """

    def __init__(self, connection: Connection, files: ArrayFiles, before: Snapshot) -> None:
        self.connection = connection
        self.before = before
        self.time = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.saved: Snapshot | None = None
        self.outdated: set[str] = set()
        self._files = files

    def save(self, step: Step, command: str, **told: Any) -> Changes:
        """Write the next version; it is in force when the transaction ends.

        Args:
            step: from the version there is to the next.
            command: what made it, for the log.
            told: fields of the changes that the step does not show.
        """
        linked, relinked = step.moves()
        changes = Changes(
            version=step.after.version, linked=linked, relinked=relinked, events=step.events, **told
        )
        listed = set(self._files.listed(self.connection))
        summary = {**changes.counts(), **({} if changes.decision is None else {"decision": changes.decision})}
        self.saved = save(self.connection, self._files, step, self.time, command, summary)
        self.outdated = listed - set(self._files.listed(self.connection))
        return changes


class Session:
    """The state behind a :class:`~arborlink.workspace.Workspace`.

    Args:
        folder: the workspace's.
        wait: seconds to wait for another writer.
        load_linker: loads a model.
    """

    def __init__(self, folder: Path, wait: float, load_linker: LoadLinker) -> None:
        self.folder = folder
        self.files = ArrayFiles(folder)
        self.store = Store(folder, wait)
        self._load_linker = load_linker
        self._snapshot: Snapshot | None = None
        self._linker: tuple[ModelChoice, Linker] | None = None

    def make(self, settings: WorkspaceSettings, first: Callable[[Write], object]) -> None:
        """Make the workspace with its first version, or nothing."""
        with self.store.making() as connection:
            self.files.sweep(())
            write = Write(connection, self.files, Snapshot.empty(settings))
            first(write)
            write_marker(self.folder)
        self._snapshot = write.saved

    @property
    def last_version(self) -> int:
        """The version that was last looked at; 0 before the first look."""
        return 0 if self._snapshot is None else self._snapshot.version

    def current(self) -> Snapshot:
        """The last committed version."""
        for _ in range(_N_TRIES):
            try:
                with self.store.reading() as connection:
                    self._snapshot = self._up_to_date(connection)
                    return self._snapshot
            except FileNotFoundError as error:
                missing = error.filename
        raise WorkspaceError(f"{missing}: the file is gone; restore the folder from a copy")

    def _up_to_date(self, connection: Connection) -> Snapshot:
        known = self._snapshot
        if known is not None and known.version == read_version(connection):
            return known
        return load(connection, self.files)

    @contextmanager
    def writing(self) -> Iterator[Write]:
        """A command that writes; committed at the end, forgotten if it raises.

        Raises:
            WorkspaceError: another process has been writing for too long, or a file is gone.
        """
        # the collector would walk all documents and entities over and over
        with self.store.writing() as connection, collector_paused():
            self.files.sweep(self.files.listed(connection))
            try:
                before = self._up_to_date(connection)
            except FileNotFoundError as error:
                raise WorkspaceError(
                    f"{error.filename}: the file is gone; restore the folder from a copy"
                ) from error
            write = Write(connection, self.files, before)
            yield write
        if write.saved is not None:
            self._snapshot = write.saved
            self.files.remove(write.outdated)

    def linker(self, choice: ModelChoice) -> Linker:
        """The model, loaded when it is first asked for."""
        if self._linker is None or self._linker[0] != choice:
            self._linker = choice, self._load_linker(choice)
        return self._linker[1]

    def same_linker(self, settings: WorkspaceSettings) -> Linker:
        """The model that the workspace was encoded with.

        Raises:
            ModelError: the model of that name is another by now.
        """
        linker = self.linker(settings.choice)
        found = linker.encoder.fingerprint
        if found != settings.fingerprint:
            raise ModelError(
                f"{self.folder}: the workspace was encoded with {settings.choice.name} as it was then "
                f"({settings.fingerprint}), which is another by now ({found}); encode it anew with "
                "`arborlink workspace reencode`"
            )
        return linker


def opened(folder: Path, wait: float, load_linker: LoadLinker) -> Session:
    """The session of a workspace that is there.

    Raises:
        WorkspaceError: it is not, or it is damaged or of another format.
    """
    check_folder(folder)
    session = Session(folder, wait, load_linker)
    try:
        with session.store.reading() as connection:
            read_version(connection)
    except BaseException:
        session.store.close()
        raise
    return session


def next_version(before: Snapshot) -> Snapshot:
    """The version after, the same but for its number."""
    return before.but(version=before.version + 1)
