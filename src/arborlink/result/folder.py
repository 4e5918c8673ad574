"""A result on disk: ``links.jsonl``, ``clusters.jsonl``, perhaps ``candidates.jsonl``, and ``manifest.json``.

All files, the manifest with the size and hash of each of the others among them, are first written whole into a
hidden folder inside the result's. Only then does an earlier manifest go away, the files take their places, and the
new manifest comes last. So a folder with a manifest is complete and one without is not, whatever moment the writing
was killed at; and what goes wrong before (a full disk, a value that cannot be written) leaves an earlier result as
it was.

While the files take their places a hidden mark stands in the folder. By it the next run knows the files of a killed
one: without a mark or a manifest they might be anybody's, and are not touched.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from arborlink.errors import InputError, ResultError
from arborlink.files import partial_path, read_lines, sync_folder, write_text

MANIFEST = "manifest.json"
LINKS, CLUSTERS, CANDIDATES = "links.jsonl", "clusters.jsonl", "candidates.jsonl"
NAMES = (LINKS, CLUSTERS, CANDIDATES, MANIFEST)
_MARK = ".arborlink-result"
_KIND, _VERSION = "arborlink-result", 1
_AGAIN = "run `arborlink link` again"
# What the manifest holds of its own beside the settings.
_OWN_FIELDS = ("kind", "version", "files")


def write_folder(
    folder: Path, files: Mapping[str, Iterable[Mapping[str, Any]]], settings: Mapping[str, Any]
) -> None:
    """Write JSONL files and their manifest; files of an earlier result that are not written again are removed.

    Raises:
        InputError: the folder cannot be written, or holds files of these names that no result brought there.
    """
    from shutil import rmtree

    refuse_foreign_files(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        staging = partial_path(folder / MANIFEST)
        try:
            staging.mkdir()
            for name, records in files.items():
                _write_records(staging / name, records)
            _write_manifest(staging, files, settings)
            _publish(staging, folder, files.keys())
        finally:
            rmtree(staging, ignore_errors=True)
    except OSError as error:
        raise InputError(f"the result cannot be written: {error.strerror or error}", folder) from error


def refuse_foreign_files(folder: Path) -> None:
    """Stop where writing a result would take away a file that is not of an earlier result.

    Raises:
        InputError: there is such a file.
    """
    if (folder / _MARK).exists():
        return
    ours = _names_of_result(folder)
    for name in NAMES:
        if name not in ours and os.path.lexists(folder / name):
            raise InputError(
                f"{name} is there and not of a complete result; move it away or choose another folder", folder
            )


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a complete folder, whose ``files`` were all found unchanged.

    Raises:
        ResultError: there is no such folder, it is incomplete, changed, or of another version.
    """
    path = folder / MANIFEST
    if not folder.is_dir():
        raise ResultError(f"{folder}: no such result folder; {_AGAIN}")
    if not path.is_file():
        raise ResultError(f"{folder}: the result folder is incomplete, it has no {MANIFEST}; {_AGAIN}")
    try:
        manifest = json.loads("\n".join(text for _, text in read_lines(path)))
    except (InputError, ValueError, RecursionError) as error:
        raise ResultError(f"{path}: not readable ({error}); {_AGAIN}") from error
    _check_manifest(path, manifest)
    for name, identity in manifest["files"].items():
        if _identity_or_none(folder / name) != identity:
            raise ResultError(f"{folder / name}: not the file the manifest lists; {_AGAIN}")
    return dict(manifest)


def settings_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The settings a result was written with, without what the manifest says about the folder itself."""
    return {name: value for name, value in manifest.items() if name not in _OWN_FIELDS}


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of one of the JSONL files."""
    for number, line in read_lines(path):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise InputError(f"broken JSON: {error}", path, number) from error


def _names_of_result(folder: Path) -> set[str]:
    """The files that the folder's manifest, of whatever version, says are a result's; none without one."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return set()
    if not isinstance(manifest, dict) or manifest.get("kind") != _KIND:
        return set()
    files = manifest.get("files")
    return {MANIFEST, LINKS, CLUSTERS, *(files if isinstance(files, dict) else (CANDIDATES,))}


def _write_records(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    with write_text(path) as stream:
        for record in records:
            line = json.dumps(record, ensure_ascii=False, allow_nan=False)
            try:
                stream.write(line + "\n")
            except UnicodeEncodeError as error:
                found = f"U+{ord(error.object[error.start]):04X}"
                raise InputError(
                    f"{found} is half a character (a lone surrogate); remove it: {line[:60]!a}"
                ) from error


def _write_manifest(staging: Path, names: Iterable[str], settings: Mapping[str, Any]) -> None:
    manifest = {
        "kind": _KIND,
        "version": _VERSION,
        **settings_of(settings),
        "files": {name: _identity(staging / name) for name in sorted(names)},
    }
    with write_text(staging / MANIFEST) as stream:
        json.dump(manifest, stream, indent=2, ensure_ascii=False, allow_nan=False)
        stream.write("\n")


def _publish(staging: Path, folder: Path, names: Collection[str]) -> None:
    """Move the files to their places; the folder counts as a result again with the last move."""
    (folder / _MARK).touch()
    sync_folder(folder)
    (folder / MANIFEST).unlink(missing_ok=True)
    sync_folder(folder)
    for name in names:
        (staging / name).replace(folder / name)
    for stale in {LINKS, CLUSTERS, CANDIDATES} - set(names):
        (folder / stale).unlink(missing_ok=True)
    sync_folder(folder)
    (staging / MANIFEST).replace(folder / MANIFEST)
    sync_folder(folder)
    with suppress(OSError):  # the result is whole, and the next one takes the mark away too
        (folder / _MARK).unlink()


def _check_manifest(path: Path, manifest: Any) -> None:
    if not isinstance(manifest, dict) or manifest.get("kind") != _KIND:
        raise ResultError(f"{path}: not the manifest of a result; {_AGAIN}")
    if manifest.get("version") != _VERSION:
        raise ResultError(
            f"{path}: a result of version {manifest.get('version')!r}, but this ArborLink reads version "
            f"{_VERSION}; {_AGAIN}"
        )
    files = manifest.get("files")
    if not isinstance(files, dict) or LINKS not in files:
        raise ResultError(f"{path}: lists no {LINKS}; {_AGAIN}")


def _identity_or_none(path: Path) -> dict[str, Any] | None:
    try:
        return _identity(path)
    except OSError:
        return None


def _identity(path: Path) -> dict[str, Any]:
    digest = sha256()
    n_bytes = 0
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
            n_bytes += len(block)
    return {"bytes": n_bytes, "sha256": digest.hexdigest()}
