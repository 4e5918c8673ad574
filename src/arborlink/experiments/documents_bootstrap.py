"""Percentile intervals over documents, all draws at once, the same draws for whatever is compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

N_DRAWS = 1000
LEVEL = 0.95
Interval = tuple[float, float]


def document_draws(n_documents: int, n_draws: int = N_DRAWS, seed: int = 0) -> NDArray[np.float64]:
    """How often each document is drawn: as many as there are, with replacement.

    Args:
        n_documents: how many there are.
        n_draws: how many draws.
        seed: equal seeds give equal draws, so that two runs on the same documents can be compared in pairs.

    Returns:
        float64, shape (n_draws, n_documents); rows sum to ``n_documents``.

    References:
        Efron and Tibshirani, An Introduction to the Bootstrap, 1993.
    """
    shares = np.full(n_documents, 1 / max(1, n_documents))
    return np.random.default_rng(seed).multinomial(n_documents, shares, size=n_draws).astype(np.float64)


def share_interval(right: ArrayLike, counted: ArrayLike, draws: NDArray[np.float64]) -> Interval | None:
    """Interval of the share of right answers.

    Args:
        right: right answers in each document, shape (n_documents,).
        counted: answers in each document, likewise.
        draws: of :func:`document_draws`.

    Returns:
        (low, high), or ``None`` where fewer than two documents hold answers.

    Example:
        >>> share_interval([1, 2, 0], [2, 2, 1], document_draws(3))[1]
        1.0
    """
    of_all = np.asarray(counted, np.float64)
    if np.count_nonzero(of_all) < 2:
        return None
    return percentiles(_shares(right, of_all, draws))


def difference_interval(
    right: ArrayLike, other: ArrayLike, counted: ArrayLike, draws: NDArray[np.float64]
) -> Interval | None:
    """Interval of the first share less the second, on the same draws of the same documents."""
    of_all = np.asarray(counted, np.float64)
    if np.count_nonzero(of_all) < 2:
        return None
    return percentiles(_shares(right, of_all, draws) - _shares(other, of_all, draws))


def percentiles(values: NDArray[np.float64]) -> Interval:
    """The interval that holds the middle 95 % of the values that are numbers."""
    low, high = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _shares(
    right: ArrayLike, counted: NDArray[np.float64], draws: NDArray[np.float64]
) -> NDArray[np.float64]:
    whole = draws @ counted
    part = draws @ np.asarray(right, np.float64)
    # a draw may hold no answer at all where few documents do
    shares: NDArray[np.float64] = np.divide(part, whole, out=np.full(len(draws), np.nan), where=whole > 0)
    return shares
