"""Bootstrap confidence intervals that respect documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def bootstrap_interval(
    right: NDArray[np.bool_],
    groups: NDArray[np.int64],
    n_resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Percentile interval of the share of right answers, drawing whole documents with replacement.

    Mentions of one document stand or fall together; drawing single mentions would make it too narrow.

    Args:
        right: (n,) bool, whether each answer is right.
        groups: (n,) int64, the document of each answer.
        n_resamples: how many draws.
        seed: of the generator; equal seeds give equal intervals.
        level: share of the draws inside the interval.

    Returns:
        (low, high), or ``None`` where fewer than two documents hold answers or no draw is asked for.

    References:
        Efron and Tibshirani, An Introduction to the Bootstrap, 1993.
    """
    _, group_number = np.unique(groups, return_inverse=True)
    n_answers = np.bincount(group_number)
    n_groups = len(n_answers)
    if n_groups < 2 or n_resamples < 1:
        return None
    n_right = np.bincount(group_number, weights=right)
    generator = np.random.default_rng(seed)
    shares = np.empty(n_resamples)
    for draw in range(n_resamples):
        drawn = generator.integers(n_groups, size=n_groups)
        shares[draw] = n_right[drawn].sum() / n_answers[drawn].sum()
    low, high = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
