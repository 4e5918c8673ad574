"""Normalised mutual information of two clusterings."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arborlink.evaluation.metrics.contingency_table import Contingency, contingency


def normalised_mutual_information(gold: ArrayLike, predicted: ArrayLike) -> float:
    """Mutual information over the arithmetic mean of the two entropies, from 0 to 1.

    ``NMI = I(G; P) / ((H(G) + H(P)) / 2)``. Two clusterings that both put everything into one cluster agree
    (1), as do two of nothing; a single cluster against several shares no information (0).

    Args:
        gold: (n,) labels of any sortable dtype.
        predicted: (n,) labels of the same mentions.

    References:
        Strehl and Ghosh, Cluster Ensembles, JMLR 3, 2002. Same averaging as scikit-learn's default.

    Example:
        >>> round(normalised_mutual_information([0, 0, 1, 1], [0, 0, 1, 2]), 3)
        0.8
    """
    table = contingency(gold, predicted)
    if len(table.gold_sizes) == len(table.predicted_sizes) <= 1:
        return 1.0
    information = _mutual_information(table)
    # what is left of a true zero after rounding must not be divided by an entropy of nearly zero
    if information <= np.finfo(np.float64).eps:
        return 0.0
    mean_entropy = (_entropy(table.gold_sizes) + _entropy(table.predicted_sizes)) / 2
    return float(min(information / mean_entropy, 1.0))


def _mutual_information(table: Contingency) -> float:
    share = table.cells / table.n
    expected = np.log(table.gold_sizes[table.cell_gold]) + np.log(table.predicted_sizes[table.cell_predicted])
    return float(np.sum(share * (np.log(table.cells) + np.log(table.n) - expected)))


def _entropy(sizes: NDArray[np.int64]) -> float:
    share = sizes / sizes.sum()
    return float(-np.sum(share * np.log(share)))
