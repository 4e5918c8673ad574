"""What a neighbour graph keeps, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arborlink.errors import InputError
from arborlink.graph import NeighbourGraph

from .graphs import graph_of


def test_arrays_are_kept_without_a_copy_and_read_only() -> None:
    source, target = np.array([0, 2], np.int32), np.array([1, 1], np.int32)
    weight = np.array([0.5, 0.25], np.float32)
    graph = graph_of(source, target, weight, 1, 2)
    for kept, given in ((graph.source, source), (graph.target, target), (graph.weight, weight)):
        assert np.shares_memory(kept, given)
        assert given.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 0
    assert (graph.n_edges, graph.n_nodes) == (2, 3)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("f4", "f4"), ("f8", "f8"), ("f2", "f4"), ("i8", "f8"), (">f4", "f4"), (">f8", "f8")],
)
def test_weights_keep_their_precision(given: str, kept: str) -> None:
    graph = graph_of(np.array([0], np.uint64), [1], np.array([3], given), 1, 1)
    assert graph.weight.dtype == kept
    assert graph.weight.tolist() == [3.0]
    assert graph.source.dtype == graph.target.dtype == np.int32


@pytest.mark.parametrize(
    ("source", "target", "weight", "message"),
    [
        ([0], [2, 3], [1.0, 2.0], "1 sources, 2 targets and 2 weights"),
        ([0, 4], [2, 2], [1.0, 1.0], r"edge 1 .* source 4; with 2 entities and 2 mentions .* 0\.\.3"),
        ([-1], [2], [1.0], "source -1"),
        ([0], [4], [1.0], r"target 4; .* 2\.\.3"),
        ([0, 0], [2, 1], [1.0, 1.0], "edge 1 .* target 1; .* edges enter mentions only"),
        ([0, 0], [2, 3], [1.0, np.nan], "edge 1 .* NaN"),
        ([0, 3], [2, 3], [1.0, 1.0], "edge 1 .* joins node 3 to itself"),
        ([0.0], [2], [1.0], "source holds float64"),
        ([0], ["2"], [1.0], "target holds"),
        ([0], [2], ["1"], "weight holds"),
        ([[0]], [2], [1.0], r"source has the shape \(1, 1\)"),
        ([0], [2], [[1.0]], r"weight has the shape \(1, 1\)"),
    ],
)
def test_bad_edges_are_refused(source: Any, target: Any, weight: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        graph_of(source, target, weight, n_entities=2, n_mentions=2)


def test_bad_counts_are_refused() -> None:
    with pytest.raises(InputError, match="n_entities is -1"):
        graph_of([], [], [], -1, 2)
    with pytest.raises(InputError, match="2147483648 nodes; at most 2147483647"):
        graph_of([], [], [], 2**31 - 2, 2)
    endless = np.broadcast_to(np.int32(0), 2**31)
    with pytest.raises(InputError, match="2147483648 edges; at most 2147483647"):
        graph_of(endless, endless, np.broadcast_to(np.float32(0), 2**31), 1, 1)


def test_from_neighbours_turns_the_sign_and_numbers_the_nodes() -> None:
    graph = NeighbourGraph.from_neighbours(
        [[2, 0], [1, -1]],
        np.array([[0.9, 0.5], [0.8, np.nan]], np.float32),
        [[1], [0]],
        np.array([[0.25], [-0.5]], np.float32),
        n_entities=3,
    )
    assert (graph.n_entities, graph.n_mentions) == (3, 2)
    edges = zip(graph.source.tolist(), graph.target.tolist(), graph.weight, strict=True)
    assert list(edges) == [
        (2, 3, np.float32(-0.9)),
        (0, 3, np.float32(-0.5)),
        (1, 4, np.float32(-0.8)),
        (4, 3, np.float32(-0.25)),
        (3, 4, np.float32(0.5)),
    ]
    assert graph.weight.dtype == np.float32


def test_from_neighbours_passes_over_a_mention_that_is_its_own_neighbour() -> None:
    graph = NeighbourGraph.from_neighbours([[0], [0]], [[1.0], [1.0]], [[0, 1], [1, 0]], [[9, 1], [9, 1]], 1)
    assert graph.source.tolist() == [0, 0, 2, 1]
    assert graph.target.tolist() == [1, 2, 1, 2]


def test_from_neighbours_without_neighbours() -> None:
    none = np.empty((3, 0), np.int64)
    graph = NeighbourGraph.from_neighbours(none, none.astype(np.float32), none, none.astype(np.float32), 4)
    assert (graph.n_edges, graph.n_entities, graph.n_mentions) == (0, 4, 3)


@pytest.mark.parametrize(
    ("entities", "mentions", "message"),
    [
        (
            ([[3]], [[1.0]]),
            ([[-1]], [[0.0]]),
            r"entity_neighbours\[0, 0\] is 3; .* below 3, the count of entities",
        ),
        (([[0]], [[1.0]]), ([[-2]], [[0.0]]), r"mention_neighbours\[0, 0\] is -2; .* or -1 for none"),
        (([[0]], [[np.nan]]), ([[-1]], [[0.0]]), r"entity_affinities\[0, 0\] is NaN"),
        (([[0]], [[1.0]]), ([[-1], [0]], [[0.0], [0.0]]), "has 1 rows and mention_neighbours 2"),
        (([0], [1.0]), ([[-1]], [[0.0]]), r"entity_neighbours has the shape \(1,\)"),
        (([[0]], [[1.0]]), ([[-1]], [[0.0, 1.0]]), r"\(1, 1\) and mention_affinities \(1, 2\)"),
        (([[0.5]], [[1.0]]), ([[-1]], [[0.0]]), "entity_neighbours holds float64"),
        (([[0]], [["near"]]), ([[-1]], [[0.0]]), "entity_affinities holds"),
    ],
)
def test_from_neighbours_refuses(entities: Any, mentions: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        NeighbourGraph.from_neighbours(entities[0], entities[1], mentions[0], mentions[1], 3)
