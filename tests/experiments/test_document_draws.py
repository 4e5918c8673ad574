"""Intervals over documents, against literal loops over the documents drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.evaluation.metrics import adjusted_rand_index, normalised_mutual_information
from arborlink.experiments.cluster_bootstrap import agreement_of_draws, centred_interval
from arborlink.experiments.documents_bootstrap import (
    difference_interval,
    document_draws,
    percentiles,
    share_interval,
)

COUNTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12)
CLUSTERED = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=14
)


def test_a_draw_takes_as_many_documents_as_there_are() -> None:
    draws = document_draws(7, 50, seed=3)
    assert draws.shape == (50, 7)
    assert (draws.sum(axis=1) == 7).all()
    assert np.array_equal(draws, document_draws(7, 50, seed=3))
    assert not np.array_equal(draws, document_draws(7, 50, seed=4))


@settings(max_examples=60, deadline=None)
@given(COUNTS)
def test_shares_and_differences_are_those_of_the_documents_drawn(counts: list[tuple[int, int, int]]) -> None:
    counted = np.array([max(counts_) for counts_ in counts])
    right, other = np.array([each[0] for each in counts]), np.array([each[1] for each in counts])
    draws = document_draws(len(counts), 40)
    shares, differences = [], []
    for row in draws:
        taken = [document for document, times in enumerate(row) for _ in range(int(times))]
        whole = sum(int(counted[document]) for document in taken)
        if whole:
            shares.append(sum(int(right[document]) for document in taken) / whole)
            differences.append(sum(int(right[d]) - int(other[d]) for d in taken) / whole)
    if np.count_nonzero(counted) < 2:
        assert share_interval(right, counted, draws) is None
        assert difference_interval(right, other, counted, draws) is None
        return
    assert share_interval(right, counted, draws) == pytest.approx(percentiles(np.array(shares)))
    assert difference_interval(right, other, counted, draws) == pytest.approx(
        percentiles(np.array(differences)), abs=1e-12
    )


def test_a_run_compared_with_itself_differs_by_nothing() -> None:
    right, counted = [3, 0, 2, 5], [4, 1, 2, 6]
    assert difference_interval(right, right, counted, document_draws(4)) == (0.0, 0.0)


def test_equal_documents_leave_no_doubt() -> None:
    interval = share_interval([1] * 9, [2] * 9, document_draws(9))
    assert interval == (0.5, 0.5)


def literal_agreement(gold: list[int], predicted: list[int], weights: list[int]) -> tuple[float, float]:
    """NMI of the weighted mentions, ARI over pairs of different ones."""
    total = sum(weights)

    def entropy(labels: list[object]) -> float:
        shares = [
            sum(weight for label, weight in zip(labels, weights, strict=True) if label == each) / total
            for each in set(labels)
        ]
        return -sum(share * math.log(share) for share in shares if share)

    h_gold, h_predicted = entropy(list(gold)), entropy(list(predicted))
    h_both = entropy(list(zip(gold, predicted, strict=True)))
    mean = (h_gold + h_predicted) / 2
    nmi = 1.0 if mean <= 1e-12 else (h_gold + h_predicted - h_both) / mean
    s = a = b = t = 0
    for i in range(len(gold)):
        for j in range(i):
            weight = weights[i] * weights[j]
            t += weight
            a += weight * (gold[i] == gold[j])
            b += weight * (predicted[i] == predicted[j])
            s += weight * (gold[i] == gold[j] and predicted[i] == predicted[j])
    if s == a == b:
        return nmi, 1.0
    return nmi, (s - a * b / t) / ((a + b) / 2 - a * b / t)


@settings(max_examples=80, deadline=None)
@given(CLUSTERED, st.integers(0, 9))
def test_agreement_of_every_draw_is_that_of_its_mentions(
    clustered: list[tuple[int, int, int]], seed: int
) -> None:
    gold, predicted, document = (np.array(column, dtype=np.int64) for column in zip(*clustered, strict=True))
    draws = np.vstack([np.ones((1, 5)), document_draws(5, 6, seed)]).astype(np.int64)
    draws = draws[(draws[:, document] > 0).any(axis=1)]
    nmi, ari = agreement_of_draws(gold, predicted, document, draws)
    assert nmi[0] == pytest.approx(normalised_mutual_information(gold, predicted), abs=1e-9)
    assert ari[0] == pytest.approx(adjusted_rand_index(gold, predicted), abs=1e-9)
    for place, row in enumerate(draws):
        expected = literal_agreement(gold.tolist(), predicted.tolist(), row[document].tolist())
        assert (nmi[place], ari[place]) == pytest.approx(expected, abs=1e-9)


def test_a_centred_interval_lies_around_the_value() -> None:
    values = np.random.default_rng(0).normal(0.7, 0.01, 2000)
    low, high = centred_interval(values, 0.6)
    assert low < 0.6 < high
    assert high - low == pytest.approx(0.0392, abs=0.002)
