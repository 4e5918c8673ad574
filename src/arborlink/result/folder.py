"""A result on disk: ``links.jsonl``, ``clusters.jsonl``, perhaps ``candidates.jsonl``, and ``manifest.json``.

Every file is written under another name and renamed when whole; the manifest, with the size and hash of each of the
others, goes away before the first rename and comes back after the last. So a folder with a manifest is complete,
and one without is not, whatever moment the writing was killed at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

from arborlink.errors import InputError, ResultError
from arborlink.files import read_lines, write_text

MANIFEST = "manifest.json"
LINKS, CLUSTERS, CANDIDATES = "links.jsonl", "clusters.jsonl", "candidates.jsonl"
_KIND, _VERSION = "arborlink-result", 1


def write_folder(
    folder: Path, files: Mapping[str, Iterable[Mapping[str, Any]]], manifest: Mapping[str, Any]
) -> None:
    """Write JSONL files and their manifest; files of an earlier result that are not written again are removed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as renames:
            for name, records in files.items():
                stream = renames.enter_context(write_text(folder / name))
                for record in records:
                    stream.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
            (folder / MANIFEST).unlink(missing_ok=True)
        for stale in {LINKS, CLUSTERS, CANDIDATES} - set(files):
            (folder / stale).unlink(missing_ok=True)
        listing = {name: _identity(folder / name) for name in sorted(files)}
        with write_text(folder / MANIFEST) as stream:
            head = {"kind": _KIND, "version": _VERSION}
            json.dump({**head, **manifest, "files": listing}, stream, indent=2, ensure_ascii=False)
            stream.write("\n")
    except OSError as error:
        raise InputError(f"the result cannot be written: {error.strerror}", folder) from error


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a complete folder; raises ResultError for any other."""
    again = "run `arborlink link` again"
    path = folder / MANIFEST
    if not folder.is_dir():
        raise ResultError(f"{folder}: no such result folder")
    if not path.is_file():
        raise ResultError(f"{folder}: the result folder is incomplete, it has no {MANIFEST}; {again}")
    try:
        manifest = json.loads("\n".join(text for _, text in read_lines(path)))
        kind, version = manifest["kind"], manifest["version"]
    except (InputError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ResultError(f"{path}: not a result's manifest ({error!r}); {again}") from error
    if kind != _KIND or version != _VERSION:
        raise ResultError(f"{path}: {kind} {version}, but this ArborLink reads {_KIND} {_VERSION}; {again}")
    for name, identity in manifest.get("files", {}).items():
        if not (folder / name).is_file() or _identity(folder / name) != identity:
            raise ResultError(f"{folder / name}: not the file the manifest lists; {again}")
    return dict(manifest)


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of one of the JSONL files."""
    for number, line in read_lines(path):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise InputError(f"broken JSON: {error}", path, number) from error


def _identity(path: Path) -> dict[str, Any]:
    digest = sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return {"bytes": path.stat().st_size, "sha256": digest.hexdigest()}
