"""Where links and candidates lie: a file, or a result folder that was written to its end."""

from __future__ import annotations

from pathlib import Path

from arborlink.errors import InputError
from arborlink.result.folder import CANDIDATES, LINKS, read_manifest


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
