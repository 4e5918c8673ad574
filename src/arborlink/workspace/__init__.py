"""A folder that grows: documents, entities, discoveries with stable ids, and what was decided about them."""

from __future__ import annotations

from arborlink.workspace.changes import Changes, HistoryEvent, Move
from arborlink.workspace.decisions import (
    DECISION_KINDS,
    Apart,
    Decision,
    Merge,
    Promote,
    Reject,
    Relink,
    Split,
    Together,
    Unlink,
    decision_from_dict,
)
from arborlink.workspace.discoveries import Discovery, DiscoveryProposal
from arborlink.workspace.effects import Effects, StoredDecision
from arborlink.workspace.settings import WorkspaceSettings
from arborlink.workspace.status import LogEntry, Status
from arborlink.workspace.workspace import Workspace

__all__ = [
    "DECISION_KINDS",
    "Apart",
    "Changes",
    "Decision",
    "Discovery",
    "DiscoveryProposal",
    "Effects",
    "HistoryEvent",
    "LogEntry",
    "Merge",
    "Move",
    "Promote",
    "Reject",
    "Relink",
    "Split",
    "Status",
    "StoredDecision",
    "Together",
    "Unlink",
    "Workspace",
    "WorkspaceSettings",
    "decision_from_dict",
]
