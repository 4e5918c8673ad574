"""Who is nearest, by two judges: the scores of a re-ranker and the affinities of the towers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.search import Neighbours


def rerank(
    near: Neighbours, scores: NDArray[np.floating[Any]], weight: float, temperature: float
) -> Neighbours:
    """Give the first entities of each mention a new order; affinities stay where they are.

    An affinity then says how near the *k*-th nearest entity of a mention is, whichever that is: thresholds mean what
    they meant before. The order is that of ``score + weight · affinity / temperature``, equal ones as they were.

    Args:
        near: the nearest entities of each mention, nearest first.
        scores: of the first n of them, shape (n_mentions, n), n no more than there are; those of places without an
            entity do not matter.
        weight: how much the towers have to say.
        temperature: the one the towers were trained with: affinities divided by it are their scores.

    Returns:
        The same affinities, and the same entities in another order.

    Example:
        >>> near = Neighbours(np.array([[7, 3, 5]], np.int32), np.array([[0.9, 0.8, 0.7]]))
        >>> rerank(near, np.array([[1.0, 2.0]]), weight=0.0, temperature=0.05).items.tolist()
        [[3, 7, 5]]
    """
    n = scores.shape[1]
    if n > near.items.shape[1] or len(scores) != len(near.items):
        raise ValueError(
            f"scores have the shape {scores.shape}; expected {len(near.items)} mentions and at most "
            f"{near.items.shape[1]} entities"
        )
    is_there = near.items[:, :n] >= 0
    affinities = np.where(is_there, near.affinities[:, :n], 0.0).astype(np.float64)
    combined = np.where(is_there, scores + weight * affinities / temperature, -np.inf)
    order = np.argsort(-combined, axis=1, kind="stable")
    first = np.take_along_axis(near.items[:, :n], order, axis=1)
    return Neighbours(np.concatenate([first, near.items[:, n:]], axis=1), near.affinities)
