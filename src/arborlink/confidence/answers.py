"""From probabilities to answers: from which probability on is a target error kept?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arborlink.confidence.numbers import numbers
from arborlink.errors import InputError

DIGITS = 6
"""Digits of a probability, in memory as in files."""

EVEN = 0.5
"""Nothing less likely than this is answered, however well the others do."""


def check_target(target_error: float, what: str = "the target error") -> float:
    """The share of wrong answers that is allowed, if it can be one.

    Raises:
        InputError: it is no number between 0 and 1.
    """
    if not 0 < target_error < 1:
        raise InputError(f"{what} is {target_error}; expected a share above 0 and below 1, such as 0.05")
    return float(target_error)


@dataclass(frozen=True, eq=False, slots=True)
class AnswerCurve:
    """How often answers were wrong on labelled documents, by the least probability that was answered.

    Only points that matter are kept: of two, the one with more answers and no more errors.

    Args:
        probability: least probabilities, descending, shape (n_points,).
        error: the share of wrong answers from each of them on, ascending, same shape.
    """

    probability: NDArray[np.float64]
    error: NDArray[np.float64]

    @classmethod
    def of(cls, probability: ArrayLike, outcome: ArrayLike) -> AnswerCurve:
        """The curve of probabilities and what came of them.

        The share of wrong answers counts one more, wrong, than there were: three right answers are no proof of an
        error below 5 %; it takes nineteen. Under exchangeable mentions the expected error of the next answer is
        then no more than the share.

        Args:
            probability: of mentions that took no part in the fit, shape (n,).
            outcome: 1 or true where it was so, shape (n,).

        References:
            Angelopoulos, Bates, Fisch, Lei and Schuster, Conformal Risk Control, 2024.
        """
        values, inverse = np.unique(
            np.round(np.asarray(probability, np.float64), DIGITS), return_inverse=True
        )
        wrong = np.bincount(inverse, weights=1.0 - np.asarray(outcome, np.float64), minlength=len(values))
        counts = np.bincount(inverse, minlength=len(values))
        error = (np.cumsum(wrong[::-1]) + 1) / (np.cumsum(counts[::-1]) + 1)
        # the least error of this and all later points; a point above it is beaten by one with more answers
        bound = np.minimum.accumulate(error[::-1])[::-1]
        kept = np.append(error[:-1] < bound[1:], True) if len(error) else np.zeros(0, bool)
        return cls(values[::-1][kept], error[kept])

    def least_probability(self, target_error: float) -> float | None:
        """The least probability to answer at, so that no more than the target is wrong; ``None`` if none does.

        It is never below one half: answers that are right nearly all the time could otherwise carry some that are
        nearly surely wrong.
        """
        n_points = int(np.searchsorted(self.error, check_target(target_error), side="right"))
        return max(float(self.probability[n_points - 1]), EVEN) if n_points else None

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "probability": self.probability.tolist(),
            "error": np.round(self.error, DIGITS + 2).tolist(),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> AnswerCurve:
        """The curve of plain numbers.

        Raises:
            InputError: they make no curve.
        """
        probability = numbers(fields, "probability")
        error = numbers(fields, "error", len(probability))
        if (np.diff(probability) >= 0).any() or (np.diff(error) < 0).any():
            raise InputError("the probabilities of the answers do not descend, or their errors do not ascend")
        return cls(probability, error)
