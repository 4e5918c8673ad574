"""Arrays beside the database: written whole under a new name, then named by the transaction that commits them."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.errors import WorkspaceError
from arborlink.files import sync_folder

ARRAYS = "arrays"
_SUFFIX = ".safetensors"

Arrays = dict[str, NDArray[Any]]


class ArrayFiles:
    """The array files of a workspace folder.

    A file is never changed: a new version of its content is a new file. Names carry the version of the workspace
    that brought them, so that a reader of an older version never reads a newer file by mistake.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / ARRAYS

    def write(
        self, connection: sqlite3.Connection, role: str, version: int, arrays: Mapping[str, Any]
    ) -> str:
        """Write a file, bring it to disk and enter it under its role; what has the role already stays entered."""
        from safetensors.numpy import save

        self.folder.mkdir(exist_ok=True)
        name = f"{role}-{version:08d}{_SUFFIX}"
        content = save({key: np.ascontiguousarray(array) for key, array in arrays.items()})
        with (self.folder / name).open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        sync_folder(self.folder)
        digest = blake2b(content, digest_size=16).hexdigest()
        connection.execute("INSERT INTO files VALUES (?, ?, ?, ?)", (name, role, len(content), digest))
        return name

    def forget(self, connection: sqlite3.Connection, names: Iterable[str]) -> None:
        """Strike files from the list; they are removed after the commit."""
        connection.executemany("DELETE FROM files WHERE name = ?", [(name,) for name in names])

    def listed(self, connection: sqlite3.Connection, role: str | None = None) -> list[str]:
        """Names of the files in force, of one role or all, the older first."""
        rows = connection.execute("SELECT name, role FROM files ORDER BY name")
        return [name for name, its_role in rows if role in (None, its_role)]

    def read(self, name: str) -> Arrays:
        """The arrays of a file.

        Raises:
            FileNotFoundError: a newer version has replaced it.
            WorkspaceError: it is damaged.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            return dict(load_file(self.folder / name))
        except FileNotFoundError as error:
            # the library does not say which
            raise FileNotFoundError(
                errno.ENOENT, os.strerror(errno.ENOENT), str(self.folder / name)
            ) from error
        except SafetensorError as error:
            raise WorkspaceError(
                f"{self.folder / name}: damaged ({error}); restore the folder from a copy"
            ) from error

    def sweep(self, kept: Iterable[str]) -> None:
        """Remove what is not in force, such as what a command that was killed left; only while nobody else writes."""
        in_force = set(kept)
        there = self.folder.glob(f"*{_SUFFIX}") if self.folder.is_dir() else ()
        self.remove(path.name for path in there if path.name not in in_force)

    def remove(self, names: Iterable[str]) -> None:
        """Remove files that are not in force any more."""
        for name in names:
            with suppress(OSError):  # on some systems a file that is being read stays until the next sweep
                (self.folder / name).unlink()

    def problems(self, connection: sqlite3.Connection) -> list[str]:
        """What is wrong with the files in force, each read whole."""
        found = []
        for name, size, digest in connection.execute("SELECT name, bytes, digest FROM files ORDER BY name"):
            try:
                content = (self.folder / name).read_bytes()
            except OSError as error:
                found.append(f"{ARRAYS}/{name} cannot be read: {error.strerror}")
                continue
            if len(content) != size or blake2b(content, digest_size=16).hexdigest() != digest:
                found.append(f"{ARRAYS}/{name} is not the file that was written")
        return found
