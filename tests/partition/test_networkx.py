"""The same trees as networkx finds, where the problem has a name there."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given, settings

from arborlink.partition import partition

from .graphs import Case, general_cases, random_graph
from .reference import bottlenecks, light, reached

some = settings(max_examples=400, deadline=None)
ROOT = -1


@some
@given(case=general_cases())
def test_undirected_is_the_minimum_spanning_forest_with_entities_contracted(case: Case) -> None:
    contracted = nx.Graph()
    contracted.add_nodes_from([ROOT, *range(case.n_entities, case.n_entities + case.n_mentions)])
    for rank, (_, source, target) in enumerate(reversed(light(case.edges, case.threshold))):
        source = source if source >= case.n_entities else ROOT
        if not contracted.has_edge(source, target):
            contracted.add_edge(source, target, rank=rank)
    forest = nx.minimum_spanning_tree(contracted, weight="rank")
    found = partition(case.graph(), "undirected", case.threshold)
    hung = np.flatnonzero(found.parent >= 0)
    parents = np.where(found.parent[hung] >= case.n_entities, found.parent[hung], ROOT)
    edges = {
        frozenset(pair) for pair in zip((hung + case.n_entities).tolist(), parents.tolist(), strict=True)
    }
    assert edges == {frozenset(pair) for pair in forest.edges}


@some
@given(case=general_cases())
def test_directed_is_the_minimum_arborescence_of_powers_of_two(case: Case) -> None:
    # 2 ** rank outweighs all lighter edges together, so the smallest sum is the lexicographic bottleneck
    kept = light(case.edges, case.threshold)
    linked = reached(range(case.n_entities), kept)
    contracted = nx.DiGraph()
    contracted.add_node(ROOT)
    for rank, (_, source, target) in enumerate(reversed(kept)):
        if source in linked:
            start = source if source >= case.n_entities else ROOT
            if not contracted.has_edge(start, target):
                contracted.add_edge(start, target, weight=2**rank, origin=source)
    found = partition(case.graph(), "directed", case.threshold)
    tree = nx.minimum_spanning_arborescence(contracted) if len(contracted) > 1 else contracted
    expected = np.full(case.n_mentions, -1)
    for start, target in tree.edges:
        expected[target - case.n_entities] = contracted[start][target]["origin"]
    reachable = found.entity >= 0
    np.testing.assert_array_equal(found.parent[reachable], expected[reachable])
    assert set(np.flatnonzero(reachable) + case.n_entities) == linked - set(range(case.n_entities))


@some
@given(case=general_cases())
def test_minimax_has_the_smallest_bottleneck_of_all_entities(case: Case) -> None:
    f = bottlenecks(light(case.edges, case.threshold), case.n_entities + case.n_mentions)
    found = partition(case.graph(), "minimax", case.threshold)
    for mention in range(case.n_mentions):
        entity, node = found.entity[mention], case.n_entities + mention
        if entity >= 0:
            assert f[entity][node] == min(f[other][node] for other in range(case.n_entities))


def test_undirected_weighs_the_same_as_networkx_on_a_large_graph() -> None:
    graph = random_graph(3000, 3, seed=5, entity_share=0.1, heavier=0.5)
    contracted = nx.MultiGraph()
    contracted.add_nodes_from([ROOT, *range(graph.n_entities, graph.n_nodes)])
    sources = np.where(graph.source < graph.n_entities, ROOT, graph.source)
    contracted.add_weighted_edges_from(
        zip(sources.tolist(), graph.target.tolist(), graph.weight, strict=True)
    )
    forest = nx.minimum_spanning_edges(contracted, data=True, keys=False)
    expected = sorted(data["weight"] for _, _, data in forest)
    weight = partition(graph, "undirected").weight
    np.testing.assert_array_equal(np.sort(weight[~np.isnan(weight)]), expected)
