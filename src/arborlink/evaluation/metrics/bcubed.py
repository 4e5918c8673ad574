"""B-cubed precision and recall of a clustering."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from arborlink.evaluation.metrics.contingency_table import contingency


class BCubed(NamedTuple):
    """Means over the mentions, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


def b_cubed(gold: ArrayLike, predicted: ArrayLike) -> BCubed:
    """For the average mention: how much of its cluster is right, and how much of its gold cluster is there.

    ``precision = mean over mentions m of |G(m) ∩ P(m)| / |P(m)|``, recall the same over ``|G(m)|``, where
    G(m) and P(m) are the gold and the predicted cluster of m, m included; F1 is their harmonic mean.
    Clusterings of no mention agree (1).

    Args:
        gold: (n,) labels of any sortable dtype.
        predicted: (n,) labels of the same mentions.

    References:
        Bagga and Baldwin, Entity-Based Cross-Document Coreferencing Using the Vector Space Model, ACL 1998.

    Example:
        >>> b_cubed([0, 0, 1, 1], [0, 0, 1, 2])
        BCubed(precision=1.0, recall=0.75, f1=0.8571428571428571)
    """
    table = contingency(gold, predicted)
    if table.n == 0:
        return BCubed(1.0, 1.0, 1.0)
    # the n_ij mentions of a cell share one numerator n_ij
    squares = table.cells.astype(np.float64) ** 2
    precision = float(np.sum(squares / table.predicted_sizes[table.cell_predicted])) / table.n
    recall = float(np.sum(squares / table.gold_sizes[table.cell_gold])) / table.n
    return BCubed(precision, recall, 2 * precision * recall / (precision + recall))
