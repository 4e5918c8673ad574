"""Expected calibration error and Brier score against literal loops."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from arborlink.errors import InputError
from arborlink.evaluation import metrics

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=50)


def literal_error(pairs: Sequence[tuple[int, bool]], n_bins: int) -> Fraction:
    """Mention by mention, in exact fractions; probabilities in eighths."""
    ordered = sorted(said for said, _ in pairs)
    n_bins = min(n_bins, len(ordered))
    total, start = Fraction(0), 0
    for number in range(n_bins):
        size = len(ordered) // n_bins + (number < len(ordered) % n_bins)
        distance = Fraction(0)
        for said in ordered[start : start + size]:
            outcomes = [was for other, was in pairs if other == said]
            distance += Fraction(said, 8) - Fraction(sum(outcomes), len(outcomes))
        total += abs(distance)
        start += size
    return total / len(ordered)


@given(PAIRS, st.integers(1, 20))
def test_the_error_is_that_of_the_literal_loop(pairs: list[tuple[int, bool]], n_bins: int) -> None:
    said, was = [pair[0] / 8 for pair in pairs], [pair[1] for pair in pairs]
    found = metrics.expected_calibration_error(said, was, n_bins)
    assert found == pytest.approx(float(literal_error(pairs, n_bins)), abs=1e-12)
    assert 0 <= found <= 1
    assert metrics.expected_calibration_error(said[::-1], was[::-1], n_bins) == pytest.approx(
        found, abs=1e-12
    )


@given(PAIRS)
def test_the_brier_score_is_scikit_learns(pairs: list[tuple[int, bool]]) -> None:
    said, was = [pair[0] / 8 for pair in pairs], [int(pair[1]) for pair in pairs]
    assert metrics.brier_score(said, was) == pytest.approx(brier_score_loss(was, said, pos_label=1))


def test_bins_have_equal_counts_and_hold_everything() -> None:
    rng = np.random.default_rng(0)
    said = rng.random(1000)
    bins = metrics.reliability(said, rng.random(1000) < said)
    assert len(bins.size) == metrics.N_BINS == 15
    assert (bins.size.sum(), bins.size.min(), bins.size.max()) == (1000, 66, 67)
    assert (np.diff(bins.probability) > 0).all()
    assert bins.expected_error < 0.06


@pytest.mark.parametrize(
    ("said", "was", "message"),
    [
        ([], [], "there are no probabilities to judge"),
        ([0.5], [1, 0], r"there are \(1,\) probabilities and \(2,\) outcomes"),
        ([0.5, 1.5], [1, 0], "probability 1 is 1.5; expected a number from 0 to 1"),
        ([float("nan")], [1], "probability 0 is nan"),
    ],
)
def test_what_cannot_be_judged_is_told(said: list[float], was: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        metrics.expected_calibration_error(said, was)
    with pytest.raises(InputError, match=message):
        metrics.brier_score(said, was)


def test_no_bins_are_refused() -> None:
    with pytest.raises(InputError, match="n_bins is 0; expected 1 or more"):
        metrics.reliability([0.5], [1], n_bins=0)
