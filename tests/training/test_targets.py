"""Positives of mentions, against networkx and literal definitions."""

from __future__ import annotations

import subprocess
import sys
import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree

from arborlink.errors import InputError, ModelError
from arborlink.training import targets
from arborlink.training.targets import ENTITY, NOBODY, nearest_gold, parents, positives, random_gold

Vectors = NDArray[np.float32]
Groups = NDArray[np.int64]
Case = tuple[Vectors, Vectors, Groups]

seeds = st.integers(0, 100_000)


def clusters(seed: int, n_mentions: int, n_groups: int, *, ties: bool = False) -> Case:
    """Clusters of mentions, mixed up, about a third of them without an entity.

    With ``ties`` all affinities are small whole numbers, otherwise two are hardly ever equal. Either way float32
    holds every sum exactly, so that the order of adding up cannot matter.
    """
    generator = np.random.default_rng(seed)
    if ties:
        vectors = generator.integers(-1, 1, (n_mentions, 3), endpoint=True).astype(np.float32)
        affinities = generator.integers(-3, 3, n_mentions, endpoint=True).astype(np.float32)
    else:
        vectors = np.ldexp(generator.integers(-1024, 1024, (n_mentions, 4)).astype(np.float32), -10)
        affinities = np.ldexp(generator.integers(-(1 << 20), 1 << 20, n_mentions).astype(np.float32), -20)
    groups = generator.integers(-n_groups, n_groups, n_mentions)
    lacks = generator.random(2 * n_groups) < 1 / 3
    affinities[lacks[groups + n_groups]] = -np.inf
    return vectors, affinities, groups


cases = st.builds(clusters, seeds, st.integers(0, 40), st.sampled_from([1, 2, 6, 30]), ties=st.booleans())
distinct = st.builds(clusters, seeds, st.integers(1, 40), st.sampled_from([1, 2, 6, 30]))
tied = st.builds(clusters, seeds, st.integers(1, 40), st.sampled_from([1, 2, 6]), ties=st.just(True))


def edges(case: Case, members: list[int]) -> list[tuple[int, int, float]]:
    """(source, target, weight) inside a cluster, entity included where there is one."""
    vectors, affinities, _ = case
    inside = [(u, v, -float(vectors[u] @ vectors[v])) for u in members for v in members if u != v]
    return inside + [(ENTITY, v, -float(affinities[v])) for v in members if affinities[v] != -np.inf]


def members_of(groups: Groups) -> list[list[int]]:
    return [np.flatnonzero(groups == group).tolist() for group in np.unique(groups)]


def oracle(case: Case, members: list[int]) -> dict[int, int]:
    """Parents by networkx: Edmonds where there is an entity, else a spanning tree hung up at the first mention."""
    weighted = edges(case, members)
    if any(u == ENTITY for u, _, _ in weighted):
        graph = nx.DiGraph()
        graph.add_weighted_edges_from(weighted)
        return {v: u for u, v in nx.minimum_spanning_arborescence(graph).edges}
    if len(members) == 1:
        return {members[0]: NOBODY}
    undirected = nx.Graph()
    undirected.add_weighted_edges_from(weighted)
    tree = nx.minimum_spanning_tree(undirected)
    found = {v: u for u, v in nx.bfs_edges(tree, members[0])}
    nearest = min((weight, v) for u, v, weight in weighted if u == members[0])[1]
    return found | {members[0]: nearest}


def grown_from_entity(case: Case, members: list[int]) -> dict[int, int]:
    """Parents by the definition: always the edge with the least (weight, source, target) that leads out."""
    joined: dict[int, int] = {}
    while len(joined) < len(members):
        ranked = sorted((weight, u, v) for u, v, weight in edges(case, members) if v not in joined)
        _, source, target = next(edge for edge in ranked if edge[1] == ENTITY or edge[1] in joined)
        joined[target] = source
    return joined


def all_differ(case: Case) -> bool:
    weights = [w for members in members_of(case[2]) for u, v, w in edges(case, members) if u < v]
    return len(set(weights)) == len(weights)


def total(case: Case, members: list[int], found: dict[int, int]) -> float:
    weight = {(u, v): w for u, v, w in edges(case, members)}
    return sum(weight[u, v] for v, u in found.items() if u != NOBODY)


@given(case=distinct)
@settings(deadline=None, max_examples=120)
def test_parents_are_those_of_the_minimum_arborescence(case: Case) -> None:
    assume(all_differ(case))
    found = parents(*case)
    assert found.dtype == np.int32
    for members in members_of(case[2]):
        assert {mention: int(found[mention]) for mention in members} == oracle(case, members)


@given(case=tied)
@settings(deadline=None, max_examples=120)
def test_equal_weights_go_by_source_and_target_in_a_tree_as_light_as_any(case: Case) -> None:
    found = parents(*case)
    for members in members_of(case[2]):
        own = {mention: int(found[mention]) for mention in members}
        assert total(case, members, own) == total(case, members, oracle(case, members))
        if case[1][members[0]] != -np.inf:
            assert own == grown_from_entity(case, members)


@given(case=cases)
@settings(deadline=None, max_examples=100)
def test_every_parent_leads_to_the_root_inside_the_group(case: Case) -> None:
    _, affinities, groups = case
    found = parents(*case)
    assert found.shape == groups.shape
    for members in members_of(groups):
        in_kb = affinities[members[0]] != -np.inf
        if len(members) == 1:
            assert found[members[0]] == (ENTITY if in_kb else NOBODY)
            continue
        root = ENTITY if in_kb else members[0]
        for mention in members:
            seen = []
            while mention != root:
                assert mention in members
                assert mention not in seen
                seen.append(mention)
                mention = int(found[mention])
        if not in_kb:
            assert found[root] in members
            assert found[root] != root


@given(case=distinct, seed=seeds)
@settings(deadline=None, max_examples=60)
def test_the_order_of_the_mentions_does_not_matter(case: Case, seed: int) -> None:
    vectors, affinities, groups = case
    # The root of a cluster without an entity is its first mention, so here all clusters have one.
    affinities = np.where(affinities == -np.inf, np.arange(len(groups), dtype=np.float32) - 100, affinities)
    assume(all_differ((vectors, affinities, groups)))
    order = np.random.default_rng(seed).permutation(len(groups))
    for choose in (parents, nearest_gold):
        found = choose(vectors, affinities, groups)
        shuffled = choose(vectors[order], affinities[order], groups[order])
        back = np.where(shuffled < 0, shuffled, order[shuffled])
        np.testing.assert_array_equal(back, found[order])


@given(case=cases)
@settings(deadline=None, max_examples=100)
def test_the_nearest_gold_is_the_lightest_edge_into_a_mention(case: Case) -> None:
    found = nearest_gold(*case)
    assert found.dtype == np.int32
    for members in members_of(case[2]):
        for mention in members:
            into = [(weight, u) for u, v, weight in edges(case, members) if v == mention]
            assert found[mention] == (min(into)[1] if into else NOBODY)


def test_work_in_many_pieces_is_the_same_work(monkeypatch: pytest.MonkeyPatch) -> None:
    case = clusters(5, 400, 30)
    whole = parents(*case), nearest_gold(*case)
    for piece in (1, 500, 20_000):
        monkeypatch.setattr(targets, "_PIECE", piece)
        np.testing.assert_array_equal(parents(*case), whole[0])
        np.testing.assert_array_equal(nearest_gold(*case), whole[1])


def test_any_numbers_may_name_groups_and_none_may_be_there() -> None:
    limits = np.iinfo(np.int64)
    vectors = np.array([[1.0], [2.0], [3.0]], dtype=np.float32)
    affinities = np.array([0.5, 0.5, -np.inf], dtype=np.float32)
    groups = np.array([limits.min, limits.min, limits.max])
    assert parents(vectors, affinities, groups).tolist() == [ENTITY, 0, NOBODY]
    empty = np.empty(0, dtype=np.float32)
    for kind in targets.POSITIVES:
        assert positives(kind, np.empty((0, 4), np.float32), empty, np.empty(0, np.int64), 0).shape == (0,)


LARGE = """
import resource
from pathlib import Path

import numpy as np
from arborlink.training.targets import nearest_gold, parents

def peak():
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 20
    # Linux counts what the parent process held into ru_maxrss, but not into this.
    return int(status.read_text().split("VmHWM:")[1].split()[0]) >> 10

generator = np.random.default_rng(0)
vectors = generator.normal(size=(8000, 8)).astype(np.float32)
affinities = generator.normal(size=8000).astype(np.float32)
groups = np.zeros(8000, dtype=np.int64)
for choose in (parents, nearest_gold):
    choose(vectors[:10], affinities[:10], groups[:10])
before = peak()
for choose in (parents, nearest_gold):
    choose(vectors, affinities, groups)
print(peak() - before)
"""


def test_a_large_cluster_needs_no_matrix_of_pairs() -> None:
    grown = subprocess.check_output([sys.executable, "-c", LARGE], text=True)
    assert int(grown) < 30  # MiB; 8,000 x 8,000 affinities would be 244


def test_a_cluster_of_three_thousand_is_quick_and_right() -> None:
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(3000, 64)).astype(np.float32)
    affinities = (8 * generator.normal(size=3000)).astype(np.float32)
    groups = np.full(3000, 17)
    parents(vectors[:3], affinities[:3], groups[:3])
    begin = time.perf_counter()
    found = parents(vectors, affinities, groups)
    assert time.perf_counter() - begin < 5
    weights = np.zeros((3001, 3001))
    weights[1:, 1:] = -(vectors.astype(np.float64) @ vectors.T.astype(np.float64))
    weights[0, 1:] = weights[1:, 0] = -affinities
    # The library takes 0 for a missing edge; a shift changes every spanning tree alike.
    shifted = weights - weights.min() + 1
    np.fill_diagonal(shifted, 0)
    mine = weights[found + 1, np.arange(1, 3001)].sum()
    theirs = minimum_spanning_tree(shifted).sum() + 3000 * (weights.min() - 1)
    assert mine == pytest.approx(theirs, rel=1e-6)


def test_random_gold_is_uniform_over_fellows_and_entity() -> None:
    groups = np.array([4, 4, 9, 4, 2, 9, 7])
    affinities = np.array([0.1, 0.2, -np.inf, 0.3, 0.4, -np.inf, -np.inf], dtype=np.float32)
    draws = np.array([random_gold(affinities, groups, seed) for seed in range(3000)])
    assert draws.dtype == np.int32
    choices = {0: [1, 3, ENTITY], 1: [0, 3, ENTITY], 3: [0, 1, ENTITY]}
    choices |= {2: [5], 5: [2], 4: [ENTITY], 6: [NOBODY]}
    for mention, expected in choices.items():
        values, counts = np.unique(draws[:, mention], return_counts=True)
        assert values.tolist() == sorted(expected)
        # five standard deviations of a fair choice among three are 0.043
        np.testing.assert_allclose(counts / len(draws), 1 / len(expected), atol=0.05)
    # mentions are drawn for independently
    together = np.mean((draws[:, 0] == ENTITY) & (draws[:, 1] == ENTITY))
    assert together == pytest.approx(1 / 9, abs=0.04)


@given(case=cases, seed=seeds)
@settings(deadline=None, max_examples=60)
def test_random_gold_is_another_of_the_cluster_and_the_same_for_a_seed(case: Case, seed: int) -> None:
    _, affinities, groups = case
    found = random_gold(affinities, groups, seed)
    np.testing.assert_array_equal(found, random_gold(affinities, groups, seed))
    for mention, choice in enumerate(found.tolist()):
        has_fellows = np.count_nonzero(groups == groups[mention]) > 1
        if choice == ENTITY:
            assert affinities[mention] != -np.inf
        elif choice == NOBODY:
            assert affinities[mention] == -np.inf
            assert not has_fellows
        else:
            assert choice != mention
            assert groups[choice] == groups[mention]


def test_each_way_is_called_by_its_name() -> None:
    case = clusters(3, 60, 4)
    np.testing.assert_array_equal(positives("arborescence", *case, seed=1), parents(*case))
    np.testing.assert_array_equal(positives("nearest", *case, seed=1), nearest_gold(*case))
    np.testing.assert_array_equal(positives("random", *case, seed=1), random_gold(*case[1:], seed=1))
    with pytest.raises(
        InputError, match=r"'best' are not known; choose one of arborescence, nearest, random"
    ):
        positives("best", *case, seed=1)


def test_what_does_not_go_together_is_refused() -> None:
    vectors, affinities, groups = np.ones((2, 3), np.float32), np.ones(2, np.float32), np.zeros(2, np.int64)
    with pytest.raises(ValueError, match=r"shape \(2, 3\) for 3 groups"):
        parents(vectors, np.ones(3, np.float32), np.zeros(3, np.int64))
    with pytest.raises(ValueError, match=r"affinities have shape \(1,\), groups \(2,\)"):
        random_gold(affinities[:1], groups, 0)
    with pytest.raises(ValueError, match="mention 1 and others of group 0 disagree"):
        nearest_gold(vectors, np.array([0.0, -np.inf], np.float32), groups)
    with pytest.raises(ModelError, match="vectors of mentions hold NaN"):
        parents(vectors * np.float32(np.nan), affinities, groups)
    with pytest.raises(ModelError, match="affinities to entities hold NaN"):
        parents(vectors, affinities * np.float32(np.nan), groups)
