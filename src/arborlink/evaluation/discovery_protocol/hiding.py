"""Hiding entities, so that there is something to discover whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.evaluation.gold import gold_ids
from arborlink.knowledge_base import KnowledgeBase


@dataclass(frozen=True)
class Split:
    """Documents and a knowledge base that lacks some of their entities.

    Args:
        corpus: the documents, with all their gold labels.
        kb: the knowledge base without the hidden entities.
        hidden: ids of the hidden entities, sorted.
        n_hideable: entities of the knowledge base with a gold mention, from which they were drawn.
    """

    corpus: Corpus
    kb: KnowledgeBase
    hidden: tuple[str, ...]
    n_hideable: int


def hide_entities(corpus: Corpus, kb: KnowledgeBase, share: float = 0.1, seed: int = 0) -> Split:
    """Take a share of the entities that have a gold mention out of the knowledge base.

    Entities are drawn in the order of a hash of seed and id: the same ones on every machine, whatever the order of
    the documents, and with one seed largely the same ones for two splits that share entities.

    Args:
        corpus: documents with gold labels.
        kb: the knowledge base.
        share: of the entities with a gold mention, above 0 and at most 1; rounded to a whole number, at least one.
        seed: another one hides others.

    Raises:
        InputError: the share is out of range, no entity has a gold mention, or no entity would be left.
    """
    if not 0 < share <= 1:
        raise InputError(
            f"the share of entities to hide is {share:g}; expected a number above 0 and at most 1"
        )
    hideable = sorted(gold_ids(corpus) & kb.index.keys())
    if not hideable:
        raise InputError(
            f"none of the {corpus.n_mentions:,} mentions has its gold entity in the knowledge base: there is "
            "nothing to hide; give documents with gold labels"
        )
    n_hidden = max(1, int(share * len(hideable) + 0.5))
    hidden = frozenset(sorted(hideable, key=lambda id_: _draw(seed, id_))[:n_hidden])
    if len(hidden) == len(kb):
        raise InputError(
            f"hiding {len(hidden):,} entities leaves none of the {len(kb):,} in the knowledge base; hide a smaller "
            "share"
        )
    left = KnowledgeBase(entity for entity in kb if entity.id not in hidden)
    return Split(corpus, left, tuple(sorted(hidden)), len(hideable))


def _draw(seed: int, entity_id: str) -> tuple[bytes, str]:
    return blake2b(f"{seed} {entity_id}".encode(), digest_size=8).digest(), entity_id
