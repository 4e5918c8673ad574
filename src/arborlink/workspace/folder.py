"""The folder of a workspace: what tells it from others."""

from __future__ import annotations

import json
from pathlib import Path

from arborlink.errors import InputError, WorkspaceError
from arborlink.files import write_text
from arborlink.workspace.array_files import ARRAYS
from arborlink.workspace.schema import FORMAT_VERSION
from arborlink.workspace.store import DATABASE

MARKER = "workspace.json"
_KIND = "arborlink-workspace"


def prepare_folder(folder: Path) -> None:
    """Make the folder for a new workspace, or take one that is empty or that a killed command left unfinished.

    Raises:
        InputError: it holds something else, or cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            is_ours = path.name in (MARKER, ARRAYS) or path.name.startswith(DATABASE)
            if not is_ours and not path.name.startswith(f".{MARKER}."):
                raise InputError(
                    f"holds {path.name}, which is not of a workspace; choose a new or empty folder", folder
                )
    except OSError as error:
        raise InputError(f"the workspace cannot be made: {error.strerror or error}", folder) from error


def write_marker(folder: Path) -> None:
    """Say what the folder is, for people and programs that look at it."""
    content = {"kind": _KIND, "format": FORMAT_VERSION, "database": DATABASE, "arrays": ARRAYS}
    with write_text(folder / MARKER) as stream:
        json.dump(content, stream, indent=2)
        stream.write("\n")


def check_folder(folder: Path) -> None:
    """Make sure that there is something to open.

    Raises:
        WorkspaceError: there is no workspace.
    """
    if not folder.is_dir():
        raise WorkspaceError(f"{folder}: no such folder; make a workspace with `arborlink workspace init`")
    if not (folder / DATABASE).is_file():
        raise WorkspaceError(
            f"{folder}: not a workspace, it has no {DATABASE}; make one with `arborlink workspace init`"
        )
