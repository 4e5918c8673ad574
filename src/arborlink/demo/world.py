"""Where the demo world's files lie."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def demo_kb_path() -> Path:
    """The demo's knowledge base, native JSONL.

    Example:
        >>> demo_kb_path().name
        'kb.jsonl'
    """
    return _path("kb.jsonl")


def demo_documents_path() -> Path:
    """The demo's documents with marked and labelled mentions, native JSONL.

    Example:
        >>> demo_documents_path().name
        'documents.jsonl'
    """
    return _path("documents.jsonl")


def _path(name: str) -> Path:
    return Path(str(files("arborlink.demo").joinpath(name)))
