"""Are probabilities what they say? Reliability, expected calibration error, Brier score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arborlink.errors import InputError

N_BINS = 15


class Reliability(NamedTuple):
    """Mentions in bins of equal count, by probability: what was said and what was so; shape (n_bins,) each."""

    probability: NDArray[np.float64]
    share_right: NDArray[np.float64]
    size: NDArray[np.int64]

    @property
    def expected_error(self) -> float:
        """Mean distance of the two over the bins, by size: the expected calibration error."""
        return float(np.abs(self.probability - self.share_right) @ self.size / self.size.sum())


def reliability(probability: ArrayLike, outcome: ArrayLike, n_bins: int = N_BINS) -> Reliability:
    """Sort by probability, part into bins of equal count (to within one), and compare means.

    What has the same probability cannot be told apart: where the border of two bins goes through it, each side gets
    the mean outcome of all of it, so that the order of the mentions does not matter.

    Args:
        probability: from 0 to 1, shape (n,).
        outcome: 1 or true where it was so, shape (n,).
        n_bins: how many bins; fewer where there are fewer mentions.

    Raises:
        InputError: no mentions, shapes that differ, or a probability that is none.

    References:
        Naeini, Cooper and Hauskrecht, Obtaining Well Calibrated Probabilities Using Bayesian Binning, 2015.
    """
    given, was = _checked(probability, outcome)
    if n_bins < 1:
        raise InputError(f"n_bins is {n_bins}; expected 1 or more")
    values, inverse, counts = np.unique(given, return_inverse=True, return_counts=True)
    shares = np.bincount(inverse, weights=was) / counts
    order = np.repeat(np.arange(len(values)), counts)
    bins = np.array_split(order, min(n_bins, len(given)))
    return Reliability(
        np.array([values[each].mean() for each in bins]),
        np.array([shares[each].mean() for each in bins]),
        np.array([len(each) for each in bins], np.int64),
    )


def expected_calibration_error(probability: ArrayLike, outcome: ArrayLike, n_bins: int = N_BINS) -> float:
    """Mean distance between what was said and what was so, over bins of equal count; see :func:`reliability`.

    Example:
        >>> expected_calibration_error([0.9, 0.9, 0.9, 0.9], [1, 1, 1, 0], n_bins=1)  # 0.9 said, 0.75 so
        0.15000000000000002
    """
    return reliability(probability, outcome, n_bins).expected_error


def brier_score(probability: ArrayLike, outcome: ArrayLike) -> float:
    """Mean squared distance between probability and outcome; smaller is better.

    References:
        Brier, Verification of Forecasts Expressed in Terms of Probability, 1950.
    """
    given, was = _checked(probability, outcome)
    return float(np.mean((given - was) ** 2))


def _checked(probability: ArrayLike, outcome: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    given, was = np.asarray(probability, np.float64), np.asarray(outcome, np.float64)
    if given.ndim != 1 or given.shape != was.shape:
        raise InputError(
            f"there are {given.shape} probabilities and {was.shape} outcomes; expected one of each for every mention"
        )
    if not len(given):
        raise InputError("there are no probabilities to judge")
    wrong = ~((given >= 0) & (given <= 1))
    if wrong.any():
        place = int(wrong.argmax())
        raise InputError(f"probability {place} is {given[place]}; expected a number from 0 to 1")
    return given, was
