"""Writing a version: new files first, then one transaction that names them."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np

from arborlink.workspace.array_files import ArrayFiles
from arborlink.workspace.effects import StoredDecision
from arborlink.workspace.identities import Step
from arborlink.workspace.records import document_record, entity_record, to_text
from arborlink.workspace.snapshot import Snapshot
from arborlink.workspace.vectors import VectorTable

MENTION_VECTORS, ENTITY_VECTORS = "mention-vectors", "entity-vectors"
ROWS, LISTS, PARTS = "rows", "lists", "parts"
_ROW_ARRAYS = ("mention_rows", "entity_rows", "entity_offsets")


def save(
    connection: sqlite3.Connection,
    files: ArrayFiles,
    step: Step,
    time: str,
    command: str,
    summary: dict[str, Any],
) -> Snapshot:
    """Write what is new in a version, inside a write transaction; what did not change is not written again.

    Returns:
        The version, knowing the files it is in.
    """
    before, after = step.before, step.after
    after = after.but(
        mention_vectors=_save_vectors(connection, files, MENTION_VECTORS, before.mention_vectors, after),
        entity_vectors=_save_vectors(connection, files, ENTITY_VECTORS, before.entity_vectors, after),
    )
    if any(getattr(after, name) is not getattr(before, name) for name in _ROW_ARRAYS):
        rows = {name: getattr(after, name) for name in _ROW_ARRAYS}
        _replace_file(connection, files, ROWS, after.version, rows)
    if after.lists is not before.lists or not before.version:
        _replace_file(connection, files, LISTS, after.version, after.lists.arrays())
    _replace_file(connection, files, PARTS, after.version, after.parts.arrays())
    _save_documents(connection, before, after)
    _save_entities(connection, before, after)
    _save_decisions(connection, before, after)
    _save_history(connection, step)
    _save_discoveries(connection, before, after)
    for name, value in _meta(after).items():
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, to_text(value)))
    connection.execute(
        "INSERT INTO log VALUES (?, ?, ?, ?)", (after.version, time, command, to_text(summary))
    )
    return after


def _meta(after: Snapshot) -> dict[str, Any]:
    parts = after.parts
    return {
        "version": after.version,
        "settings": after.settings.to_dict(),
        "next_discovery": after.next_discovery,
        "counts": {
            "n_documents": len(after.documents),
            "n_mentions": parts.n_mentions,
            "n_entities": int(after.is_active.sum()),
            "n_linked": int((parts.entity >= 0).sum()),
            "n_discoveries": len(after.members),
            "n_rejected": sum(after.is_rejected(id_) for id_ in after.members) if after.rejected else 0,
            "n_decisions": len(after.decisions_in_force),
        },
    }


def _save_vectors(
    connection: sqlite3.Connection, files: ArrayFiles, role: str, before: VectorTable, after: Snapshot
) -> VectorTable:
    table = (after.mention_vectors if role == MENTION_VECTORS else after.entity_vectors).tidied()
    for segment in table.segments:
        if segment.file is None:
            segment.file = files.write(connection, role, after.version, segment.arrays)
    kept = {segment.file for segment in table.segments}
    files.forget(
        connection, [each.file for each in before.segments if each.file is not None and each.file not in kept]
    )
    return table


def _replace_file(
    connection: sqlite3.Connection, files: ArrayFiles, role: str, version: int, arrays: dict[str, Any]
) -> None:
    files.forget(connection, files.listed(connection, role))
    files.write(connection, role, version, arrays)


def _save_documents(connection: sqlite3.Connection, before: Snapshot, after: Snapshot) -> None:
    start = len(before.documents)
    connection.executemany(
        "INSERT INTO documents VALUES (?, ?, ?)",
        (
            (number, after.version, document_record(document))
            for number, document in enumerate(after.documents[start:], start)
        ),
    )


def _save_entities(connection: sqlite3.Connection, before: Snapshot, after: Snapshot) -> None:
    """New entities, and those that came back or went away."""
    n_before = len(before.entities)
    turned = np.flatnonzero(before.is_active != after.is_active[:n_before]).tolist()
    for number in (*turned, *range(n_before, len(after.entities))):
        connection.execute(
            "INSERT OR REPLACE INTO entities VALUES (?, ?, ?, ?)",
            (number, after.version, int(after.is_active[number]), entity_record(after.entities[number])),
        )


def _save_decisions(connection: sqlite3.Connection, before: Snapshot, after: Snapshot) -> None:
    known = set(map(id, before.decisions))
    for stored in after.decisions:
        if id(stored) not in known:
            connection.execute(
                "INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _decision_row(stored)
            )


def _decision_row(stored: StoredDecision) -> tuple[Any, ...]:
    return (
        stored.id,
        stored.version,
        stored.time,
        to_text(stored.author),
        to_text(stored.decision.to_dict()),
        to_text(stored.effects.to_dict()),
        stored.undone_version,
        stored.undone_time,
        to_text(stored.undone_by),
    )


def _save_history(connection: sqlite3.Connection, step: Step) -> None:
    connection.executemany(
        "INSERT INTO history (discovery, version, time, kind, detail) VALUES (?, ?, ?, ?, ?)",
        (
            (event.discovery, event.version, event.time, event.kind, to_text([event.other, event.mentions]))
            for event in step.events
        ),
    )


def _save_discoveries(connection: sqlite3.Connection, before: Snapshot, after: Snapshot) -> None:
    rows = [
        (id_, version, 1)
        for id_, version in after.discovery_versions.items()
        if before.discovery_versions.get(id_) != version
    ]
    ended = before.discovery_versions.keys() - after.discovery_versions.keys()
    rows += [(id_, after.version, 0) for id_ in ended]
    connection.executemany("INSERT OR REPLACE INTO discoveries VALUES (?, ?, ?)", sorted(rows))
