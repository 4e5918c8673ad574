"""Reading a version back."""

from __future__ import annotations

import json
import sqlite3
from functools import partial
from typing import Any

import numpy as np

from arborlink.errors import ArborLinkError, WorkspaceError
from arborlink.files import collector_paused
from arborlink.workspace.array_files import ArrayFiles
from arborlink.workspace.changes import HistoryEvent
from arborlink.workspace.effects import StoredDecision
from arborlink.workspace.lists import Lists
from arborlink.workspace.parts import Parts
from arborlink.workspace.records import document_of, entity_of
from arborlink.workspace.saving import ENTITY_VECTORS, LISTS, MENTION_VECTORS, PARTS, ROWS
from arborlink.workspace.settings import WorkspaceSettings
from arborlink.workspace.snapshot import Snapshot
from arborlink.workspace.stable_ids import ENDINGS
from arborlink.workspace.status import LogEntry
from arborlink.workspace.vectors import Segment, VectorTable


def read_meta(connection: sqlite3.Connection) -> dict[str, Any]:
    """Version, settings and counts of the last commit."""
    return {name: json.loads(value) for name, value in connection.execute("SELECT name, value FROM meta")}


def read_version(connection: sqlite3.Connection) -> int:
    """The last committed version."""
    (value,) = connection.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
    return int(json.loads(value))


def load(connection: sqlite3.Connection, files: ArrayFiles) -> Snapshot:
    """The last committed version, inside a transaction.

    Vectors are read when they are first needed, which is by commands that write, while nobody else does.

    Raises:
        FileNotFoundError: a newer version has come meanwhile.
        WorkspaceError: what is there does not fit together.
    """
    try:
        with collector_paused():
            snapshot = _load(connection, files)
    except (KeyError, ValueError, TypeError, ArborLinkError) as error:
        raise WorkspaceError(
            f"{files.folder.parent}: the workspace is damaged ({type(error).__name__}: {error}); restore the folder "
            "from a copy"
        ) from error
    return snapshot


def _load(connection: sqlite3.Connection, files: ArrayFiles) -> Snapshot:
    meta = read_meta(connection)
    entities = connection.execute("SELECT record, is_active FROM entities ORDER BY number").fetchall()
    documents = connection.execute("SELECT record FROM documents ORDER BY number")
    rows = _only(connection, files, ROWS)
    return Snapshot(
        version=meta["version"],
        settings=WorkspaceSettings.from_dict(meta["settings"]),
        documents=tuple(document_of(record) for (record,) in documents),
        entities=tuple(entity_of(record) for record, _ in entities),
        is_active=np.array([bool(active) for _, active in entities], dtype=bool),
        mention_vectors=_table(connection, files, MENTION_VECTORS),
        entity_vectors=_table(connection, files, ENTITY_VECTORS),
        mention_rows=rows["mention_rows"],
        entity_rows=rows["entity_rows"],
        entity_offsets=rows["entity_offsets"],
        lists=Lists(**_only(connection, files, LISTS)),
        parts=Parts(**_only(connection, files, PARTS)),
        decisions=tuple(_decisions(connection)),
        discovery_versions=dict(
            connection.execute("SELECT id, version FROM discoveries WHERE is_live ORDER BY id")
        ),
        next_discovery=meta["next_discovery"],
    )


def history_of(connection: sqlite3.Connection, discovery: str) -> list[HistoryEvent]:
    """What happened to a discovery, the oldest first."""
    rows = connection.execute(
        "SELECT version, time, kind, detail FROM history WHERE discovery = ? ORDER BY sequence", (discovery,)
    )
    return [
        HistoryEvent(discovery, version, time, kind, *map(tuple, json.loads(detail)))
        for version, time, kind, detail in rows
    ]


def endings_with(connection: sqlite3.Connection, version: int) -> dict[str, set[str]]:
    """Discoveries that ended with a version, and the mentions they had."""
    rows = connection.execute("SELECT discovery, kind, detail FROM history WHERE version = ?", (version,))
    return {discovery: set(json.loads(detail)[1]) for discovery, kind, detail in rows if kind in ENDINGS}


def log_of(connection: sqlite3.Connection) -> list[LogEntry]:
    """What made each version, the oldest first."""
    rows = connection.execute("SELECT version, time, command, summary FROM log ORDER BY version")
    return [LogEntry(version, time, command, json.loads(summary)) for version, time, command, summary in rows]


def _only(connection: sqlite3.Connection, files: ArrayFiles, role: str) -> dict[str, Any]:
    (name,) = files.listed(connection, role)
    return files.read(name)


def _table(connection: sqlite3.Connection, files: ArrayFiles, role: str) -> VectorTable:
    names = files.listed(connection, role)
    return VectorTable(tuple(Segment(partial(files.read, name), name) for name in names))


def _decisions(connection: sqlite3.Connection) -> list[StoredDecision]:
    columns = "id, version, time, author, decision, effects, undone_version, undone_time, undone_by"
    found = []
    for row in connection.execute(f"SELECT {columns} FROM decisions ORDER BY id"):
        record = dict(zip(columns.split(", "), row, strict=True))
        for name in ("author", "decision", "effects", "undone_by"):
            record[name] = json.loads(record[name])
        found.append(StoredDecision.from_dict(record))
    return found
