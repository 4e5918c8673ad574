"""Accuracy, recall at k, detection and bootstrap intervals on plain arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.evaluation import metrics

flags = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


def test_accuracy_of_nothing_is_unknown() -> None:
    assert metrics.accuracy(np.array([], bool)) is None
    assert metrics.accuracy(np.array([True]), among=np.array([False])) is None
    assert metrics.recall_at(np.array([], np.int64), 1) is None


def test_accuracy_counts_only_those_asked_for() -> None:
    right = np.array([True, True, False, False])
    assert metrics.accuracy(right) == 0.5
    assert metrics.accuracy(right, among=np.array([True, True, True, False])) == pytest.approx(2 / 3)


def test_recall_grows_with_the_cut_off_and_never_counts_what_was_not_found() -> None:
    ranks = np.array([0, 1, 3, metrics.NOT_FOUND])
    assert [metrics.recall_at(ranks, k) for k in (1, 2, 3, 4, 10**9)] == [0.25, 0.5, 0.5, 0.75, 0.75]


@given(flags)
def test_detection_is_that_of_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    from sklearn.metrics import precision_recall_fscore_support

    gold, predicted = np.array(pairs).T
    found = metrics.detection(gold, predicted)
    precision, recall, f1, _ = precision_recall_fscore_support(
        gold, predicted, average="binary", pos_label=True, zero_division=0
    )
    assert found.precision == (pytest.approx(precision) if predicted.any() else None)
    assert found.recall == (pytest.approx(recall) if gold.any() else None)
    assert found.f1 == (pytest.approx(f1) if gold.any() else None)


def test_missing_all_of_the_gold_is_zero_and_not_unknown() -> None:
    nothing = np.array([False, False])
    assert metrics.detection(np.array([True, False]), nothing) == (None, 0.0, 0.0)
    assert metrics.detection(nothing, np.array([True, False])) == (0.0, None, None)
    assert metrics.detection(nothing, nothing) == (None, None, None)


def test_the_interval_depends_on_the_seed_alone() -> None:
    generator = np.random.default_rng(5)
    right, documents = generator.random(400) < 0.7, generator.integers(40, size=400)
    first = metrics.bootstrap_interval(right, documents, 200, seed=1)
    assert first == metrics.bootstrap_interval(right, documents, 200, seed=1)
    assert first != metrics.bootstrap_interval(right, documents, 200, seed=2)
    assert first is not None
    low, high = first
    assert low < right.mean() < high


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(0)
    documents = np.repeat(np.arange(60), 5)
    covered = 0
    for seed in range(100):
        right = generator.random(300) < np.repeat(generator.beta(6, 2, 60), 5)
        low, high = metrics.bootstrap_interval(right, documents, 200, seed) or (1.0, 0.0)
        covered += low <= 0.75 <= high
    assert 85 <= covered <= 100


def test_documents_that_stand_or_fall_whole_widen_the_interval() -> None:
    right = np.repeat([True, False], 100)
    mixed = metrics.bootstrap_interval(right, np.tile(np.arange(20), 10), 500)
    whole = metrics.bootstrap_interval(right, np.repeat(np.arange(20), 10), 500)
    assert mixed is not None
    assert whole is not None
    assert whole[1] - whole[0] > 2 * (mixed[1] - mixed[0])


def test_no_interval_without_two_documents_or_draws() -> None:
    right = np.array([True, False])
    assert metrics.bootstrap_interval(right, np.array([4, 4]), 100) is None
    assert metrics.bootstrap_interval(right, np.array([4, 5]), 0) is None
    assert metrics.bootstrap_interval(right[:0], np.array([], np.int64), 100) is None


def test_a_narrower_level_gives_a_narrower_interval() -> None:
    generator = np.random.default_rng(2)
    right, documents = generator.random(300) < 0.5, np.repeat(np.arange(30), 10)
    wide = metrics.bootstrap_interval(right, documents, 300, level=0.95)
    narrow = metrics.bootstrap_interval(right, documents, 300, level=0.5)
    assert wide is not None
    assert narrow is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
