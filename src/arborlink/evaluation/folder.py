"""Where links and candidates lie: a file, or a result folder that was written to its end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arborlink.errors import InputError
from arborlink.result.folder import CANDIDATES, LINKS, read_manifest, settings_of


def links_file(path: Path) -> Path:
    """The links file of a result folder; a file stands for itself.

    Raises:
        InputError: there is neither.
        ResultError: the folder is incomplete, changed, or of another version.
    """
    if not path.exists():
        raise InputError(
            "no such file or folder; give a links file or a result folder of `arborlink link`", path
        )
    if not path.is_dir():
        return path
    read_manifest(path)
    return path / LINKS


def candidates_file(path: Path) -> Path | None:
    """The candidates file of a result folder, if they were written; a links file has none of its own."""
    if not path.is_dir() or CANDIDATES not in read_manifest(path)["files"]:
        return None
    return path / CANDIDATES


def candidates_asked(settings: Mapping[str, Any]) -> int | None:
    """How many candidates a mention a result was asked for, if its settings say so."""
    asked = settings.get("candidates")
    return asked if type(asked) is int and asked > 0 else None


def candidates_asked_in(folder: Path) -> int | None:
    """The same, of a result folder."""
    return candidates_asked(settings_of(read_manifest(folder)))
