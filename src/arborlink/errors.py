"""The errors ArborLink raises on purpose.

::

    ArborLinkError             anything a user can act on; the command line prints it in one line, exit status 2
    ├── InputError             a file, a record or a value that cannot be used; names the file and line it knows
    │   └── ConflictError      a decision about something that has changed since its author looked
    ├── ModelError             an encoder that cannot be loaded or is not what it claims to be
    ├── ResultError            a result folder that is missing, incomplete or of another version
    ├── TrainingError          a training that cannot go on
    └── WorkspaceError         a workspace that is missing, in use, damaged or of another version

Every message says where, what was found, what was expected and what to do.
"""

from __future__ import annotations

from pathlib import Path


class ArborLinkError(Exception):
    """The root of the tree."""


class InputError(ArborLinkError):
    """Input that cannot be used.

    Args:
        message: what was found and what was expected.
        path: the file it was found in, if it came from a file.
        line: the line of that file, counted from 1, if the format has lines.
    """

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = None if path is None else Path(path)
        self.line = line

    def __str__(self) -> str:
        where = (
            "" if self.path is None else f"{self.path}:" if self.line is None else f"{self.path}:{self.line}:"
        )
        return f"{where} {self.message}" if where else self.message

    def at(self, path: str | Path, line: int | None = None) -> InputError:
        """The same error, with the place it came from filled in where it was not known yet."""
        return InputError(self.message, self.path or path, self.line if self.line is not None else line)


class ConflictError(InputError):
    """A decision about something that has changed since its author looked at it.

    Args:
        message: what changed.
        current_version: the version it has now.
        changes: what happened since, one line each.
    """

    def __init__(self, message: str, current_version: int = 0, changes: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.current_version = current_version
        self.changes = changes


class ModelError(ArborLinkError):
    """An encoder that cannot be loaded, or whose weights are not the expected ones."""


class ResultError(ArborLinkError):
    """A result folder that is missing, incomplete or written by another version."""


class TrainingError(ArborLinkError):
    """A training that cannot go on: its loss or its weights are no finite numbers any more."""


class WorkspaceError(ArborLinkError):
    """A workspace that is missing, in use by another process, damaged or written by another version."""
