"""What λ keeps, and what raising it may change."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings

from arborlink.partition import MODES, Mode, partition

from .graphs import Case, general_cases, graph_of, random_graph

MONOTONE: tuple[Literal["undirected", "minimax"], ...] = ("undirected", "minimax")


@pytest.mark.parametrize("mode", MONOTONE)
@settings(max_examples=300, deadline=None)
@given(case=general_cases())
def test_raising_the_threshold_never_relinks(mode: Mode, case: Case) -> None:
    graph = case.graph()
    steps = [partition(graph, mode, weight) for weight in sorted({weight for weight, _, _ in case.edges})]
    for lower, upper in pairwise([*steps, partition(graph, mode)]):
        linked = lower.entity >= 0
        np.testing.assert_array_equal(lower.entity[linked], upper.entity[linked])
        np.testing.assert_array_equal(lower.parent[linked], upper.parent[linked])


@settings(max_examples=300, deadline=None)
@given(case=general_cases())
def test_undirected_clusters_only_merge(case: Case) -> None:
    graph = case.graph()
    steps = [
        partition(graph, "undirected", weight) for weight in sorted({weight for weight, _, _ in case.edges})
    ]
    for lower, upper in pairwise(steps):
        pairs = set(zip(lower.cluster.tolist(), upper.cluster.tolist(), strict=True))
        assert len(pairs) == lower.n_clusters


@pytest.mark.parametrize("mode", MONOTONE)
def test_a_large_graph_keeps_its_links_as_the_threshold_rises(mode: Mode) -> None:
    graph = random_graph(100_000, 4, seed=9, entity_share=0.4)
    steps = [partition(graph, mode, threshold) for threshold in (0.05, 0.2, 0.5, 0.8, None)]
    for lower, upper in pairwise(steps):
        linked = lower.entity >= 0
        np.testing.assert_array_equal(lower.parent[linked], upper.parent[linked])
        np.testing.assert_array_equal(lower.entity[linked], upper.entity[linked])
        assert linked.sum() < (upper.entity >= 0).sum()


@pytest.mark.parametrize("mode", MODES)
def test_the_threshold_is_exact(mode: Mode) -> None:
    # 0.1 is not a float32: the nearest one is larger than 0.1, the one before it smaller
    nearest = np.float32(0.1)
    before = np.nextafter(nearest, np.float32(0))
    graph = graph_of([0, 0], [1, 2], np.array([nearest, before]), 1, 2)
    assert partition(graph, mode, 0.1).entity.tolist() == [-1, 0]
    assert partition(graph, mode, float(nearest)).entity.tolist() == [0, 0]
    assert partition(graph, mode, float(before)).entity.tolist() == [-1, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", MODES)
def test_infinite_weights_and_thresholds(mode: Mode, dtype: type) -> None:
    graph = graph_of([0, 0, 0], [1, 2, 3], np.array([-np.inf, 0.0, np.inf], dtype), 1, 3)
    linked = {
        threshold: (partition(graph, mode, threshold).entity >= 0).tolist()
        for threshold in (-np.inf, -1e300, -0.0, 1e300, np.inf, None)
    }
    assert linked == {
        -np.inf: [True, False, False],
        -1e300: [True, False, False],
        -0.0: [True, True, False],
        1e300: [True, True, False],
        np.inf: [True, True, True],
        None: [True, True, True],
    }


@pytest.mark.parametrize("mode", ["undirected", "directed", "minimax"])
def test_clusters_without_an_entity_hold_together_by_light_edges_only(mode: Mode) -> None:
    case = Case([(1.0, 0, 1), (4.0, 1, 2), (2.0, 2, 3), (9.0, 3, 4)], 0, 5)
    assert partition(case.graph(), mode, 3.0).cluster.tolist() == [0, 0, 1, 1, 2]
    assert partition(case.graph(), mode, 4.0).cluster.tolist() == [0, 0, 0, 0, 1]
