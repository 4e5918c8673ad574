"""NMI, ARI and B-cubed against scikit-learn and against their definitions read literally."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.evaluation import metrics

Labels = list[int]


@st.composite
def two_clusterings(draw: st.DrawFn) -> tuple[Labels, Labels]:
    n = draw(st.integers(0, 40))
    n_gold, n_predicted = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    gold = draw(st.lists(st.integers(0, n_gold - 1), min_size=n, max_size=n))
    predicted = draw(st.lists(st.integers(0, n_predicted - 1), min_size=n, max_size=n))
    return gold, predicted


def scikit_learn(name: str, gold: Labels, predicted: Labels) -> float:
    from sklearn import metrics as oracle

    with warnings.catch_warnings():
        # scikit-learn doubts labels of which nearly every mention has its own; ours often do
        warnings.simplefilter("ignore", UserWarning)
        return float(getattr(oracle, name)(gold, predicted))


def literal_b_cubed(gold: Labels, predicted: Labels) -> tuple[float, float]:
    precision, recall = [], []
    for g, p in zip(gold, predicted, strict=True):
        in_gold = {place for place, label in enumerate(gold) if label == g}
        in_predicted = {place for place, label in enumerate(predicted) if label == p}
        precision.append(len(in_gold & in_predicted) / len(in_predicted))
        recall.append(len(in_gold & in_predicted) / len(in_gold))
    return float(np.mean(precision)), float(np.mean(recall))


EDGES = [
    pytest.param([], [], id="empty"),
    pytest.param([0], [0], id="one mention"),
    pytest.param([0, 0, 0], [0, 0, 0], id="one cluster in both"),
    pytest.param([0, 1, 2], [2, 0, 1], id="all singletons in both"),
    pytest.param([0, 0, 0], [0, 1, 2], id="one cluster against singletons"),
    pytest.param([0, 1, 2], [0, 0, 0], id="singletons against one cluster"),
    pytest.param([0, 0, 1, 1], [0, 1, 0, 1], id="independent"),
    pytest.param([0, 0, 1, 1], [1, 1, 0, 0], id="equal but for the names"),
]


@pytest.mark.parametrize(("gold", "predicted"), EDGES)
def test_edge_cases_are_those_of_scikit_learn(gold: Labels, predicted: Labels) -> None:
    nmi = metrics.normalised_mutual_information(gold, predicted)
    ari = metrics.adjusted_rand_index(gold, predicted)
    assert nmi == pytest.approx(scikit_learn("normalized_mutual_info_score", gold, predicted), abs=1e-12)
    assert ari == pytest.approx(scikit_learn("adjusted_rand_score", gold, predicted), abs=1e-12)


@given(two_clusterings())
def test_nmi_is_that_of_scikit_learn(labels: tuple[Labels, Labels]) -> None:
    expected = scikit_learn("normalized_mutual_info_score", *labels)
    assert metrics.normalised_mutual_information(*labels) == pytest.approx(expected, abs=1e-9)


@given(two_clusterings())
def test_ari_is_that_of_scikit_learn(labels: tuple[Labels, Labels]) -> None:
    expected = scikit_learn("adjusted_rand_score", *labels)
    assert metrics.adjusted_rand_index(*labels) == pytest.approx(expected, abs=1e-12)


@given(two_clusterings().filter(lambda labels: len(labels[0]) > 0))
def test_b_cubed_is_its_definition(labels: tuple[Labels, Labels]) -> None:
    precision, recall = literal_b_cubed(*labels)
    found = metrics.b_cubed(*labels)
    assert found.precision == pytest.approx(precision)
    assert found.recall == pytest.approx(recall)
    assert found.f1 == pytest.approx(2 * precision * recall / (precision + recall))


@given(two_clusterings())
def test_b_cubed_turned_round_swaps_precision_and_recall(labels: tuple[Labels, Labels]) -> None:
    gold, predicted = labels
    there, back = metrics.b_cubed(gold, predicted), metrics.b_cubed(predicted, gold)
    assert (there.precision, there.recall) == pytest.approx((back.recall, back.precision))


@given(two_clusterings())
def test_cells_add_up(labels: tuple[Labels, Labels]) -> None:
    table = metrics.contingency(*labels)
    assert table.n == table.cells.sum() == table.gold_sizes.sum() == table.predicted_sizes.sum()
    assert len(table.cells) <= table.n
    for sizes, numbers in (
        (table.gold_sizes, table.cell_gold),
        (table.predicted_sizes, table.cell_predicted),
    ):
        np.testing.assert_array_equal(np.bincount(numbers, table.cells, len(sizes)), sizes)


def test_labels_may_be_strings() -> None:
    assert metrics.adjusted_rand_index(["a", "a", "b"], [7, 7, 9]) == 1.0
    assert metrics.normalised_mutual_information(["a", "a", "b"], [7, 7, 9]) == pytest.approx(1.0)
    assert metrics.b_cubed(["a", "a", "b"], [7, 7, 9]) == (1.0, 1.0, 1.0)


def test_a_dense_table_is_never_built() -> None:
    n = 300_000  # all pairs of clusters would be 9·10^10 cells
    singletons = np.arange(n)
    couples = singletons // 2
    assert metrics.normalised_mutual_information(singletons, singletons) == pytest.approx(1.0)
    assert metrics.adjusted_rand_index(couples, singletons) == 0.0
    assert metrics.b_cubed(couples, singletons) == pytest.approx((1.0, 0.5, 2 / 3))


def test_large_clusters_do_not_overflow() -> None:
    n = 200_000  # the pairs squared pass 2^63
    halves = np.arange(n) % 2
    one_moved = halves.copy()
    one_moved[0] = 1
    assert 0.9999 < metrics.adjusted_rand_index(halves, one_moved) < 1.0


@pytest.mark.parametrize("labels", [([0, 1], [0]), ([[0, 1]], [[0, 1]])])
def test_labels_of_two_lengths_are_refused(labels: tuple[Labels, Labels]) -> None:
    with pytest.raises(ValueError, match="expected one label a mention"):
        metrics.contingency(*labels)
