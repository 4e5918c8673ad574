"""Where links and candidates lie: a file, or a result folder that was written to its end."""

from __future__ import annotations

import json
from pathlib import Path

from arborlink.errors import InputError, ResultError
from arborlink.files import read_lines

MANIFEST = "manifest.json"


def links_file(path: Path) -> Path:
    """The links file of a result folder; a file stands for itself.

    Raises:
        InputError: there is neither.
        ResultError: the folder is incomplete: its manifest, which is written last, or its links are missing.
    """
    if not path.exists():
        raise InputError(
            "no such file or folder; give a links file or a result folder of `arborlink link`", path
        )
    if not path.is_dir():
        return path
    _check_manifest(path)
    found = _present(path, "links.jsonl")
    if found is None:
        raise ResultError(f"{path}: the result folder has no links.jsonl; run `arborlink link` again")
    return found


def candidates_file(path: Path) -> Path | None:
    """The candidates file of a result folder, if they were written; a links file has none of its own."""
    return _present(path, "candidates.jsonl") if path.is_dir() else None


def _present(folder: Path, name: str) -> Path | None:
    return next((file for file in (folder / name, folder / f"{name}.gz") if file.is_file()), None)


def _check_manifest(folder: Path) -> None:
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise ResultError(
            f"{folder}: the result folder is incomplete, it has no {MANIFEST}; run `arborlink link` again"
        )
    try:
        content = json.loads("\n".join(text for _, text in read_lines(manifest)))
    except (InputError, ValueError, RecursionError) as error:
        raise ResultError(f"{manifest}: not readable ({error}); run `arborlink link` again") from error
    if not isinstance(content, dict):
        raise ResultError(f"{manifest}: expected a JSON object; run `arborlink link` again")
