"""Whether all that a workspace holds fits together."""

from __future__ import annotations

from collections.abc import Iterator
from sqlite3 import Connection

import numpy as np

from arborlink.partition import Partition, violated
from arborlink.workspace.array_files import ArrayFiles
from arborlink.workspace.loading import load
from arborlink.workspace.parts import partitioned
from arborlink.workspace.snapshot import Snapshot


def problems_of(connection: Connection, files: ArrayFiles) -> Iterator[str]:
    """What is wrong, one line each; nothing where all is well."""
    for (told,) in connection.execute("PRAGMA integrity_check"):
        if told != "ok":
            yield f"database: {told}"
    damaged = files.problems(connection)
    yield from damaged
    if not damaged:
        yield from _of_snapshot(load(connection, files))


def _of_snapshot(snapshot: Snapshot) -> Iterator[str]:
    n_mentions, n_entities = snapshot.corpus.n_mentions, len(snapshot.entities)
    sizes = {
        "rows of mentions": len(snapshot.mention_rows),
        "lists of mentions": snapshot.lists.n_mentions,
        "places of mentions": snapshot.parts.n_mentions,
    }
    for what, size in sizes.items():
        if size != n_mentions:
            yield f"{size} {what}, expected {n_mentions}"
            return
    if len(snapshot.entity_offsets) != n_entities + 1:
        yield f"{len(snapshot.entity_offsets) - 1} entities with rows, expected {n_entities}"
    for what, rows, table in (
        ("mentions", snapshot.mention_rows, snapshot.mention_vectors),
        ("entities", snapshot.entity_rows, snapshot.entity_vectors),
    ):
        if len(rows) and int(rows.max()) >= len(table.vectors):
            yield f"rows of {what} beyond the last vector"
    if snapshot.members.keys() != snapshot.discovery_versions.keys():
        yield "the discoveries of the partition are not those of the database"
    if n_mentions:
        yield from _of_partition(snapshot)


def _of_partition(snapshot: Snapshot) -> Iterator[str]:
    constraints = snapshot.constraints()
    parts = snapshot.parts
    again = partitioned(snapshot.lists, len(snapshot.entities), snapshot.settings, constraints)
    if not np.array_equal(again.entity, parts.entity) or not np.array_equal(again.cluster, parts.cluster):
        yield "the partition is not that of the neighbour lists and decisions"
    kept = Partition(parts.entity, parts.cluster, parts.parent, parts.weight, len(snapshot.entities))
    for statement in violated(constraints, kept):
        yield f"a decision does not hold: {statement}"
