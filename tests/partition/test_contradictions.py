"""Decisions that cannot hold at once are found, told and refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.errors import InputError
from arborlink.partition import (
    Constraints,
    Contradiction,
    Statement,
    contradictions,
    partition_under,
    violated,
)

from .graphs import graph_of

N_ENTITIES, N_MENTIONS = 3, 4


def can_hold(constraints: Constraints) -> bool:
    """Whether any of all ways to give mentions labels honours everything; labels from 3 on are no entities."""
    for label in product(range(N_ENTITIES + N_MENTIONS), repeat=N_MENTIONS):
        if (
            all(label[a] == label[b] for a, b in constraints.together)
            and all(label[a] != label[b] for a, b in constraints.apart)
            and all(label[m] == e for e, m in constraints.linked)
            and all(label[m] != e for e, m in constraints.unlinked)
            and all(label[m] >= N_ENTITIES and label.count(label[m]) == 1 for m in constraints.alone)
        ):
            return True
    return False


def only(statements: tuple[Statement, ...]) -> Constraints:
    words: dict[str, Any] = {}
    for said in statements:
        words.setdefault(said.kind, []).append(said.one if said.other is None else (said.one, said.other))
    return Constraints(**words)


mentions = st.integers(0, N_MENTIONS - 1)
pairs = st.lists(st.tuples(mentions, mentions).filter(lambda pair: pair[0] != pair[1]), max_size=3)
links = st.lists(st.tuples(st.integers(0, N_ENTITIES - 1), mentions), max_size=4)
all_constraints = st.builds(
    Constraints,
    together=pairs,
    apart=pairs,
    linked=links,
    unlinked=links,
    alone=st.lists(mentions, max_size=1),
)


@settings(max_examples=300, deadline=None)
@given(constraints=all_constraints)
def test_found_exactly_when_nothing_could_honour_everything(constraints: Constraints) -> None:
    found = contradictions(constraints)
    assert (not found) == can_hold(constraints)
    graph = graph_of([0, 1], [3, 4], [1.0, 1.0], N_ENTITIES, N_MENTIONS)
    if found:
        with pytest.raises(InputError, match="contradict"):
            partition_under(graph, constraints)
    else:
        assert violated(constraints, partition_under(graph, constraints)) == []
    for contradiction in found:
        said = contradiction.statements
        assert set(said) <= set(constraints.statements())
        assert not can_hold(only(said))
        for left_out in range(len(said)):
            assert can_hold(only(said[:left_out] + said[left_out + 1 :]))


def test_told_in_the_names_of_the_asker() -> None:
    said = Constraints(together=[(0, 1), (1, 2)], apart=[(0, 2)])
    (contradiction,) = contradictions(said)
    names = {0: "d1.0", 1: "d1.1", 2: "d2.0"}
    assert contradiction.told(mention=names.__getitem__) == (
        "mentions d1.0 and d1.1 are together and mentions d1.1 and d2.0 are together, "
        "but mentions d1.0 and d2.0 are apart"
    )
    linked = contradictions(Constraints(linked=[(7, 3)], unlinked=[(7, 3)]))
    assert linked[0].told(entity=lambda number: f"Q{number}") == (
        "mention 3 is linked to entity Q7, but mention 3 is not to be linked to entity Q7"
    )
    alone = contradictions(Constraints(together=[(0, 1)], alone=[1]))
    assert alone == [Contradiction((Statement("together", 0, 1), Statement("alone", 1, None)))]
    assert str(alone[0]) == "mentions 0 and 1 are together, but mention 1 is to stay alone"


def test_the_error_names_the_first_and_counts_the_others() -> None:
    graph = graph_of([0], [1], [1.0], n_entities=1, n_mentions=3)
    said = Constraints(together=[(0, 1), (1, 2)], apart=[(0, 1), (1, 2)])
    with pytest.raises(InputError, match=r"mentions 0 and 1 are apart \(and 1 more\); take one of them back"):
        partition_under(graph, said)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"together": [(1, 1)]}, "together pairs mention 1 with itself"),
        ({"apart": [(0, -1)]}, "apart holds -1 as a mention; numbers begin at 0"),
        ({"linked": [("Q1", 0)]}, "linked holds 'Q1'; expected the number of an entity"),
        ({"alone": [0.5]}, "alone holds 0.5; expected the number of a mention"),
    ],
)
def test_what_is_no_decision_is_refused(said: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Constraints(**said)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (Constraints(apart=[(0, 3)]), "apart names mention 3; the graph has 3 mentions"),
        (Constraints(alone=[4]), "alone names mention 4; the graph has 3 mentions"),
        (Constraints(unlinked=[(0, 5)]), "unlinked names mention 5; the graph has 3 mentions"),
        (Constraints(linked=[(1, 0)]), "linked names entity 1; the graph has 1 entities"),
    ],
)
def test_what_the_graph_does_not_have_is_refused(said: Constraints, message: str) -> None:
    graph = graph_of([0], [1], [1.0], n_entities=1, n_mentions=3)
    with pytest.raises(InputError, match=message):
        partition_under(graph, said)


def test_constraints_are_values() -> None:
    said = Constraints(together=[(2, 1)], alone=[4]) | Constraints(together=[(1, 2)], linked=[(0, 1)])
    assert said == Constraints(together=[(1, 2)], linked=[(0, 1)], alone=[4])
    assert said
    assert not Constraints()
    assert said.statements() == [
        Statement("together", 1, 2),
        Statement("linked", 0, 1),
        Statement("alone", 4, None),
    ]
