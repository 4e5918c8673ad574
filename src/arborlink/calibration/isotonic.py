"""The nearest rising sequence, and a rising map from scores to probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def pool_adjacent_violators(values: Floats, weights: Floats) -> Floats:
    """The sequence that never descends and is nearest to the values, by weighted squares.

    Args:
        values: shape (n,).
        weights: above 0, same shape.

    References:
        Ayer, Brunk, Ewing, Reid and Silverman, An Empirical Distribution Function for Sampling with Incomplete
        Information, 1955.

    Example:
        >>> pool_adjacent_violators(np.array([1.0, 3.0, 2.0, 4.0]), np.ones(4)).tolist()
        [1.0, 2.5, 2.5, 4.0]
    """
    means: list[float] = []
    masses: list[float] = []
    lengths: list[int] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, mass, length = value, weight, 1
        while means and means[-1] >= mean:
            before = masses.pop()
            mean = (means.pop() * before + mean * mass) / (before + mass)
            mass += before
            length += lengths.pop()
        means.append(mean)
        masses.append(mass)
        lengths.append(length)
    return np.repeat(np.array(means, np.float64), lengths)


def rising_map(score: Floats, outcome: Floats) -> tuple[Floats, Floats]:
    """Knots of a map from scores to probabilities that never descends.

    Scores are pooled where their outcomes do not rise; each pool gives one knot, at its mean score and its share of
    outcomes. One outcome is added at each end, against the direction: the highest scores do not get probability 1
    for having been right so far, nor the lowest 0.

    Args:
        score: shape (n,), at least one.
        outcome: 0 or 1, same shape.

    Returns:
        Scores, ascending, and probabilities, not descending, strictly between 0 and 1.

    References:
        Zadrozny and Elkan, Transforming Classifier Scores into Accurate Multiclass Probability Estimates, 2002.
    """
    scores, inverse = np.unique(score, return_inverse=True)
    weights = np.bincount(inverse).astype(np.float64)
    right = np.bincount(inverse, weights=outcome)
    counted, masses = right.copy(), weights.copy()
    counted[0] += 1
    masses[0] += 1
    masses[-1] += 1
    pooled = pool_adjacent_violators(counted / masses, masses)
    starts = np.flatnonzero(np.append(True, pooled[1:] != pooled[:-1]))
    knots = np.add.reduceat(scores * weights, starts) / np.add.reduceat(weights, starts)
    # pools that lie closer than numbers can tell share a knot
    first = np.append(True, np.diff(knots) > 0)
    return knots[first], pooled[starts][first]
