"""The Rand index of two clusterings, adjusted for chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arborlink.evaluation.metrics.contingency_table import contingency


def adjusted_rand_index(gold: ArrayLike, predicted: ArrayLike) -> float:
    """Agreement on which pairs of mentions belong together: 1 for equal clusterings, about 0 for random ones.

    With S = pairs together in both, A and B = pairs together in gold and in predicted, T = all pairs:
    ``ARI = (S − A·B/T) / ((A + B)/2 − A·B/T)``. Equal clusterings give 1, those of no or one mention too.

    Args:
        gold: (n,) labels of any sortable dtype.
        predicted: (n,) labels of the same mentions.

    References:
        Hubert and Arabie, Comparing Partitions, Journal of Classification 2, 1985.

    Example:
        >>> round(adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 3)
        0.571
    """
    table = contingency(gold, predicted)
    together = _pairs(table.cells)
    in_gold = _pairs(table.gold_sizes)
    in_predicted = _pairs(table.predicted_sizes)
    if together == in_gold == in_predicted:
        return 1.0
    # whole numbers of Python: the products pass 2^63 from about 80,000 mentions on
    n_pairs = table.n * (table.n - 1) // 2
    chance = in_gold * in_predicted
    return 2 * (together * n_pairs - chance) / ((in_gold + in_predicted) * n_pairs - 2 * chance)


def _pairs(sizes: NDArray[np.int64]) -> int:
    return int(np.sum(sizes * (sizes - 1) // 2))
