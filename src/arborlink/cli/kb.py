"""Reading the knowledge base for a verb whose ``--format`` is that of the documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.formats import Problems
    from arborlink.knowledge_base import KnowledgeBase


def read_kb(path: Path, kb_format: str | None, problems: Problems) -> KnowledgeBase:
    """Read it; where its format is not plain, the message names the option that says it."""
    from arborlink.knowledge_base import KnowledgeBase

    try:
        return KnowledgeBase.read(path, format=kb_format, problems=problems)
    except InputError as error:
        told = str(error)
        named = told.replace("--format (convert: --from)", "--kb-format")
        if named == told:
            raise
        raise InputError(named) from error
