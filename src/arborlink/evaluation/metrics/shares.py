"""Shares of right answers: accuracy, and recall among the first k candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NOT_FOUND = np.iinfo(np.int64).max
"""The rank of a mention none of whose candidates is right."""


def accuracy(right: NDArray[np.bool_], among: NDArray[np.bool_] | None = None) -> float | None:
    """The share of right answers; ``None`` where there is no answer to judge.

    Args:
        right: (n,) bool, whether each answer is right.
        among: (n,) bool, the answers to judge; all without it.

    Example:
        >>> accuracy(np.array([True, False, True]), among=np.array([True, True, False]))
        0.5
    """
    judged = right if among is None else right[among]
    return float(np.mean(judged)) if len(judged) else None


def recall_at(ranks: NDArray[np.int64], k: int) -> float | None:
    """The share of mentions with a right candidate among the first ``k``; ``None`` without mentions.

    Args:
        ranks: (n,) int64, place of the first right candidate from 0; ``NOT_FOUND`` where none is right.
        k: the cut-off.

    Example:
        >>> recall_at(np.array([0, 5, NOT_FOUND]), 1)
        0.3333333333333333
    """
    return accuracy(ranks < k)
