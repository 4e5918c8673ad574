"""What a re-ranker's training works on: documents, and the entities that were found for their mentions."""

from __future__ import annotations

from dataclasses import dataclass

from arborlink.corpus import Corpus
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.training.reranker.candidates import Candidates
from arborlink.training.reranker.judging import JudgedLists, judgeable
from arborlink.type_labels import labels_of


@dataclass(frozen=True)
class Lists:
    """The same whoever searched: a linker, or towers that have only just been trained.

    Args:
        kb: the knowledge base.
        train: documents to learn from.
        candidates: whom their mentions are compared with.
        dev: documents that choose the epoch and the weight, and what was found for their mentions; ``None``: the
            last epoch is kept.
        examples: labelled documents whose mentions are passages about their entities, on train and on dev; what is
            of the mention's own document is left out.
        fingerprint: names all that decides what is learned; a run is resumed only with the same.
    """

    kb: KnowledgeBase
    train: Corpus
    candidates: Candidates
    dev: tuple[Corpus, JudgedLists] | None = None
    examples: Corpus | None = None
    fingerprint: str = ""


def search_dev(linker: Linker, kb: KnowledgeBase, dev: Corpus, n: int) -> JudgedLists:
    """The nearest entities of dev mentions; the linker's examples, if it has any, vote.

    Args:
        linker: whose towers search; its re-ranker, if it has one, is not asked.
        kb: the knowledge base.
        dev: labelled documents.
        n: entities of each mention.

    Raises:
        InputError: no mention of the documents has its entity in the knowledge base.
    """
    judgeable(dev, kb)  # nothing is searched for documents that choose nothing
    labels = labels_of(dev, kb, is_asked=False) if linker.defaults.by_type else None
    near = linker.with_reranker(None).neighbourhood(dev, kb, n, 0, labels=labels).near
    return JudgedLists.of(dev, kb, near, linker.temperature)
