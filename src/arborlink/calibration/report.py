"""How good probabilities are: reliability, Brier score, and what is answered at a target error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.confidence import AnswerCurve
from arborlink.evaluation.metrics import brier_score, expected_calibration_error, reliability

TARGETS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3)
"""Target errors that are reported, beside the chosen one."""


@dataclass(frozen=True, eq=False, slots=True)
class Trial:
    """Probabilities of mentions that took no part in their making, and what came of them.

    Args:
        probability: shape (n,).
        outcome: 0 or 1, shape (n,).
    """

    probability: NDArray[np.float64]
    outcome: NDArray[np.float64]

    def figures(self) -> dict[str, float | int]:
        """How many there are, the share that was so, expected calibration error and Brier score."""
        return {
            "n": len(self.outcome),
            "share_right": round(float(self.outcome.mean()), 6),
            "expected_calibration_error": round(
                expected_calibration_error(self.probability, self.outcome), 6
            ),
            "brier_score": round(brier_score(self.probability, self.outcome), 6),
        }

    def answered(self, target_error: float) -> dict[str, float | None]:
        """From which probability on mentions are answered, what share of them that is, and how many are right.

        The last two are counted on the mentions that the first was found on.
        """
        least = AnswerCurve.of(self.probability, self.outcome).least_probability(target_error)
        among = np.zeros(len(self.outcome), bool) if least is None else self.probability >= least
        return {
            "target_error": target_error,
            "least_probability": least,
            "share_answered": round(float(among.mean()), 6),
            "precision": round(float(self.outcome[among].mean()), 6) if among.any() else None,
        }

    def to_json(self, target_error: float) -> dict[str, Any]:
        """Figures, bins and answers as plain values."""
        bins = reliability(self.probability, self.outcome)
        return {
            **self.figures(),
            "bins": [
                {"probability": round(said, 6), "share_right": round(was, 6), "count": count}
                for said, was, count in zip(
                    bins.probability.tolist(), bins.share_right.tolist(), bins.size.tolist(), strict=True
                )
            ],
            "answered": [self.answered(each) for each in sorted({*TARGETS, target_error})],
        }
