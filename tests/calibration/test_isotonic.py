"""Pooling against scikit-learn, and the rising map's promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from arborlink.calibration import pool_adjacent_violators, rising_map

VALUES = st.lists(
    st.tuples(st.integers(-5, 5).map(float), st.integers(1, 4).map(float)), min_size=1, max_size=40
)
OUTCOMES = st.lists(
    st.tuples(st.integers(-6, 6).map(lambda n: n / 4), st.booleans()), min_size=1, max_size=60
)


@given(VALUES)
def test_pooling_is_scikit_learns(pairs: list[tuple[float, float]]) -> None:
    values, weights = np.array(pairs).T
    expected = IsotonicRegression().fit_transform(np.arange(len(values)), values, sample_weight=weights)
    np.testing.assert_allclose(pool_adjacent_violators(values, weights), expected, atol=1e-9)


def test_pooling_many_values_is_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=20_000) + np.linspace(0, 3, 20_000), rng.random(20_000) + 0.1
    expected = IsotonicRegression().fit_transform(np.arange(len(values)), values, sample_weight=weights)
    np.testing.assert_allclose(pool_adjacent_violators(values, weights), expected, atol=1e-9)


@given(OUTCOMES)
def test_the_map_rises_between_0_and_1_whatever_the_order(pairs: list[tuple[float, bool]]) -> None:
    score, outcome = np.array([pair[0] for pair in pairs]), np.array([float(pair[1]) for pair in pairs])
    scores, probabilities = rising_map(score, outcome)
    assert (np.diff(scores) > 0).all()
    assert (np.diff(probabilities) >= 0).all()
    assert 0 < probabilities[0] <= probabilities[-1] < 1
    turned = rising_map(score[::-1], outcome[::-1])
    np.testing.assert_array_equal(turned[0], scores)
    np.testing.assert_array_equal(turned[1], probabilities)


def test_the_ends_count_one_outcome_against_themselves() -> None:
    scores, probabilities = rising_map(np.arange(10.0), np.array([0.0] * 4 + [1.0] * 6))
    # four wrong and one made right below, six right and one made wrong above
    assert probabilities.tolist() == pytest.approx([1 / 5, 6 / 7])
    assert scores.tolist() == pytest.approx([1.5, 6.5])


def test_one_score_alone_gets_the_share_with_one_more_of_each() -> None:
    scores, probabilities = rising_map(np.zeros(3), np.array([1.0, 1.0, 0.0]))
    assert (scores.tolist(), probabilities.tolist()) == ([0.0], [3 / 5])
