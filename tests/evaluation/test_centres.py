"""One-dimensional k-means: the best division by brute force, scikit-learn's on plain groups, and odd values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from arborlink.errors import InputError
from arborlink.evaluation.discovery_protocol import centres


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9), st.integers(1, 4))
def test_centres_are_those_of_the_best_division(values: list[int], k: int) -> None:
    ordered, found = sorted(values), centres(values, k)
    assert len(found) == min(k, len(set(values)))
    assert (np.diff(found) > 0).all()
    divisions = itertools.combinations(range(1, len(ordered)), min(k, len(ordered)) - 1)
    runs = ([ordered[a:b] for a, b in itertools.pairwise([0, *cuts, len(ordered)])] for cuts in divisions)
    least = min(sum(float(np.var(run)) * len(run) for run in each) for each in runs)
    cost = sum(min((value - centre) ** 2 for centre in found) for value in values)
    assert cost == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("n", [40, 3000])
def test_centres_agree_with_sklearn_where_groups_are_plain(n: int) -> None:
    draw = np.random.default_rng(0)
    sizes = [n, n // 10, n // 4, n // 2]  # a small group must not be lost between large ones
    values = np.concatenate([draw.normal(at, 0.05, size) for at, size in zip(range(4), sizes, strict=True)])
    expected = KMeans(4, n_init=10, random_state=0).fit(values[:, None]).cluster_centers_.ravel()
    np.testing.assert_allclose(centres(values, 4), np.sort(expected), atol=1e-6)
    np.testing.assert_array_equal(centres(draw.permutation(values), 4), centres(values, 4))


def test_one_far_value_does_not_swallow_the_centres() -> None:
    values = np.append(np.linspace(0, 1, 2000), 1e9)
    found = centres(values, 10)
    assert len(found) == 10
    assert found[-1] == pytest.approx(1e9)


def test_centres_need_finite_numbers_and_a_count() -> None:
    with pytest.raises(InputError, match="k is 0"):
        centres([1.0], 0)
    with pytest.raises(InputError, match="not all finite"):
        centres([1.0, np.nan], 2)
