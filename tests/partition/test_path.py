"""The way from a mention to its root, and the weakest edge on it."""

from __future__ import annotations

import numpy as np
import pytest

from arborlink.errors import InputError
from arborlink.partition import Edge, bottleneck, partition, path_to_root

from .graphs import Case, random_graph

CHAIN = Case([(5.0, 0, 2), (1.0, 2, 3), (5.0, 3, 4), (2.0, 5, 6)], 2, 5)


def test_a_path_ends_at_the_entity() -> None:
    found = partition(CHAIN.graph(), "directed")
    assert path_to_root(found, 2) == [4, 3, 2, 0]
    assert path_to_root(found, 0) == [2, 0]


def test_a_path_without_an_entity_ends_at_the_root_of_the_cluster() -> None:
    found = partition(CHAIN.graph(), "directed")
    assert path_to_root(found, 4) == [6, 5]
    assert path_to_root(found, 3) == [5]
    assert bottleneck(found, 4) == Edge(parent=5, child=6, weight=2.0)
    assert bottleneck(found, 3) is None


def test_of_equal_weights_the_last_in_order_is_the_bottleneck() -> None:
    found = partition(CHAIN.graph(), "directed")
    assert bottleneck(found, 2) == Edge(3, 4, 5.0)
    assert bottleneck(found, 1) == Edge(0, 2, 5.0)


def test_paths_agree_with_entities_on_a_random_graph() -> None:
    found = partition(random_graph(2000, 3, seed=6, entity_share=0.2), "minimax")
    for mention in range(found.n_mentions):
        root = path_to_root(found, mention)[-1]
        assert root == found.entity[mention] if found.entity[mention] >= 0 else root >= found.n_entities


def test_the_bottleneck_of_minimax_falls_to_no_lighter_threshold() -> None:
    graph = random_graph(2000, 3, seed=7, entity_share=0.3)
    found = partition(graph, "minimax")
    for mention in np.flatnonzero(found.entity >= 0)[:50].tolist():
        edge = bottleneck(found, mention)
        assert edge is not None
        assert partition(graph, "minimax", edge.weight).entity[mention] == found.entity[mention]
        assert partition(graph, "minimax", np.nextafter(edge.weight, -np.inf)).entity[mention] == -1


@pytest.mark.parametrize("mention", [-1, 5])
def test_unknown_mentions_are_refused(mention: int) -> None:
    found = partition(CHAIN.graph(), "directed")
    with pytest.raises(InputError, match=rf"no mention {mention}; the partition has 5"):
        path_to_root(found, mention)
