"""Large graphs of awkward shapes: the known answer, in time that a quadratic method would not keep."""

from __future__ import annotations

import numpy as np
import pytest

from arborlink.partition import Mode, partition

from .graphs import graph_of

GROUPING: tuple[Mode, ...] = ("undirected", "directed", "minimax")
N = 100_000
FIRST = 1  # the node of the first mention: there is one entity


@pytest.mark.parametrize("mode", GROUPING)
@pytest.mark.parametrize("step", [1, -1], ids=["ascending", "descending"])
def test_a_chain_hangs_from_its_entity(mode: Mode, step: int) -> None:
    nodes = np.arange(N)
    graph = graph_of(nodes, nodes + 1, np.arange(N, dtype=np.float32)[::step], 1, N)
    found = partition(graph, mode)
    np.testing.assert_array_equal(found.parent, nodes)
    assert (found.entity == 0).all()


@pytest.mark.parametrize("mode", GROUPING)
def test_a_chain_both_ways_is_entered_at_its_far_end(mode: Mode) -> None:
    left = np.arange(FIRST, N)
    source, target = np.concatenate([[0], left, left + 1]), np.concatenate([[N], left + 1, left])
    weight = np.concatenate([[2.0 * N], np.arange(N - 1), np.arange(N - 1) + 0.5])
    found = partition(graph_of(source, target, weight, 1, N), mode)
    np.testing.assert_array_equal(found.parent, np.append(left + 1, 0))


@pytest.mark.parametrize("mode", GROUPING)
def test_a_star_both_ways_is_entered_at_its_middle(mode: Mode) -> None:
    leaves = np.arange(FIRST + 1, N + 1)
    middle = np.full(N - 1, FIRST)
    source, target = np.concatenate([[0], leaves, middle]), np.concatenate([[FIRST], middle, leaves])
    weight = np.concatenate([[2.0 * N], np.arange(N - 1), np.arange(N - 1)[::-1]])
    found = partition(graph_of(source, target, weight, 1, N), mode)
    np.testing.assert_array_equal(found.parent, np.append([0], middle))


def test_nested_circles_are_opened_where_the_entity_enters() -> None:
    # mentions are entered by the one before them; each way back to the first closes a wider circle
    nodes = np.arange(FIRST, N)
    source = np.concatenate([[0], nodes, nodes + 1])
    target = np.concatenate([[N], nodes + 1, np.full(N - 1, FIRST)])
    weight = np.concatenate([[2.0 * N], np.zeros(N - 1), np.arange(1, N)])
    found = partition(graph_of(source, target, weight, 1, N), "directed")
    # the entity enters at the last mention, the only way on leads to the first
    np.testing.assert_array_equal(found.parent, np.concatenate([[N], np.arange(FIRST, N - 1), [0]]))
    np.testing.assert_array_equal(
        partition(graph_of(source, target, weight, 1, N), "minimax").parent, found.parent
    )


@pytest.mark.parametrize("mode", GROUPING)
def test_a_complete_bipartite_graph_of_equal_weights(mode: Mode) -> None:
    side = 300
    left, right = (part.ravel() + FIRST for part in np.meshgrid(np.arange(side), np.arange(side) + side))
    source, target = np.concatenate([[0], left, right]), np.concatenate([[FIRST], right, left])
    graph = graph_of(source, target, np.zeros(len(source), np.float32), 1, 2 * side)
    found = partition(graph, mode)
    assert (found.entity == 0).all()
    assert found.parent[0] == 0
    np.testing.assert_array_equal(found.parent[side:], FIRST)
    np.testing.assert_array_equal(found.parent[1:side], FIRST + side)


@pytest.mark.parametrize("mode", GROUPING)
def test_a_long_cluster_without_an_entity_hangs_from_its_first_mention(mode: Mode) -> None:
    weight = np.random.default_rng(2).permutation(N - 1).astype(np.float32)
    graph = graph_of(np.arange(1, N), np.arange(N - 1), weight, 0, N)
    found = partition(graph, mode)
    np.testing.assert_array_equal(found.parent, np.arange(N) - 1)
    np.testing.assert_array_equal(found.weight[1:], weight)
    assert found.n_clusters == 1


def test_circles_out_of_reach_lead_nowhere() -> None:
    # pairs that enter each other, each pair entered by the pair before it, and an entity behind the last
    n_pairs = N // 2
    first = np.arange(n_pairs) * 2 + FIRST
    source = np.concatenate([first, first + 1, first[:-1], [0]])
    target = np.concatenate([first + 1, first, first[1:], [N]])
    weight = np.concatenate([np.zeros(2 * n_pairs), np.ones(n_pairs - 1), [5.0]])
    found = partition(graph_of(source, target, weight, 1, N), "directed")
    assert (found.entity[:-2] == -1).all()
    assert found.entity[-2:].tolist() == [0, 0]
    assert found.parent[-2:].tolist() == [N, 0]
    assert found.n_clusters == 2
