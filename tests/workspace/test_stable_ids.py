"""Discovered entities keep their ids; every id has one birth and at most one end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.errors import InputError
from arborlink.workspace.stable_ids import BIRTHS, ENDINGS, Event, Reconciled, format_id, reconcile

MENTIONS = [f"m{number}" for number in range(9)]
GONE = "gone"


def told(found: Reconciled) -> list[tuple[str, str, tuple[str, ...], str]]:
    return [(event.kind, event.id, event.other, "".join(event.mentions)) for event in found.events]


def test_the_first_partition_gives_birth_to_all() -> None:
    found = reconcile({}, [{"a", "b"}, {"c"}], {}, next_number=1)
    assert found.ids == ("new-000001", "new-000002")
    assert told(found) == [("born", "new-000001", (), "ab"), ("born", "new-000002", (), "c")]
    assert found.next_number == 3


def test_the_same_partition_again_is_no_event() -> None:
    found = reconcile({"new-000001": {"a", "b"}, "new-000002": {"c"}}, [{"c"}, {"a", "b"}], {}, 3)
    assert found == Reconciled(("new-000002", "new-000001"), (), 3)


def test_growing_and_shrinking_at_once() -> None:
    found = reconcile({"new-000001": {"a", "b", "c"}}, [{"a", "b", "d"}], {"c": "Q1"}, 2)
    assert found.ids == ("new-000001",)
    assert told(found) == [("grown", "new-000001", (), "d"), ("shrunk", "new-000001", (), "c")]


def test_a_merger_keeps_the_id_of_the_larger_share() -> None:
    found = reconcile({"new-000001": {"a"}, "new-000002": {"b", "c"}}, [{"a", "b", "c"}], {}, 3)
    assert found.ids == ("new-000002",)
    assert told(found) == [("merged", "new-000001", ("new-000002",), "a"), ("grown", "new-000002", (), "a")]


def test_a_split_keeps_the_id_with_most_mentions() -> None:
    found = reconcile({"new-000001": {"a", "b", "c"}}, [{"a"}, {"b", "c"}], {}, 2)
    assert found.ids == ("new-000002", "new-000001")
    assert told(found) == [("shrunk", "new-000001", (), "a"), ("split", "new-000002", ("new-000001",), "a")]


def test_equal_overlaps_go_by_share_then_age_then_first_mention() -> None:
    by_share = reconcile({"new-000001": {"a", "x"}, "new-000002": {"b"}}, [{"a", "b"}], {"x": "Q1"}, 3)
    assert by_share.ids == ("new-000002",)
    by_age = reconcile({"new-000002": {"a"}, "new-000001": {"b"}}, [{"a", "b"}], {}, 3)
    assert by_age.ids == ("new-000001",)
    by_mention = reconcile({"new-000001": {"a", "b"}}, [{"b"}, {"a"}], {}, 2)
    assert by_mention.ids == ("new-000002", "new-000001")
    beyond_six_digits = reconcile({"new-1000000": {"a"}, "new-999999": {"b"}}, [{"a", "b"}], {}, 1_000_001)
    assert beyond_six_digits.ids == ("new-999999",)


def test_an_id_whose_mentions_are_linked_or_gone_retires() -> None:
    old = {"new-000001": {"a", "b", "c", "d"}, "new-000002": {"e"}}
    found = reconcile(old, [], {"a": "Q2", "b": "Q1", "c": "Q2"}, 3)
    assert told(found) == [
        ("retired", "new-000001", ("Q2", "Q1"), "abcd"),
        ("retired", "new-000002", (), "e"),
    ]


def test_a_promoted_id_ends_even_if_some_mentions_stay_behind() -> None:
    found = reconcile(
        {"new-000001": {"a", "b", "c"}}, [{"c"}], {"a": "E", "b": "E"}, 2, promoted={"new-000001": "E"}
    )
    assert found.ids == ("new-000002",)
    assert told(found) == [
        ("promoted", "new-000001", ("E",), "abc"),
        ("split", "new-000002", ("new-000001",), "c"),
    ]


def test_events_are_plain_values() -> None:
    event = Event("merged", "new-000001", ("new-000002",), ("a",))
    assert json.loads(json.dumps(event.to_dict())) == {
        "kind": "merged",
        "id": "new-000001",
        "other": ["new-000002"],
        "mentions": ["a"],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"new-000001": {"a"}, "new-000002": {"a"}}, [], {}, 3), "mention 'a' is in the old clusters"),
        (({}, [{"a"}, {"a"}], {}, 1), "mention 'a' is in the new clusters 0 and 1"),
        (({}, [set()], {}, 1), "new cluster 0 has no mention"),
        (({}, [{"a"}], {"a": "Q1"}, 1), "mention 'a' is in new cluster 0 and linked to 'Q1'"),
        (({"new-000005": {"a"}}, [], {}, 5), "the next id is number 5, but 'new-000005' is alive"),
        (({}, [], {}, 1, {"new-000001": "E"}), "'new-000001' is to be promoted but is not alive"),
    ],
)
def test_what_cannot_be_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reconcile(*arguments)


# of every mention the cluster or the entity it is in, or that it is not there
states = st.lists(
    st.sampled_from(["k1", "k2", "k3", "k4", "Q1", "Q2", GONE]),
    min_size=len(MENTIONS),
    max_size=len(MENTIONS),
)


def clusters_of(state: list[str]) -> tuple[list[set[str]], dict[str, str]]:
    clusters: dict[str, set[str]] = {}
    for mention, label in zip(MENTIONS, state, strict=True):
        if label.startswith("k"):
            clusters.setdefault(label, set()).add(mention)
    linked = {m: label for m, label in zip(MENTIONS, state, strict=True) if label.startswith("Q")}
    return list(clusters.values()), linked


@settings(max_examples=500, deadline=None)
@given(history=st.lists(states, min_size=1, max_size=5), data=st.data())
def test_every_id_has_one_birth_and_at_most_one_end(history: list[list[str]], data: st.DataObject) -> None:
    alive: Mapping[str, set[str]] = {}
    number, ever = 1, set[str]()
    for state in history:
        new, linked = clusters_of(state)
        promoted = {known: "E" for known in alive if data.draw(st.integers(0, 5)) == 0}
        found = reconcile(alive, new, linked, number, promoted)
        after = dict(zip(found.ids, new, strict=True))
        assert len(after) == len(new)
        births = [event for event in found.events if event.kind in BIRTHS]
        endings = [event for event in found.events if event.kind in ENDINGS]
        assert sorted(event.id for event in births) == sorted(after.keys() - alive.keys())
        assert sorted(event.id for event in endings) == sorted(alive.keys() - after.keys())
        assert ever.isdisjoint(event.id for event in births)
        ever |= {event.id for event in births}
        assert found.next_number == number + len(births) == len(ever) + 1
        assert ever == {format_id(n) for n in range(1, found.next_number)}
        assert_events_tell_the_change(alive, after, linked, promoted, found)
        alive, number = after, found.next_number


def assert_events_tell_the_change(
    alive: Mapping[str, set[str]],
    after: Mapping[str, set[str]],
    linked: Mapping[str, str],
    promoted: Mapping[str, str],
    found: Reconciled,
) -> None:
    replayed = {known: set(mentions) for known, mentions in alive.items()}
    everyone = set().union(*after.values())
    for event in found.events:
        mentions = set(event.mentions)
        if event.kind in BIRTHS:
            replayed[event.id] = mentions
            parents = {known for known, before in alive.items() if before & mentions}
            assert set(event.other) == parents
            assert (event.kind == "split") == bool(parents)
        elif event.kind in ENDINGS:
            assert replayed.pop(event.id) == mentions
        elif event.kind == "grown":
            replayed[event.id] |= mentions
        else:
            replayed[event.id] -= mentions
        if event.kind == "merged":
            (heir,) = event.other
            assert heir in alive
            assert after[heir] & mentions
        if event.kind == "retired":
            assert everyone.isdisjoint(mentions)
            assert set(event.other) == {linked[mention] for mention in mentions if mention in linked}
        if event.kind == "promoted":
            assert event.other == (promoted[event.id],)
    assert replayed == after


@settings(max_examples=300, deadline=None)
@given(before=states, state=states, data=st.data())
def test_who_keeps_an_id_does_not_depend_on_any_order(
    before: list[str], state: list[str], data: st.DataObject
) -> None:
    first, _ = clusters_of(before)
    new, linked = clusters_of(state)
    old = {format_id(number + 1): mentions for number, mentions in enumerate(first)}
    places = data.draw(st.permutations(range(len(new))))
    turned = dict(data.draw(st.permutations(list(old.items()))))
    one = reconcile(old, new, linked, len(old) + 1)
    other = reconcile(turned, [new[place] for place in places], linked, len(old) + 1)
    kept = {known: new[place] for place, known in enumerate(one.ids) if known in old}
    assert kept == {known: new[places[place]] for place, known in enumerate(other.ids) if known in old}
    assert [event for event in one.events if event.kind not in BIRTHS] == [
        event for event in other.events if event.kind not in BIRTHS
    ]


@settings(max_examples=300, deadline=None)
@given(before=states, state=states)
def test_the_pair_that_shares_most_keeps_its_id(before: list[str], state: list[str]) -> None:
    first, _ = clusters_of(before)
    new, linked = clusters_of(state)
    old = {format_id(number + 1): mentions for number, mentions in enumerate(first)}
    found = reconcile(old, new, linked, len(old) + 1)
    after = dict(zip(found.ids, new, strict=True))
    # a pair that shares more than both have in common with their partners would rather be together
    for known, mentions in old.items():
        for given_id, cluster in after.items():
            own = len(mentions & after.get(known, set()))
            theirs = len(old.get(given_id, set()) & cluster)
            assert len(mentions & cluster) <= max(own, theirs)
