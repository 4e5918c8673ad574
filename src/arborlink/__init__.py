"""ArborLink: documents and a knowledge base in, links and newly discovered entities out.

The names below are the public ones; each is imported when it is first used, so that ``import arborlink`` is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arborlink.corpus import Corpus
    from arborlink.document import Document, Mention
    from arborlink.entity import Entity
    from arborlink.errors import (
        ArborLinkError,
        ConflictError,
        InputError,
        ModelError,
        ResultError,
        TrainingError,
        WorkspaceError,
    )
    from arborlink.evaluation import evaluate
    from arborlink.knowledge_base import KnowledgeBase
    from arborlink.linker import Linker
    from arborlink.result import Result
    from arborlink.training import TrainingConfig, TrainingReport, train
    from arborlink.workspace import Workspace

_HOMES = {
    "ArborLinkError": "arborlink.errors",
    "ConflictError": "arborlink.errors",
    "Corpus": "arborlink.corpus",
    "Document": "arborlink.document",
    "Entity": "arborlink.entity",
    "InputError": "arborlink.errors",
    "KnowledgeBase": "arborlink.knowledge_base",
    "Linker": "arborlink.linker",
    "Mention": "arborlink.document",
    "ModelError": "arborlink.errors",
    "Result": "arborlink.result",
    "ResultError": "arborlink.errors",
    "TrainingConfig": "arborlink.training",
    "TrainingError": "arborlink.errors",
    "TrainingReport": "arborlink.training",
    "Workspace": "arborlink.workspace",
    "WorkspaceError": "arborlink.errors",
    "evaluate": "arborlink.evaluation",
    "train": "arborlink.training",
}

__all__ = [
    "ArborLinkError",
    "ConflictError",
    "Corpus",
    "Document",
    "Entity",
    "InputError",
    "KnowledgeBase",
    "Linker",
    "Mention",
    "ModelError",
    "Result",
    "ResultError",
    "TrainingConfig",
    "TrainingError",
    "TrainingReport",
    "Workspace",
    "WorkspaceError",
    "evaluate",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arborlink' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
