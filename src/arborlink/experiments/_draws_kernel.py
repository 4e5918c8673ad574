"""Sums over clusters for each draw of documents; apart because importing numba takes a while."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled


@compiled
def sums_of_draws(
    gold: NDArray[np.int64],
    predicted: NDArray[np.int64],
    cell: NDArray[np.int64],
    document: NDArray[np.int64],
    sizes: NDArray[np.int64],
    draws: NDArray[np.int64],
    n_log_n: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """What NMI and ARI are made of, for each draw.

    Args:
        gold: number of the gold cluster of each mention, shape (n,).
        predicted: of the predicted one.
        cell: of the pair of both.
        document: of its document.
        sizes: how many gold clusters, predicted clusters and pairs there are.
        draws: how often each document is drawn, shape (n_draws, n_documents).
        n_log_n: ``n log n`` for every n up to the most mentions a draw holds.

    Returns:
        Sums of ``n log n`` and of squares over the gold clusters, the predicted ones and the pairs, shape (n_draws,
        3) each; and for each draw its mentions, and the sum of their squared counts, shape (n_draws, 2).
    """
    logs = np.zeros((len(draws), 3))
    squares = np.zeros((len(draws), 3), dtype=np.int64)
    totals = np.zeros((len(draws), 2), dtype=np.int64)
    of_gold = np.empty(sizes[0], dtype=np.int64)
    of_predicted = np.empty(sizes[1], dtype=np.int64)
    of_cells = np.empty(sizes[2], dtype=np.int64)
    for draw in range(len(draws)):
        of_gold[:] = 0
        of_predicted[:] = 0
        of_cells[:] = 0
        for mention in range(len(gold)):
            times = draws[draw, document[mention]]
            of_gold[gold[mention]] += times
            of_predicted[predicted[mention]] += times
            of_cells[cell[mention]] += times
            totals[draw, 0] += times
            totals[draw, 1] += times * times
        for count in of_gold:
            logs[draw, 0] += n_log_n[count]
            squares[draw, 0] += count * count
        for count in of_predicted:
            logs[draw, 1] += n_log_n[count]
            squares[draw, 1] += count * count
        for count in of_cells:
            logs[draw, 2] += n_log_n[count]
            squares[draw, 2] += count * count
    return logs, squares, totals
