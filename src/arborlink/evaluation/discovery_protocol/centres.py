"""One-dimensional k-means: a few numbers that stand for many."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arborlink.errors import InputError

# Values are gathered into at most this many before the exact search, which is quadratic in them.
_MAX_POINTS = 1024
_MAX_ROUNDS = 1000


def centres(values: ArrayLike, k: int) -> NDArray[np.float64]:
    """The centres of k groups of numbers with the least sum of squared distances, without chance.

    Up to 1,024 distinct values are divided exactly, by dynamic programming over the sorted values. More of them are
    gathered into as many bins of equal width first, and the centres of the bins' best division are then moved by
    Lloyd's rounds over all values until they stay.

    Args:
        values: finite numbers, any shape; one that occurs several times counts so often.
        k: how many groups, 1 or more.

    Returns:
        The centres, float64, ascending, shape (k,), or fewer where there are fewer distinct values.

    References:
        Wang and Song, Ckmeans.1d.dp: Optimal k-means clustering in one dimension by dynamic programming, The R
        Journal 3(2), 2011.

    Example:
        >>> centres([0.0, 1.0, 10.0, 11.0], 2).tolist()
        [0.5, 10.5]
    """
    if k < 1:
        raise InputError(f"k is {k}; expected 1 or more centres")
    ordered = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if not np.isfinite(ordered).all():
        raise InputError("the values to find centres of are not all finite numbers")
    distinct, counts = np.unique(ordered, return_counts=True)
    if len(distinct) <= k:
        return distinct
    points, weights = _gathered(distinct, counts.astype(np.float64))
    found = distinct[:: len(distinct) // k][:k] if len(points) < k else _best(points, weights, k)
    return _settled(ordered, found)


def _gathered(
    values: NDArray[np.float64], counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """At most 1,024 points with weights, in ascending order, that stand for the values."""
    if len(values) <= _MAX_POINTS:
        return values, counts
    bins = np.minimum((values - values[0]) / (values[-1] - values[0]) * _MAX_POINTS, _MAX_POINTS - 1)
    places = bins.astype(np.int64)
    weights = np.bincount(places, counts).astype(np.float64)
    sums = np.bincount(places, counts * values).astype(np.float64)
    used = weights > 0
    return sums[used] / weights[used], weights[used]


def _best(points: NDArray[np.float64], weights: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """The centres of the best division of ascending, weighted points into k runs."""
    n = len(points)
    cost = _costs(points, weights)
    # least[j]: of dividing the first j points into as many runs as were added so far
    least = np.concatenate([[np.inf], cost[0]])
    last_starts = np.zeros((k, n + 1), dtype=np.int64)
    for run in range(1, k):
        options = least[:n, None] + cost  # the last run begins at the row's point and ends at the column's
        last_starts[run, 1:] = options.argmin(axis=0)
        least = np.concatenate([[np.inf], options.min(axis=0)])
    found, end = np.empty(k), n
    for run in reversed(range(k)):
        start = last_starts[run, end]
        found[run] = np.average(points[start:end], weights=weights[start:end])
        end = start
    return found


def _costs(points: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of squared distances to their mean of the points from row to column, both included; inf below."""
    shifted = points - np.average(points, weights=weights)  # near 0, where sums of squares lose least
    totals = [np.concatenate([[0.0], np.cumsum(weights * shifted**power)]) for power in range(3)]
    weight, total, squares = (sums[None, 1:] - sums[:-1, None] for sums in totals)
    upper = np.triu(np.ones(weight.shape, dtype=bool))
    mean_part = np.divide(total**2, weight, out=np.zeros_like(total), where=upper)
    return np.where(upper, np.maximum(squares - mean_part, 0.0), np.inf)


def _settled(ordered: NDArray[np.float64], found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move each centre to the mean of the values nearest to it until none moves."""
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    for _ in range(_MAX_ROUNDS):
        borders = np.searchsorted(ordered, (found[1:] + found[:-1]) / 2, side="right")
        ends = np.concatenate([[0], borders, [len(ordered)]])
        sizes = np.diff(ends)
        moved = np.where(sizes > 0, np.diff(sums[ends]) / np.maximum(sizes, 1), found)
        if np.array_equal(moved, found):
            break
        found = moved
    return found
