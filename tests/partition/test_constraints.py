"""Every decision holds in every mode, and the partition is the literal one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike

from arborlink.partition import (
    MODES,
    Constraints,
    Mode,
    Partition,
    contradictions,
    partition,
    partition_under,
    violated,
)

from . import decided_reference
from .graphs import Case, found, general_cases, graph_of, neighbour_cases, random_graph

many = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@st.composite
def decided_cases(draw: st.DrawFn) -> tuple[Case, Constraints]:
    """A graph and decisions that agree with some truth, so that they cannot contradict each other."""
    case = draw(general_cases() | neighbour_cases())
    # the label of each mention: an entity, or one of three clusters that have none
    truth = [draw(st.integers(0, case.n_entities + 2)) for _ in range(case.n_mentions)]
    mentions = st.integers(0, case.n_mentions - 1)
    pairs = draw(st.lists(st.tuples(mentions, mentions).filter(lambda pair: pair[0] != pair[1]), max_size=4))
    links = []
    if case.n_entities:
        links = draw(st.lists(st.tuples(st.integers(0, case.n_entities - 1), mentions), max_size=4))
    free = {label for label in truth if label >= case.n_entities and truth.count(label) == 1}
    return case, Constraints(
        together=[(a, b) for a, b in pairs if truth[a] == truth[b]],
        apart=[(a, b) for a, b in pairs if truth[a] != truth[b]],
        linked=[(e, m) for e, m in links if truth[m] == e],
        unlinked=[(e, m) for e, m in links if truth[m] != e],
        alone=[m for m, label in enumerate(truth) if label in free and draw(st.booleans())],
    )


@many
@given(drawn=decided_cases(), dtype=st.sampled_from([np.float32, np.float64]))
def test_every_decision_holds_and_the_partition_is_the_literal_one(
    drawn: tuple[Case, Constraints], dtype: DTypeLike
) -> None:
    case, constraints = drawn
    assert contradictions(constraints) == []
    for mode in MODES:
        got = partition_under(case.graph(dtype), constraints, mode, case.threshold)
        assert violated(constraints, got) == []
        expected = getattr(decided_reference, mode)(decided_reference.Decided(case, constraints))
        assert found(got).entity == expected.entity, mode
        assert found(got).cluster == expected.cluster, mode
        assert found(got).parent == expected.parent, mode
        np.testing.assert_array_equal(got.weight, np.array(expected.weight, dtype))
        assert got.weight.dtype == dtype


@many
@given(case=general_cases() | neighbour_cases(), dtype=st.sampled_from([np.float32, np.float64]))
def test_without_decisions_it_is_the_partition(case: Case, dtype: DTypeLike) -> None:
    for mode in MODES:
        got = partition_under(case.graph(dtype), Constraints(), mode, case.threshold)
        assert_same(got, partition(case.graph(dtype), mode, case.threshold))
        assert not got.decided.any()


@many
@given(drawn=decided_cases(), data=st.data())
def test_keeping_apart_what_is_apart_changes_nothing(
    drawn: tuple[Case, Constraints], data: st.DataObject
) -> None:
    case, constraints = drawn
    mode = data.draw(st.sampled_from(MODES))
    plain = partition(case.graph(), mode, case.threshold)
    only_apart = Constraints(apart=constraints.apart, unlinked=constraints.unlinked)
    broken = set(violated(only_apart, plain))
    kept = [said for said in only_apart.statements() if said not in broken]
    honoured = Constraints(
        apart=[(said.one, said.other) for said in kept if said.kind == "apart" and said.other is not None],
        unlinked=[
            (said.one, said.other) for said in kept if said.kind == "unlinked" and said.other is not None
        ],
    )
    assert_same(partition_under(case.graph(), honoured, mode, case.threshold), plain)


@many
@given(drawn=decided_cases(), data=st.data())
def test_the_order_of_edges_and_words_does_not_matter(
    drawn: tuple[Case, Constraints], data: st.DataObject
) -> None:
    case, constraints = drawn
    shuffled = Case(data.draw(st.permutations(case.edges)), case.n_entities, case.n_mentions, case.threshold)
    turned = Constraints(
        together=[(b, a) for a, b in reversed([*constraints.together])],
        linked=[*reversed([*constraints.linked])] * 2,
        apart=[(b, a) for a, b in reversed([*constraints.apart])],
        unlinked=[*reversed([*constraints.unlinked])],
        alone=[*reversed([*constraints.alone])],
    )
    assert turned == constraints
    assert hash(turned) == hash(constraints)
    for mode in MODES:
        one = partition_under(case.graph(), constraints, mode, case.threshold)
        assert_same(one, partition_under(shuffled.graph(), turned, mode, case.threshold))


@many
@given(drawn=decided_cases())
def test_no_refused_edge_of_the_undirected_mode_could_be_put_back(drawn: tuple[Case, Constraints]) -> None:
    case, constraints = drawn
    decided = decided_reference.Decided(case, constraints)
    root = roots(partition_under(case.graph(), constraints, "undirected", case.threshold))
    for _, u, v in decided.edges:
        joined = {node for node, top in enumerate(root) if top in (root[u], root[v])}
        assert root[u] == root[v] or not decided.may_be_one(joined)


@many
@given(drawn=decided_cases())
def test_minimax_leaves_no_mention_that_could_be_linked(drawn: tuple[Case, Constraints]) -> None:
    case, constraints = drawn
    decided = decided_reference.Decided(case, constraints)
    root = roots(partition_under(case.graph(), constraints, "minimax", case.threshold))
    for _, u, v in decided.edges:
        if root[u] < case.n_entities <= root[v]:
            cluster = {node for node, top in enumerate(root) if top == root[u]}
            assert not decided.may_be_one(cluster | decided.group(v))


def roots(found: Partition) -> list[int]:
    """The entity or the first mention of every node's cluster, as a node."""
    labels = found.cluster.tolist()
    return [
        *range(found.n_entities),
        *(
            entity if entity >= 0 else found.n_entities + labels.index(label)
            for entity, label in zip(found.entity.tolist(), labels, strict=True)
        ),
    ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_decision_is_told_from_a_neighbour_however_light(mode: Mode, dtype: DTypeLike) -> None:
    graph = graph_of(
        np.array([0, 1]), np.array([2, 3]), np.array([-np.inf, 1], dtype), n_entities=2, n_mentions=3
    )
    got = partition_under(graph, Constraints(linked=[(1, 0)], together=[(0, 2)]), mode, threshold=-np.inf)
    assert got.entity.tolist() == [1, -1, 1]
    assert got.parent.tolist() == [1, -1, 2]
    assert got.decided.tolist() == [True, False, True]
    assert got.weight.tolist()[::2] == [-np.inf, -np.inf]
    assert not got.decided.flags.writeable
    plain = partition_under(graph, Constraints(), mode, threshold=-np.inf)
    assert plain.weight[0] == -np.inf
    assert not plain.decided.any()


@pytest.mark.parametrize("mode", MODES)
def test_mentions_held_together_enter_by_the_lightest_edge_of_any(mode: Mode) -> None:
    graph = graph_of([0, 1], [2, 3], [2.0, 1.0], n_entities=2, n_mentions=3)
    got = partition_under(graph, Constraints(together=[(0, 2), (1, 2)]), mode)
    assert got.entity.tolist() == [1, 1, 1]
    assert got.parent.tolist() == [4, 1, 3]
    assert got.decided.tolist() == [True, False, True]


@pytest.mark.parametrize("mode", MODES)
def test_a_mention_kept_from_its_entity_takes_the_next(mode: Mode) -> None:
    graph = graph_of([0, 1], [2, 2], [1.0, 2.0], n_entities=2, n_mentions=1)
    assert partition(graph, mode).entity.tolist() == [0]
    assert partition_under(graph, Constraints(unlinked=[(0, 0)]), mode).entity.tolist() == [1]


@pytest.mark.parametrize("mode", MODES)
def test_mentions_apart_do_not_meet_in_their_entity_either(mode: Mode) -> None:
    graph = graph_of([0, 0, 1], [2, 3, 3], [1.0, 2.0, 3.0], n_entities=2, n_mentions=2)
    assert partition_under(graph, Constraints(apart=[(0, 1)]), mode).entity.tolist() == [0, 1]


def test_only_what_is_needed_is_cut() -> None:
    # x ─1─ y ─2─ z without an entity: once x is cut off, y and z may stay
    graph = graph_of([0, 1], [1, 2], [1.0, 2.0], n_entities=0, n_mentions=3)
    for mode in ("undirected", "directed", "minimax"):
        got = partition_under(graph, Constraints(apart=[(0, 1), (0, 2)]), mode)
        assert got.cluster.tolist() == [0, 1, 1]
    linked = graph_of([0, 1, 2], [1, 2, 3], [0.5, 1.0, 2.0], n_entities=1, n_mentions=3)
    got = partition_under(linked, Constraints(apart=[(0, 1), (0, 2)]), "directed")
    assert got.cluster.tolist() == [0, 1, 1]
    assert got.entity.tolist() == [0, -1, -1]


@pytest.mark.parametrize("mode", MODES)
def test_a_thousand_decisions_on_a_large_graph_hold(mode: Mode) -> None:
    graph = random_graph(20_000, 4, seed=1)
    rng = np.random.default_rng(2)
    plain = partition(graph, mode)
    label = rng.integers(0, graph.n_entities, graph.n_mentions)
    pairs = rng.integers(0, graph.n_mentions, (3000, 2))
    neighbours = np.flatnonzero(plain.parent >= graph.n_entities)[:500]
    beside = np.column_stack([neighbours, plain.parent[neighbours] - graph.n_entities])
    pairs = np.concatenate([pairs[pairs[:, 0] != pairs[:, 1]], beside])
    same = label[pairs[:, 0]] % 7 == label[pairs[:, 1]] % 7
    some = rng.integers(0, graph.n_mentions, 500)
    constraints = Constraints(
        together=[(int(a), int(b)) for a, b in pairs[same][:20]],
        apart=[(int(a), int(b)) for a, b in pairs[~same]],
        unlinked=[(int(plain.entity[m]), int(m)) for m in some],
    )
    got = partition_under(graph, constraints, mode)
    assert violated(constraints, got) == []
    assert len(violated(constraints, plain)) > 100


def assert_same(one: object, other: object) -> None:
    for name in ("entity", "cluster", "parent", "weight"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
