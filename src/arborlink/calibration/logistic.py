"""Logistic regression with a ridge, by Newton's method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_MOST_TURNS = 100
_FLAT = 1e-9


def fit_logistic(features: Floats, outcome: Floats, penalty: float = 1.0) -> tuple[Floats, float]:
    """The weights and the intercept that make the outcomes likeliest.

    Minimises ``Σ log(1 + exp(-(2 y - 1) s)) + penalty / 2 · |weights|²`` with ``s = features @ weights + intercept``;
    the ridge keeps the weights finite where a feature parts the outcomes without a mistake. The intercept is free.

    Args:
        features: standardised, shape (n, n_features).
        outcome: 0 or 1, both of them there, shape (n,).
        penalty: of the weights; scikit-learn's ``1 / C``.

    Returns:
        The weights, shape (n_features,), and the intercept.
    """
    rows = np.column_stack([features, np.ones(len(features))])
    ridge = np.append(np.full(features.shape[1], penalty), 0.0)
    share = float(outcome.mean())
    found = np.append(np.zeros(features.shape[1]), np.log(share / (1 - share)))
    loss = _loss(rows, outcome, ridge, found)
    for _ in range(_MOST_TURNS):
        likely = _sigmoid(rows @ found)
        slope = rows.T @ (likely - outcome) + ridge * found
        if np.abs(slope).max() <= _FLAT * len(rows):
            break
        curvature = (rows * (likely * (1 - likely))[:, None]).T @ rows + np.diag(ridge + _FLAT)
        step = np.linalg.solve(curvature, slope)
        length = 1.0
        while (lower := _loss(rows, outcome, ridge, found - length * step)) > loss and length > _FLAT:
            length /= 2
        if lower >= loss:
            break  # as far down as numbers of this size can tell
        found, loss = found - length * step, lower
    return found[:-1], float(found[-1])


def _sigmoid(score: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(score / 2))


def _loss(rows: Floats, outcome: Floats, ridge: Floats, found: Floats) -> float:
    score = rows @ found
    return float(np.logaddexp(0, score).sum() - outcome @ score + ridge @ found**2 / 2)
