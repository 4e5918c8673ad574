"""The table all clustering metrics read: how many mentions each pair of gold and predicted cluster share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Contingency:
    """The non-empty cells of the contingency table of two clusterings of the same ``n`` mentions.

    Two clusterings of n mentions share at most n cells, so a table over all pairs of clusters, which would
    not fit in memory for a corpus of singletons, is never built.

    Args:
        n: how many mentions there are.
        cells: (m,) int64, mentions in each non-empty cell.
        cell_gold: (m,) int64, gold cluster of each cell.
        cell_predicted: (m,) int64, predicted cluster of each cell.
        gold_sizes: (g,) int64, mentions in each gold cluster.
        predicted_sizes: (p,) int64, mentions in each predicted cluster.
    """

    n: int
    cells: NDArray[np.int64]
    cell_gold: NDArray[np.int64]
    cell_predicted: NDArray[np.int64]
    gold_sizes: NDArray[np.int64]
    predicted_sizes: NDArray[np.int64]


def contingency(gold: ArrayLike, predicted: ArrayLike) -> Contingency:
    """Count the cells in O(n log n).

    Args:
        gold: (n,) labels of any sortable dtype.
        predicted: (n,) labels, of the same mentions in the same order.

    Raises:
        ValueError: the labels are not two one-dimensional arrays of one length.
    """
    gold, predicted = np.asarray(gold), np.asarray(predicted)
    if gold.ndim != 1 or gold.shape != predicted.shape:
        raise ValueError(
            f"gold labels have shape {gold.shape} and predicted labels {predicted.shape}; "
            "expected one label a mention in both"
        )
    _, gold_number, gold_sizes = np.unique(gold, return_inverse=True, return_counts=True)
    _, predicted_number, predicted_sizes = np.unique(predicted, return_inverse=True, return_counts=True)
    n_predicted = max(len(predicted_sizes), 1)
    pairs, cells = np.unique(
        gold_number.astype(np.int64) * n_predicted + predicted_number, return_counts=True
    )
    return Contingency(
        n=len(gold),
        cells=cells.astype(np.int64),
        cell_gold=pairs // n_predicted,
        cell_predicted=pairs % n_predicted,
        gold_sizes=gold_sizes.astype(np.int64),
        predicted_sizes=predicted_sizes.astype(np.int64),
    )
