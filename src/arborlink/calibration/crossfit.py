"""Fitting a probability on documents, with the map learnt from scores that the regression did not see."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from arborlink.calibration.isotonic import rising_map
from arborlink.calibration.logistic import fit_logistic
from arborlink.confidence import AnswerCurve, ProbabilityModel, Scale

Floats = NDArray[np.float64]
Folds = NDArray[np.int64]

N_FOLDS = 5
FEWEST_OF_EACH = 10
"""So many right and so many wrong outcomes are needed for features to count at all."""


def document_folds(ids: Iterable[str], n_folds: int = N_FOLDS) -> Folds:
    """Deal documents into folds of equal size (to within one), by hashes of their ids.

    So a document's fold does not depend on the order of the documents, and neighbours in a file part.

    Args:
        ids: of the documents, each once.
        n_folds: how many folds.

    Returns:
        The fold of each document, from 0, shape (n_documents,).
    """
    given = list(ids)
    order = sorted(
        range(len(given)), key=lambda place: blake2b(given[place].encode("utf-8", "replace")).digest()
    )
    folds = np.empty(len(given), np.int64)
    folds[order] = np.arange(len(given)) % n_folds
    return folds


def fit_probability(
    features: Floats, outcome: Floats, fold: Folds, names: tuple[str, ...], held_out: Floats
) -> ProbabilityModel:
    """A model whose map and answers come from mentions that what they judge was not fit on.

    A regression is fit on all folds but one and scores that one, for each in turn; the map is learnt from these
    scores. The answers need probabilities that neither regression nor map has seen the outcome of.

    Args:
        features: shape (n, n_features).
        outcome: 0 or 1, shape (n,), at least one.
        fold: the fold of each mention's document, shape (n,).
        names: of the features.
        held_out: what :func:`held_out_probabilities` gave, shape (n,).
    """
    return _fitted(features, outcome, fold, names, AnswerCurve.of(held_out, outcome))


def held_out_probabilities(features: Floats, outcome: Floats, fold: Folds, names: tuple[str, ...]) -> Floats:
    """The probability of each mention by a model of all the other folds, map and all; of a single fold, by its own.

    Args:
        features: shape (n, n_features).
        outcome: 0 or 1, shape (n,).
        fold: the fold of each mention's document, shape (n,).
        names: of the features.
    """
    none = AnswerCurve(np.zeros(0), np.zeros(0))
    probability = np.empty(len(outcome))
    there = np.unique(fold)
    for each in there:
        held = fold == each
        rest = ~held if len(there) > 1 else held
        model = _fitted(features[rest], outcome[rest], fold[rest], names, none)
        probability[held] = model.probability(features[held])
    return probability


def _fitted(
    features: Floats, outcome: Floats, fold: Folds, names: tuple[str, ...], answers: AnswerCurve
) -> ProbabilityModel:
    scale = Scale.of(features)
    standardised = scale.standardised(features)
    score = _scores_from_other_folds(standardised, outcome, fold)
    if score is None:
        # too little to learn from: the share of all, wherever a mention stands
        weights, intercept = np.zeros(len(names)), 0.0
        score = np.zeros(len(outcome))
    else:
        weights, intercept = fit_logistic(standardised, outcome)
    scores, probabilities = rising_map(score, outcome)
    return ProbabilityModel(names, scale, weights, intercept, scores, probabilities, answers)


def _scores_from_other_folds(standardised: Floats, outcome: Floats, fold: Folds) -> Floats | None:
    """Each mention's score by a regression on all the other folds; ``None`` where one of them cannot be fit."""
    score = np.empty(len(outcome))
    for each in np.unique(fold):
        held = fold == each
        rest = outcome[~held]
        if min(rest.sum(), len(rest) - rest.sum()) < FEWEST_OF_EACH:
            return None
        weights, intercept = fit_logistic(standardised[~held], rest)
        score[held] = standardised[held] @ weights + intercept
    return score
