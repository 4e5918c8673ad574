"""A version as files that everything else reads: links, clusters, proposals, knowledge base, training data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from arborlink.errors import InputError
from arborlink.formats.jsonl import document_object, entity_object
from arborlink.result import Candidate, Result
from arborlink.result.folder import CANDIDATES, CLUSTERS, LINKS, MANIFEST, write_folder
from arborlink.workspace.discoveries import proposals_of
from arborlink.workspace.labelled import labelled_documents
from arborlink.workspace.links import result_of
from arborlink.workspace.snapshot import Snapshot

PROPOSALS, KB, TRAINING, DECISIONS = "proposals.jsonl", "kb.jsonl", "training.jsonl", "decisions.jsonl"
OWN_NAMES = (PROPOSALS, KB, TRAINING, DECISIONS)


def export(snapshot: Snapshot, folder: Path) -> None:
    """Write a result folder with four files more; all of it or nothing.

    Raises:
        InputError: there is nothing to export yet, or the folder holds files of these names that no export brought.
    """
    if not snapshot.corpus.n_mentions:
        raise InputError("the workspace has no mentions yet; add documents first")
    _refuse_foreign(folder)
    result = result_of(snapshot)
    files: dict[str, Iterable[Mapping[str, Any]]] = {
        LINKS: (link.to_dict() for link in result.links),
        CLUSTERS: _clusters(snapshot, result),
        CANDIDATES: (_candidates(*item) for item in (result.candidates or {}).items()),
        PROPOSALS: (each.to_dict() for each in proposals_of(snapshot, result, 5, 80) if not each.is_rejected),
        KB: (entity_object(entity) for entity in snapshot.kb),
        TRAINING: (document_object(document) for document in labelled_documents(snapshot)),
        DECISIONS: (stored.to_dict() for stored in snapshot.decisions),
    }
    write_folder(folder, files, result.settings)


def _clusters(snapshot: Snapshot, result: Result) -> Iterator[dict[str, Any]]:
    for cluster in result.clusters:
        record = cluster.to_dict()
        if cluster.entity is None:
            discovery = result[cluster.mentions[0]].discovery
            assert discovery is not None
            record |= {"discovery": discovery, "is_rejected": snapshot.is_rejected(discovery)}
        yield record


def _candidates(mention: str, candidates: tuple[Candidate, ...]) -> dict[str, Any]:
    return {
        "mention": mention,
        "entities": [candidate.entity for candidate in candidates],
        "affinities": [candidate.affinity for candidate in candidates],
    }


def _refuse_foreign(folder: Path) -> None:
    """Stop where the export would take away a file that is not of an earlier one."""
    try:
        ours = set(json.loads((folder / MANIFEST).read_bytes())["files"])
    except (OSError, ValueError, TypeError, KeyError):
        ours = set()
    for name in OWN_NAMES:
        if name not in ours and os.path.lexists(folder / name):
            raise InputError(
                f"{name} is there and not of an export; move it away or choose another folder", folder
            )
