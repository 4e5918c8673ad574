"""Labelled mentions as voters: what else is linked to an entity speaks for it beside its own text.

A knowledge base says what an entity is called; labelled mentions say how people write about it. Each entity's
affinity to a mention becomes a soft maximum over both, at the temperature t the encoder was trained with:

    A(m, e) = t · log( TEXT_VOTES · exp(s(m, e) / t)  +  Σ exp(s(m, x) / t) )      over the examples x of e

One example that is much nearer than everything else decides alone; many that are about as near as others add up,
which is how the usual meaning of an ambiguous word wins where the context says nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.search import Neighbours

TEMPERATURE = 0.05
"""That of the trainer's default, and of encoders whose own is not known."""
TEXT_VOTES = 20
"""How many examples of the same affinity an entity's own text outweighs; chosen on dev, see docs/experiments.md."""
N_VOTERS = 64
"""Nearest texts and nearest examples of a mention that are counted; the others are too far to matter."""
# Mentions counted at a time: some 128 candidates each.
_HELD = 1 << 15


@dataclass(frozen=True, slots=True)
class Examples:
    """Labelled mentions of known entities.

    Args:
        mentions: one vector for each.
        entity: int32, shape (n_mentions,): the number of the entity each is linked to.
        temperature: the affinity that makes one voter weigh e times another.
    """

    mentions: Embeddings
    entity: NDArray[np.int32]
    temperature: float = TEMPERATURE

    @classmethod
    def of(cls, corpus: Corpus, kb: KnowledgeBase, vectors: Embeddings, temperature: float) -> Examples:
        """The mentions of a corpus that name exactly one entity of the knowledge base.

        Raises:
            InputError: none does.
        """
        gold = [mention.entities or () for _, mention in corpus.mentions]
        entity = np.array([kb.index.get(ids[0], -1) if len(ids) == 1 else -1 for ids in gold], dtype=np.int32)
        known = np.flatnonzero(entity >= 0)
        if not len(known):
            raise InputError(
                f"none of the {corpus.n_mentions:,} mentions of the examples names one entity of the knowledge base; "
                "give documents labelled with its ids, or no examples"
            )
        return cls(Embeddings.one_each(vectors.vectors, vectors.rows[known]), entity[known], temperature)


def count_votes(
    texts: Neighbours, examples: Neighbours, entity_of_example: NDArray[np.int32], temperature: float, k: int
) -> Neighbours:
    """The k entities of each mention with the most votes.

    Args:
        texts: the entities whose own texts are nearest to each mention.
        examples: the examples that are nearest.
        entity_of_example: int32, the entity of each example.
        temperature: the affinity that makes one voter weigh e times another.
        k: how many entities to keep.

    Returns:
        Entities by the affinity above, best first, equal ones by number; those without a voter are left out.

    Example:
        >>> texts = Neighbours(np.array([[0, 1]], np.int32), np.array([[0.5, 0.4]]))
        >>> examples = Neighbours(np.array([[0, 1]], np.int32), np.array([[0.9, 0.2]]))
        >>> count_votes(texts, examples, np.array([1, 1], np.int32), 0.05, 1).items.tolist()
        [[1]]
    """
    n = len(texts.items)
    entity_of_example = np.append(
        entity_of_example, np.int32(-1)
    )  # where there is no example, -1 finds this one
    found = Neighbours(np.full((n, k), -1, dtype=np.int32), np.full((n, k), -np.inf))
    lead = temperature * math.log(TEXT_VOTES)
    for start in range(0, n, _HELD):
        some = slice(start, start + _HELD)
        of_examples = examples.items[some]
        candidates = np.concatenate([texts.items[some], entity_of_example[of_examples]], axis=1)
        affinities = np.concatenate([texts.affinities[some] + lead, examples.affinities[some]], axis=1)
        affinities = np.where(candidates >= 0, affinities.astype(np.float64), -np.inf)
        items, sums = _summed(candidates, affinities / temperature)
        order = np.lexsort((items, -sums), axis=1)[:, :k]
        kept = order.shape[1]
        found.items[some, :kept] = np.take_along_axis(items, order, axis=1)
        found.affinities[some, :kept] = np.take_along_axis(sums, order, axis=1) * temperature
    found.items[np.isneginf(found.affinities)] = -1
    return found


def _summed(
    candidates: NDArray[np.int32], logarithms: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Log of the summed exponentials of each candidate's entries, at its last entry; -inf at the others."""
    order = np.argsort(candidates, axis=1, kind="stable")
    items = np.take_along_axis(candidates, order, axis=1)
    values = np.take_along_axis(logarithms, order, axis=1)
    width = items.shape[1]
    if not width:
        return items, values
    is_last = np.ones(items.shape, dtype=bool)
    is_last[:, :-1] = items[:, 1:] != items[:, :-1]
    total = values[:, 0].copy()
    sums = np.full(items.shape, -np.inf)
    for place in range(width):
        if place:
            goes_on = ~is_last[:, place - 1]
            total = np.where(goes_on, np.logaddexp(total, values[:, place]), values[:, place])
        sums[:, place] = np.where(is_last[:, place], total, -np.inf)
    return items, sums
