"""The labelled mentions that vote."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.voting.own_documents import OwnDocuments

TEMPERATURE = 0.05
"""That of the trainer's default, and of encoders whose own is not known."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Labelled mentions of known entities.

    Args:
        mentions: one vector for each.
        entity: int32, shape (n_mentions,): the number of the entity each is linked to.
        temperature: the affinity that makes one voter weigh e times another.
        own: which of them have no vote about which mention to be linked; ``None`` where all vote.
    """

    mentions: Embeddings
    entity: NDArray[np.int32]
    temperature: float = TEMPERATURE
    own: OwnDocuments | None = None

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        kb: KnowledgeBase,
        vectors: Embeddings,
        temperature: float,
        own: OwnDocuments | None = None,
    ) -> Examples:
        """The mentions of a corpus that name exactly one entity of the knowledge base.

        Args:
            corpus: labelled documents.
            kb: the knowledge base.
            vectors: one for each mention of the corpus.
            temperature: the affinity that makes one voter weigh e times another.
            own: for all mentions of the corpus, which have no vote about which mention to be linked.

        Raises:
            InputError: none does.
        """
        entity = known_entities(corpus, kb)
        known = np.flatnonzero(entity >= 0)
        if not len(known):
            raise InputError(
                f"none of the {corpus.n_mentions:,} mentions of the examples names one entity of the knowledge base; "
                "give documents labelled with its ids, or no examples"
            )
        voters = Embeddings.one_each(vectors.vectors, vectors.rows[known])
        return cls(voters, entity[known], temperature, None if own is None else own.for_examples(known))


def known_entities(corpus: Corpus, kb: KnowledgeBase) -> NDArray[np.int32]:
    """The number of each mention's one gold entity, -1 where it has none in the knowledge base, or several."""
    gold = [mention.entities or () for _, mention in corpus.mentions]
    return np.array([kb.index.get(ids[0], -1) if len(ids) == 1 else -1 for ids in gold], dtype=np.int32)
