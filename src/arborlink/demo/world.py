"""Where the demo world's files lie, and how it is parted for a training."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from arborlink.corpus import Corpus


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


def demo_splits() -> dict[str, Corpus]:
    """The documents as ``train``, ``dev`` and ``test``: every third for the test, a quarter of the others for dev.

    Example:
        >>> {name: len(corpus) for name, corpus in demo_splits().items()}
        {'train': 23, 'dev': 8, 'test': 16}
    """
    documents = list(Corpus.read(demo_documents_path()))
    others = [document for number, document in enumerate(documents) if number % 3]
    return {
        "train": Corpus([document for number, document in enumerate(others) if number % 4]),
        "dev": Corpus(others[::4]),
        "test": Corpus(documents[::3]),
    }


def _path(name: str) -> Path:
    return Path(str(files("arborlink.demo").joinpath(name)))
