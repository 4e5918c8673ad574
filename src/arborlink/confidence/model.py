"""A probability from features: standardised, weighed, and mapped to what was found on labelled documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.confidence.answers import DIGITS, AnswerCurve
from arborlink.confidence.numbers import number, numbers
from arborlink.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Scale:
    """What the features of labelled documents were like; shape (n_features,) each.

    Args:
        low: smallest finite value; smaller ones are taken as this.
        high: largest finite value; larger ones are taken as this.
        mean: mean value, which stands in for a missing one.
        spread: standard deviation; 1 where all were alike.
    """

    low: Floats
    high: Floats
    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, features: Floats) -> Scale:
        """The scale of features, shape (n, n_features), of which some may be missing (NaN) or infinite."""
        columns = [column[np.isfinite(column)] for column in features.T]
        columns = [column if len(column) else np.zeros(1) for column in columns]
        spread = np.array([column.std() for column in columns])
        return cls(
            np.array([column.min() for column in columns]),
            np.array([column.max() for column in columns]),
            np.array([column.mean() for column in columns]),
            # rounding makes a constant column vary a little
            np.where(spread > 1e-9, spread, 1.0),
        )

    def standardised(self, features: Floats) -> Floats:
        """The features with mean 0 and variance 1 on the labelled documents, none beyond what was seen there."""
        present = np.where(np.isnan(features), self.mean, features)
        return (np.clip(present, self.low, self.high) - self.mean) / self.spread


@dataclass(frozen=True, eq=False, slots=True)
class ProbabilityModel:
    """A logistic regression on standardised features, and a rising map from its score to a probability.

    Args:
        features: names of the features.
        scale: how they are standardised.
        weights: one for each feature.
        intercept: of the score.
        scores: scores at which the map has a knot, ascending; straight between them, level beyond.
        probabilities: the probability at each knot, not descending.
        answers: from which probability on how many answers are wrong.
    """

    features: tuple[str, ...]
    scale: Scale
    weights: Floats
    intercept: float
    scores: Floats
    probabilities: Floats
    answers: AnswerCurve

    def score(self, features: Floats) -> Floats:
        """The logistic regression's score, a logarithm of odds.

        Args:
            features: shape (n, n_features).
        """
        # column by column: the same for a mention whoever stands beside it, which a matrix product does not promise
        standardised = self.scale.standardised(features)
        score = np.full(len(features), self.intercept)
        for column, weight in enumerate(self.weights.tolist()):
            score += weight * standardised[:, column]
        return score

    def probability(self, features: Floats) -> Floats:
        """A probability in six digits for each row of features, shape (n, n_features)."""
        return np.round(np.interp(self.score(features), self.scores, self.probabilities), DIGITS)

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, with all their digits."""
        return {
            "features": [
                {
                    "name": name,
                    "low": float(self.scale.low[place]),
                    "high": float(self.scale.high[place]),
                    "mean": float(self.scale.mean[place]),
                    "spread": float(self.scale.spread[place]),
                    "weight": float(self.weights[place]),
                }
                for place, name in enumerate(self.features)
            ],
            "intercept": self.intercept,
            "map": {"score": self.scores.tolist(), "probability": self.probabilities.tolist()},
            "answers": self.answers.to_json(),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any], features: tuple[str, ...]) -> ProbabilityModel:
        """The model of plain numbers.

        Args:
            fields: what :meth:`to_json` gave.
            features: those that it must be a model of, in order.

        Raises:
            InputError: it is none.
        """
        given = fields.get("features")
        names = [each.get("name") for each in given] if isinstance(given, list) else None
        if names != list(features):
            raise InputError(f"features are {names}; expected {list(features)}")
        table = {
            name: np.array([number(each, name) for each in given or ()])
            for name in ("low", "high", "mean", "spread", "weight")
        }
        if (table["spread"] <= 0).any():
            raise InputError("the spread of a feature is not above 0")
        if not isinstance(fields.get("map"), dict) or not isinstance(fields.get("answers"), dict):
            raise InputError("the model has no map from scores to probabilities, or no answers")
        scores = numbers(fields["map"], "score")
        probabilities = numbers(fields["map"], "probability", len(scores))
        _check_map(scores, probabilities)
        return cls(
            features,
            Scale(table["low"], table["high"], table["mean"], table["spread"]),
            table["weight"],
            number(fields, "intercept"),
            scores,
            probabilities,
            AnswerCurve.from_json(fields["answers"]),
        )


def _check_map(scores: Floats, probabilities: Floats) -> None:
    if not len(scores):
        raise InputError("the map from scores to probabilities has no knots")
    if (np.diff(scores) <= 0).any() or (np.diff(probabilities) < 0).any():
        raise InputError("the map from scores to probabilities does not rise")
    if probabilities[0] < 0 or probabilities[-1] > 1:
        raise InputError("the map gives probabilities outside 0 to 1")
