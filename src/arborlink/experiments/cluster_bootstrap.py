"""NMI and ARI of many draws of documents at once.

A document that is drawn twice counts twice, but a mention is never paired with its own copy: such pairs are together
in every clustering, and counting them would raise the index with every document drawn again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.experiments.documents_bootstrap import Interval, percentiles

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def agreement_of_draws(
    gold: Integers, predicted: Integers, document: Integers, draws: Integers
) -> tuple[Floats, Floats]:
    """NMI and ARI with the gold clusters for each draw of documents.

    Args:
        gold: the gold cluster of each mention, shape (n,).
        predicted: the predicted one, likewise.
        document: the number of its document.
        draws: how often each document is drawn, shape (n_draws, n_documents).

    Returns:
        NMI and ARI, float64, shape (n_draws,) each. For a draw of every document once they are those of
        :mod:`arborlink.evaluation.metrics`.
    """
    from arborlink.experiments._draws_kernel import sums_of_draws

    _, gold_number = np.unique(gold, return_inverse=True)
    _, predicted_number = np.unique(predicted, return_inverse=True)
    n_predicted = int(predicted_number.max(initial=-1)) + 1
    _, cell = np.unique(gold_number.astype(np.int64) * n_predicted + predicted_number, return_inverse=True)
    numbers = tuple(each.astype(np.int64) for each in (gold_number, predicted_number, cell))
    sizes = np.array([int(each.max(initial=-1)) + 1 for each in numbers], dtype=np.int64)
    most = int((draws @ np.bincount(document, minlength=draws.shape[1])).max(initial=0))
    counts = np.arange(most + 1, dtype=np.float64)
    n_log_n = counts * np.log(np.maximum(counts, 1))
    logs, squares, totals = sums_of_draws(
        numbers[0],
        numbers[1],
        numbers[2],
        document.astype(np.int64),
        sizes,
        draws.astype(np.int64),
        n_log_n,
    )
    return _nmi(logs, totals[:, 0]), _ari(squares.astype(np.float64), totals.astype(np.float64))


def centred_interval(values: Floats, value: float) -> Interval:
    """The percentile interval of drawn values, moved so that their mean lies at the value measured.

    Documents that a draw leaves out make a smaller task, on which NMI and ARI come out higher: the draws tell how far
    a value spreads, not where it lies.
    """
    low, high = percentiles(values - np.nanmean(values) + value)
    return low, high


def _nmi(logs: Floats, totals: Integers) -> Floats:
    total = np.maximum(totals, 1).astype(np.float64)
    of_gold, of_predicted, of_cells = (np.log(total) - logs[:, side] / total for side in range(3))
    information = of_gold + of_predicted - of_cells
    mean = (of_gold + of_predicted) / 2
    alike = mean <= 1e-12  # one cluster on both sides
    return np.where(alike, 1.0, np.clip(information / np.where(alike, 1.0, mean), 0.0, 1.0))


def _ari(squares: Floats, totals: Floats) -> Floats:
    copies = totals[:, 1]
    in_gold, in_predicted, together = ((squares[:, side] - copies) / 2 for side in range(3))
    pairs = (totals[:, 0] ** 2 - copies) / 2
    chance = in_gold * in_predicted / np.maximum(pairs, 1)
    below = (in_gold + in_predicted) / 2 - chance
    same = (together == in_gold) & (together == in_predicted)
    return np.where(same, 1.0, (together - chance) / np.where(same | (below == 0), 1.0, below))
