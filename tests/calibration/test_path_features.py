"""Features of all mentions at once against one mention after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.confidence import LINK_FEATURES, NEW_FEATURES, link_features, new_features
from arborlink.confidence.paths import paths
from arborlink.graph import NeighbourGraph
from arborlink.partition import MODES, Mode, Partition, bottleneck, partition, path_to_root
from arborlink.search import Neighbours

AFFINITIES = st.integers(0, 12).map(lambda n: n / 8)


@st.composite
def searched(draw: st.DrawFn) -> tuple[Neighbours, Partition]:
    """A search over a few mentions and entities, some without any entity near, and a partition of it."""
    n_entities, n, k = draw(st.integers(1, 4)), draw(st.integers(1, 9)), draw(st.integers(0, 2))
    items = np.full((n, 2), -1, np.int32)
    affinities = np.full((n, 2), -np.inf)
    for row in range(n):
        found = draw(st.lists(st.integers(0, n_entities - 1), max_size=2, unique=True))
        values = sorted(draw(st.lists(AFFINITIES, min_size=len(found), max_size=len(found))), reverse=True)
        items[row, : len(found)], affinities[row, : len(found)] = found, values
    others = np.array(draw(st.lists(st.integers(0, n - 1), min_size=n * k, max_size=n * k))).reshape(n, k)
    weights = np.array(draw(st.lists(AFFINITIES, min_size=n * k, max_size=n * k))).reshape(n, k)
    graph = NeighbourGraph.from_neighbours(
        items[:, :1], affinities[:, :1], others.astype(np.int32), weights.astype(float), n_entities
    )
    mode: Mode = draw(st.sampled_from(MODES))
    threshold = draw(st.one_of(st.none(), AFFINITIES))
    return Neighbours(items, affinities), partition(graph, mode, None if threshold is None else -threshold)


@given(searched())
def test_paths_are_those_of_each_mention(world: tuple[Neighbours, Partition]) -> None:
    _, parts = world
    weakest, n_edges = paths(parts)
    for mention in range(parts.n_mentions):
        edge = bottleneck(parts, mention)
        assert weakest[mention] == (math.inf if edge is None else -edge.weight)
        assert n_edges[mention] == len(path_to_root(parts, mention)) - 1


def test_a_long_chain_is_followed_to_its_end() -> None:
    n = 3000
    parent = np.arange(n, dtype=np.int32)  # mention m hangs from m - 1, mention 0 from the one entity
    parts = Partition(
        np.zeros(n, np.int32), np.zeros(n, np.int32), parent, -np.linspace(1, 0.5, n), n_entities=1
    )
    weakest, n_edges = paths(parts)
    np.testing.assert_allclose(weakest, np.linspace(1, 0.5, n))
    assert n_edges.tolist() == list(range(1, n + 1))


def literal(near: Neighbours, parts: Partition, mention: int) -> dict[str, float]:
    """The features of one mention, by its definition in the documentation."""
    members = [other for other in range(parts.n_mentions) if parts.cluster[other] == parts.cluster[mention]]
    first = int(near.items[mention, 0])
    best, next_best = near.affinities[mention].tolist()
    entity = int(parts.entity[mention])
    edges = [-float(parts.weight[other]) for other in members if parts.parent[other] >= 0]
    said: dict[str, float] = {"log_cluster_size": math.log(len(members))}
    if entity >= 0:
        edge = bottleneck(parts, mention)
        assert edge is not None
        own, other = (best, next_best) if first == entity else (next_best, best)
        said |= {
            "bottleneck": -edge.weight,
            "own_affinity": own,
            "margin": own - other if other > -math.inf else math.inf,
            "is_nearest": float(first == entity),
            "log_edges": math.log(len(path_to_root(parts, mention)) - 1),
            "agreement": sum(near.items[each, 0] == entity for each in members) / len(members),
        }
    else:
        said |= {
            "nearest_affinity": best,
            "margin": best - next_best if next_best > -math.inf else math.inf,
            "cluster_nearest_affinity": max(float(near.affinities[each, 0]) for each in members),
            "coherence": sum(edges) / len(edges) if edges else math.nan,
            "agreement": sum(near.items[each, 0] == first for each in members) / len(members),
        }
    return said


@given(searched())
def test_features_are_those_of_each_mention(world: tuple[Neighbours, Partition]) -> None:
    near, parts = world
    of_links, of_new = link_features(near, parts), new_features(near, parts)
    for mention in range(parts.n_mentions):
        is_linked = parts.entity[mention] >= 0
        names, found = (LINK_FEATURES, of_links) if is_linked else (NEW_FEATURES, of_new)
        expected = literal(near, parts, mention)
        assert set(names) == set(expected)
        for name, value in zip(names, found[mention].tolist(), strict=True):
            assert value == pytest.approx(expected[name], nan_ok=True), name


@given(searched(), st.data())
def test_features_do_not_depend_on_the_order_of_mentions(
    world: tuple[Neighbours, Partition], data: st.DataObject
) -> None:
    near, parts = world
    order = np.array(data.draw(st.permutations(range(parts.n_mentions))))
    moved_near, moved = permuted(near, parts, order)
    for features in (link_features, new_features):
        np.testing.assert_allclose(features(moved_near, moved), features(near, parts)[order], atol=1e-12)


def test_more_candidates_change_nothing() -> None:
    near = Neighbours(np.array([[0, 1, 2]], np.int32), np.array([[0.9, 0.5, 0.4]]))
    fewer = Neighbours(near.items[:, :2], near.affinities[:, :2])
    graph = NeighbourGraph.from_neighbours([[0]], [[0.9]], [[-1]], [[0.0]], n_entities=3)
    parts = partition(graph)
    np.testing.assert_array_equal(link_features(near, parts), link_features(fewer, parts))


def test_an_edge_that_was_decided_has_no_part_in_the_coherence() -> None:
    cluster: Any = np.zeros(3, np.int32)
    parts = Partition(
        cluster - 1, cluster, np.array([-1, 1, 1], np.int32), np.array([np.nan, -np.inf, -0.5]), n_entities=1
    )
    near = Neighbours(np.zeros((3, 1), np.int32), np.full((3, 1), 0.2))
    found = new_features(near, parts)[:, NEW_FEATURES.index("coherence")]
    assert found.tolist() == [0.5, 0.5, 0.5]


def permuted(near: Neighbours, parts: Partition, order: Any) -> tuple[Neighbours, Partition]:
    """The same world with mention ``order[m]`` in place m, clusters named anew."""
    place = np.argsort(order)
    parent = parts.parent[order].copy()
    of_mention = parent >= parts.n_entities
    parent[of_mention] = place[parent[of_mention] - parts.n_entities] + parts.n_entities
    cluster = np.unique(parts.cluster[order], return_inverse=True)[1].astype(np.int32)
    moved = Partition(
        parts.entity[order].copy(),
        (parts.n_clusters - 1 - cluster).astype(np.int32),
        parent.astype(np.int32),
        parts.weight[order].copy(),
        parts.n_entities,
    )
    return Neighbours(near.items[order], near.affinities[order]), moved
