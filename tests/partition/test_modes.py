"""Where the modes agree, where they differ, and what the door lets through."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.errors import InputError
from arborlink.partition import MODES, Mode, partition

from .graphs import Case, graph_of, neighbour_cases, random_graph
from .invariants import assert_sound

GROUPING: tuple[Mode, ...] = ("undirected", "directed", "minimax")
A, C, X, Y = range(4)
COUNTER_EXAMPLE = Case([(2.0, A, X), (3.0, C, Y), (1.0, Y, X)], 2, 2)


@pytest.mark.parametrize(
    ("mode", "entities"),
    [("independent", [A, C]), ("undirected", [A, A]), ("directed", [C, C]), ("minimax", [A, C])],
)
def test_the_counter_example(mode: Mode, entities: list[int]) -> None:
    assert partition(COUNTER_EXAMPLE.graph(), mode).entity.tolist() == entities


def test_raising_the_threshold_relinks_in_directed_mode() -> None:
    graph = COUNTER_EXAMPLE.graph()
    assert partition(graph, "directed", 2.0).entity.tolist() == [A, -1]
    assert partition(graph, "directed", 3.0).entity.tolist() == [C, C]


def test_the_default_is_directed_without_a_threshold() -> None:
    graph = random_graph(500, 3, seed=1, entity_share=0.5)
    np.testing.assert_array_equal(partition(graph).parent, partition(graph, "directed", np.inf).parent)


def test_a_mention_out_of_reach_joins_no_cluster_with_an_entity() -> None:
    # the edge from z to x leads out of z's cluster, so it does not bring z an entity; undirected it does
    z = 4
    case = Case([(5.0, A, X), (1.0, z, X), (2.0, z, Y)], 2, 3)
    for mode in ("directed", "minimax"):
        found = partition(case.graph(), mode)
        assert found.entity.tolist() == [A, -1, -1]
        assert found.cluster.tolist() == [0, 1, 1]
        assert found.parent.tolist() == [A, -1, Y]
        np.testing.assert_array_equal(found.weight, [5.0, np.nan, 2.0])
    assert partition(case.graph(), "undirected").entity.tolist() == [A, A, A]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("share", "heavier", "threshold"), [(1.0, 0.0, None), (1.0, 2.0, None), (0.02, 0.0, 0.2)]
)
def test_large_graphs_are_sound(mode: Mode, share: float, heavier: float, threshold: float | None) -> None:
    graph = random_graph(100_000, 4, seed=3, entity_share=share, heavier=heavier)
    assert_sound(graph, partition(graph, mode, threshold), mode, threshold)


def test_directed_and_minimax_reach_the_same_mentions_and_cluster_the_others_alike() -> None:
    graph = random_graph(100_000, 4, seed=4, entity_share=0.3)
    directed, minimax = partition(graph, "directed", 0.3), partition(graph, "minimax", 0.3)
    np.testing.assert_array_equal(directed.entity >= 0, minimax.entity >= 0)
    unlinked = directed.entity < 0
    np.testing.assert_array_equal(directed.parent[unlinked], minimax.parent[unlinked])
    assert unlinked.any()
    assert not unlinked.all()


@settings(max_examples=200, deadline=None)
@given(case=neighbour_cases(), data=st.data())
def test_edges_of_weight_minus_infinity_are_must_links(case: Case, data: st.DataObject) -> None:
    edges = [(max(weight, -1e9), source, target) for weight, source, target in case.edges]
    mentions = st.integers(case.n_entities, case.n_entities + case.n_mentions - 1)
    one, other = data.draw(mentions), data.draw(mentions)
    if one != other:
        edges += [(-np.inf, one, other), (-np.inf, other, one)]
    if data.draw(st.booleans()):
        edges.append((-np.inf, 0, one))
    graph = replace(case, edges=edges).graph()
    for mode in GROUPING:
        found = partition(graph, mode, case.threshold)
        assert found.cluster[one - case.n_entities] == found.cluster[other - case.n_entities]
        assert (-np.inf, 0, one) not in edges or found.entity[one - case.n_entities] == 0


def test_unknown_modes_and_thresholds_are_refused() -> None:
    graph = COUNTER_EXAMPLE.graph()
    with pytest.raises(
        InputError, match="no partition mode 'nearest'; expected one of independent, undirected"
    ):
        partition(graph, cast(Mode, "nearest"))
    with pytest.raises(InputError, match="threshold is NaN"):
        partition(graph, "directed", float("nan"))


def test_results_are_read_only_and_counted() -> None:
    found = partition(COUNTER_EXAMPLE.graph(), "minimax")
    assert (found.n_mentions, found.n_clusters, found.n_entities) == (2, 2, 2)
    assert partition(graph_of([], [], [], 0, 0)).n_clusters == 0
    for array in (found.entity, found.cluster, found.parent, found.weight):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_importing_the_package_does_not_load_the_compiler() -> None:
    code = "import sys, arborlink.partition; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
