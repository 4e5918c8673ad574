"""No result depends on the order of the edges, the sort, or the sign of zero."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.graph import NeighbourGraph
from arborlink.partition import MODES, Mode, Partition, partition

from .graphs import Case, general_cases, graph_of, random_graph


def same(one: Partition, other: Partition) -> None:
    for name in ("entity", "cluster", "parent", "weight"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def shuffled(graph: NeighbourGraph, order: np.ndarray) -> NeighbourGraph:
    return graph_of(
        graph.source[order], graph.target[order], graph.weight[order], graph.n_entities, graph.n_mentions
    )


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=200, deadline=None)
@given(case=general_cases(), seed=st.integers(0, 1000))
def test_the_order_of_the_edges_does_not_matter(mode: Mode, case: Case, seed: int) -> None:
    graph = case.graph()
    order = np.random.default_rng(seed).permutation(graph.n_edges)
    same(partition(graph, mode, case.threshold), partition(shuffled(graph, order), mode, case.threshold))


@pytest.mark.parametrize("levels", [1, 2, 50, 5000])
@pytest.mark.parametrize("mode", MODES)
def test_large_graphs_with_many_ties(mode: Mode, levels: int) -> None:
    graph = random_graph(20_000, 4, seed=levels, entity_share=0.3)
    weight = np.floor(graph.weight * levels)
    tied = graph_of(graph.source, graph.target, weight, graph.n_entities, graph.n_mentions)
    order = np.random.default_rng(0).permutation(graph.n_edges)
    same(partition(tied, mode), partition(shuffled(tied, order), mode))


@pytest.mark.parametrize("mode", MODES)
def test_float32_and_float64_give_the_same(mode: Mode) -> None:
    graph = random_graph(20_000, 4, seed=8, entity_share=0.7)
    wide = graph_of(
        graph.source, graph.target, graph.weight.astype(np.float64), graph.n_entities, graph.n_mentions
    )
    same(partition(graph, mode, 0.6), partition(wide, mode, 0.6))


@pytest.mark.parametrize("mode", MODES)
def test_float64_weights_closer_than_float32_can_tell_are_told_apart(mode: Mode) -> None:
    graph = graph_of([0, 1], [2, 2], np.array([1.0 + 1e-12, 1.0]), 2, 1)
    assert partition(graph, mode).entity.tolist() == [1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", MODES)
def test_zero_has_no_sign(mode: Mode, dtype: type) -> None:
    graph = graph_of([0, 1], [2, 2], np.array([0.0, -0.0], dtype), 2, 1)
    assert partition(graph, mode).entity.tolist() == [0]


@pytest.mark.parametrize("mode", MODES)
def test_equal_weights_go_to_the_smaller_source(mode: Mode) -> None:
    case = Case([(1.0, 1, 2), (1.0, 0, 2), (1.0, 2, 3), (1.0, 1, 3)], 2, 2)
    found = partition(case.graph(), mode)
    assert found.entity.tolist() == [0, 1]
    assert found.parent.tolist() == [0, 1]
