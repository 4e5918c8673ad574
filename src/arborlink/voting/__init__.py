"""Labelled mentions as voters: what else is linked to an entity speaks for it beside its own text.

A knowledge base says what an entity is called; labelled mentions say how people write about it. Each entity's
affinity to a mention becomes a soft maximum over both, at the temperature t the encoder was trained with:

    A(m, e) = t · log( TEXT_VOTES · exp(s(m, e) / t)  +  Σ exp(s(m, x) / t) )      over the examples x of e

One example that is much nearer than everything else decides alone; many that are about as near as others add up,
which is how the usual meaning of an ambiguous word wins where the context says nothing. Examples from the mention's
own document have no vote (:class:`OwnDocuments`).
"""

from __future__ import annotations

from arborlink.voting.counting import TEXT_VOTES, count_votes, lead_of_votes
from arborlink.voting.examples import TEMPERATURE, Examples, known_entities
from arborlink.voting.own_documents import OwnDocuments
from arborlink.voting.voters import N_VOTERS, nearest_voters

__all__ = [
    "N_VOTERS",
    "TEMPERATURE",
    "TEXT_VOTES",
    "Examples",
    "OwnDocuments",
    "count_votes",
    "known_entities",
    "lead_of_votes",
    "nearest_voters",
]
