"""Figures of calibration: are the probabilities what they say, and how much is answered, how well?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.evaluation.figures import Figure
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.metrics import N_BINS, accuracy, brier_score, expected_calibration_error
from arborlink.evaluation.predictions import Predictions
from arborlink.evaluation.said import ANSWERS

_BINS = f"{N_BINS} bins of equal count"


def calibration_figures(gold: Gold, predictions: Predictions) -> list[Figure]:
    """Expected calibration error, Brier score and answers over labelled mentions; nothing if links say nothing.

    Of a linked mention it is judged whether its link is right, of any other whether its entity is outside the KB.
    """
    said = predictions.said
    if said is None:
        return []
    linked = predictions.entity >= 0
    right = gold.is_right(np.arange(len(gold.labels)), predictions.entity)
    was = np.where(linked, right, gold.nil)
    judged = gold.labelled & predictions.predicted
    told = judged & ~np.isnan(said.probability)
    kinds = {"": np.ones(len(linked), bool), "_links": linked, "_new": ~linked}
    figures = []
    for suffix, kind in kinds.items():
        figures += _probability_figures(suffix, said.probability, was, told & kind)
    is_answered = (said.answer >= 0) & (said.answer != ANSWERS.index("unsure"))
    for suffix, kind in kinds.items():
        figures += _answer_figures(suffix, is_answered, was, judged & kind)
    return figures


def _probability_figures(
    suffix: str, probability: NDArray[np.float64], was: NDArray[np.bool_], among: NDArray[np.bool_]
) -> list[Figure]:
    keys = (f"calibration_error{suffix}", f"brier_score{suffix}")
    n = int(among.sum())
    if not n:
        reason = f"no labelled mention{_MEANT[suffix]} has a probability"
        return [Figure(key, None, "calibration", reason) for key in keys]
    values = (
        expected_calibration_error(probability[among], was[among]),
        brier_score(probability[among], was[among]),
    )
    notes = f"of {n:,} labelled mentions{_MEANT[suffix]}, {_BINS}", "mean squared distance of the same"
    return [
        Figure(key, value, "calibration", note) for key, value, note in zip(keys, values, notes, strict=True)
    ]


def _answer_figures(
    suffix: str, is_answered: NDArray[np.bool_], was: NDArray[np.bool_], among: NDArray[np.bool_]
) -> list[Figure]:
    n, answered = int(among.sum()), among & is_answered
    share = accuracy(is_answered, among)
    n_answered, n_right = int(answered.sum()), int(was[answered].sum())
    return [
        Figure(
            f"answered{suffix}",
            share,
            "calibration",
            f"{n_answered:,} of {n:,} labelled mentions{_MEANT[suffix]}, the others unsure"
            if n
            else f"there is no labelled mention{_MEANT[suffix]}",
        ),
        Figure(
            f"answered{suffix}_precision",
            accuracy(was, answered),
            "calibration",
            f"{n_right:,} right of {n_answered:,}" if n_answered else f"nothing{_MEANT[suffix]} is answered",
        ),
    ]


_MEANT = {"": "", "_links": " linked", "_new": " left unlinked"}
