"""The votes of texts and examples, added up for each entity."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from arborlink.search import Neighbours

TEXT_VOTES = 20
"""How many examples of the same affinity an entity's own text outweighs; chosen on dev, see docs/experiments.md."""
# Mentions counted at a time: some 128 candidates each.
_HELD = 1 << 15


def lead_of_votes(temperature: float) -> float:
    """By how much the votes raise the affinity of an entity's own text."""
    return temperature * math.log(TEXT_VOTES)


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
        Entities by the affinity of :mod:`arborlink.voting`, best first, equal ones by number; those without a voter
        are left out.

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
    lead = lead_of_votes(temperature)
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
