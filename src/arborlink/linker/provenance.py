"""What a result says about the run that made it: version, way of linking, counts, and how long each step took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from arborlink.corpus import Corpus
from arborlink.encoders.model_folder import Inference
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result.links import Link

if TYPE_CHECKING:
    from arborlink.linker.linker import Linker


def installed_version() -> str | None:
    """The version that is installed; a tree that was never installed has none."""
    try:
        return version("arborlink")
    except PackageNotFoundError:
        return None


def how_it_links(linker: Linker, chosen: Inference, neighbours: int, candidates: int) -> dict[str, Any]:
    """The model and everything that decides how it links.

    Args:
        linker: with the re-ranker that is used, if any is.
        chosen: the inference.
        neighbours: mentions that each mention has been joined to.
        candidates: nearest entities that are kept for each mention.
    """
    return {
        "arborlink": installed_version(),
        "model": linker.name,
        "encoder": linker.encoder.fingerprint,
        "inference": chosen.mode,
        "neighbours": neighbours,
        "threshold": chosen.threshold,
        "detour": linker.detour,
        "name_share": linker.name_share,
        "by_type": chosen.by_type,
        "candidates": candidates,
        "shared_words": 0.0 if linker.shared_words is None else linker.shared_words.share,
        "rerank": 0 if linker.reranker is None else linker.reranker.n,
    }


def counts_of(linker: Linker, corpus: Corpus, kb: KnowledgeBase, links: Sequence[Link]) -> dict[str, int]:
    """How much there was, how much was linked and discovered, and where the order of the knowledge base decided."""
    # shared words and a re-ranker have told equally near entities apart
    is_reordered = linker.shared_words is not None or linker.reranker is not None
    return {
        "n_documents": len(corpus),
        "n_mentions": corpus.n_mentions,
        "n_entities": len(kb),
        "n_linked": sum(link.entity is not None for link in links),
        "n_discovered": len({link.cluster for link in links if link.entity is None}),
        "n_tied": 0 if is_reordered else sum(link.is_tied for link in links),
    }


@contextmanager
def timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    """Note how many seconds the step took, if it came to its end."""
    start = time.perf_counter()
    yield
    seconds[step] = time.perf_counter() - start
