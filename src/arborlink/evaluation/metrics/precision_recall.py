"""Precision, recall and F1 of a yes-or-no decision, such as "no entity of the knowledge base"."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Detection(NamedTuple):
    """Each from 0 to 1, or ``None`` where there is nothing to divide by."""

    precision: float | None
    recall: float | None
    f1: float | None


def detection(gold: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> Detection:
    """Compare two (n,) bool arrays.

    Precision is ``None`` where nothing is predicted; recall and F1 where the gold holds nothing to detect.
    F1 is ``2·TP / (n_predicted + n_gold)``: 0, and not unknown, where all of the gold was missed.

    Example:
        >>> detection(np.array([True, True, False]), np.array([True, False, False]))
        Detection(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    n_gold, n_predicted = int(np.sum(gold)), int(np.sum(predicted))
    n_right = int(np.sum(gold & predicted))
    return Detection(
        precision=n_right / n_predicted if n_predicted else None,
        recall=n_right / n_gold if n_gold else None,
        f1=2 * n_right / (n_predicted + n_gold) if n_gold else None,
    )
