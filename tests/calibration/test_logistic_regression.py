"""Newton's method against scikit-learn's solver."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from arborlink.calibration import fit_logistic


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("penalty", [0.1, 1.0, 30.0])
def test_weights_are_scikit_learns(seed: int, penalty: float) -> None:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(300, 4))
    chance = 1 / (1 + np.exp(-(features @ [2.0, -1.0, 0.0, 0.5] - 1)))
    outcome = (rng.random(300) < chance).astype(float)
    weights, intercept = fit_logistic(features, outcome, penalty)
    expected = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=5000).fit(features, outcome)
    np.testing.assert_allclose(weights, expected.coef_[0], atol=1e-4)
    assert intercept == pytest.approx(expected.intercept_[0], abs=1e-4)


def test_features_that_part_the_outcomes_or_say_nothing_have_finite_weights() -> None:
    outcome = np.array([0.0] * 50 + [1.0] * 50)
    features = np.column_stack([np.linspace(-2, 2, 100), np.zeros(100), np.linspace(-2, 2, 100)])
    weights, intercept = fit_logistic(features, outcome)
    assert np.isfinite(weights).all()
    assert weights[1] == 0
    assert weights[0] == pytest.approx(weights[2])
    assert weights[0] > 1
    assert intercept == pytest.approx(0, abs=1e-6)


def test_far_out_features_do_not_overflow() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(200, 2)) * 1e4
    weights, intercept = fit_logistic(features, (features[:, 0] > 0).astype(float))
    assert np.isfinite([*weights, intercept]).all()
    assert weights[0] > 0
