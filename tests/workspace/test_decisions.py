"""Each decision holds from then on, can be undone, and is refused where it cannot hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from workspace_world import documents, hash_linker, made

from arborlink.document import Document, Mention
from arborlink.errors import ConflictError, InputError
from arborlink.workspace import (
    Apart,
    Decision,
    Merge,
    Promote,
    Reject,
    Relink,
    Split,
    Together,
    Unlink,
    Workspace,
    decision_from_dict,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Discoveries of one to many mentions, and some links."""
    made_one = made(tmp_path / "w", threshold=0.93)
    made_one.add(documents(2, 25))
    assert len([each for each in made_one.discoveries() if len(each.mentions) > 1]) > 2
    return made_one


def state(workspace: Workspace) -> dict[str, tuple[str | None, str | None]]:
    return {link.mention: (link.entity, link.discovery) for link in workspace.result()}


def large(workspace: Workspace, n: int = 1) -> tuple[str, ...]:
    return tuple(each.id for each in workspace.discoveries()[:n])


def test_a_promoted_discovery_is_an_entity_that_later_mentions_link_to(workspace: Workspace) -> None:
    first = workspace.discoveries()[0]
    said = workspace.corpus.documents
    changes = workspace.decide(Promote(first.id, types=("Person",)), author="ada")
    entity = workspace.kb[first.id]
    assert entity.name == first.name
    assert entity.types == ("Person",)
    assert entity.description
    assert {link.entity for link in workspace.result() if link.mention in first.mentions} == {first.id}
    assert first.id not in {each.id for each in workspace.discoveries()}
    assert [event.kind for event in workspace.history(first.id)] == ["born", "promoted"]
    assert {move.mention for move in changes.relinked} >= set(first.mentions)
    assert changes.n_entities == 1
    again = Document("again", f"{first.name}.", (Mention("again.0", 0, len(first.name)),))
    added = workspace.add([again])
    assert workspace.result()["again.0"].entity == first.id
    assert [move.after for move in added.linked] == [first.id]
    assert workspace.corpus.documents == (*said, again)
    assert workspace.decisions()[0].author == "ada"
    with pytest.raises(InputError, match="is an entity of the knowledge base"):
        workspace.decide(Promote(first.id))


def test_a_rejected_discovery_is_not_proposed_until_most_of_it_is_new(workspace: Workspace) -> None:
    first = workspace.discoveries()[0]
    changes = workspace.decide(Reject(first.id))
    assert [event.kind for event in changes.events] == ["rejected"]
    assert first.id not in {each.id for each in workspace.proposals()}
    assert first.id in {each.id for each in workspace.proposals(rejected=True)}
    assert workspace.status().n_rejected == 1
    mention = workspace.result()[first.mentions[0]]
    for number in range(len(first.mentions) + 1):
        assert first.id not in {each.id for each in workspace.proposals()}
        text = f"{mention.text}."
        one = Document(f"n{number}", text, (Mention(f"n{number}.0", 0, len(mention.text)),))
        workspace.add([one])
    assert first.id in {each.id for each in workspace.proposals()}
    assert "reopened" in [event.kind for event in workspace.history(first.id)]


def test_merged_discoveries_are_one_under_the_larger_ones_id(workspace: Workspace) -> None:
    first, second = large(workspace, 2)
    members = {each.id: each.mentions for each in workspace.discoveries()}
    changes = workspace.decide(Merge((second, first)))
    found = {each.id: each.mentions for each in workspace.discoveries()}
    assert set(found[first]) == {*members[first], *members[second]}
    assert second not in found
    assert [(event.kind, event.other) for event in workspace.history(second)][-1] == ("merged", (first,))
    assert {event.kind for event in changes.events} == {"grown", "merged"}
    steps = workspace.explain(members[second][-1]).steps
    assert any(step.affinity is None for step in workspace.explain(members[first][-1]).steps) or any(
        step.affinity is None for step in steps
    )


def test_a_discovery_merged_with_an_entity_is_linked_to_it(workspace: Workspace) -> None:
    first = workspace.discoveries()[0]
    changes = workspace.decide(Merge((first.id, "Q1")))
    assert {workspace.result()[mention].entity for mention in first.mentions} == {"Q1"}
    assert {move.after for move in changes.relinked if move.mention in first.mentions} == {"Q1"}
    assert workspace.history(first.id)[-1].kind == "retired"
    assert workspace.history(first.id)[-1].other == ("Q1",)
    assert "decided" in str(workspace.explain(first.mentions[0]))


def test_split_mentions_are_a_discovery_of_their_own(workspace: Workspace) -> None:
    first = workspace.discoveries()[0]
    workspace.decide(Split(first.id, first.mentions[:1]))
    places = {mention: workspace.discovery_of(mention) for mention in first.mentions}
    assert places[first.mentions[0]] not in {places[mention] for mention in first.mentions[1:]}
    workspace.add(documents(77, 10, "later"))
    now = state(workspace)
    assert now[first.mentions[0]] not in [now[mention] for mention in first.mentions[1:]]


def test_together_apart_relink_and_unlink_hold(workspace: Workspace) -> None:
    linked = next(link for link in workspace.result() if link.entity is not None)
    one, two = (each.mentions[0] for each in workspace.discoveries()[:2])
    workspace.decide(Unlink(linked.mention, linked.entity or ""))
    workspace.decide(Together((one, two)))
    workspace.decide(Relink(two, "Q2"))
    workspace.decide(Apart(one, linked.mention))
    for seed in (5, 6):
        now = state(workspace)
        assert now[linked.mention][0] != linked.entity
        assert now[one][0] == now[two][0] == "Q2"
        assert now[one] != now[linked.mention]
        workspace.add(documents(seed, 6, f"s{seed}-"))
    assert workspace.check() == ()


@pytest.mark.parametrize(
    "choose",
    [
        lambda w: Promote(large(w)[0]),
        lambda w: Reject(large(w)[0]),
        lambda w: Merge(large(w, 3)),
        lambda w: Merge((large(w)[0], "Q0")),
        lambda w: Split(large(w)[0], w.discoveries()[0].mentions[1:]),
        lambda w: Together(tuple(each.mentions[0] for each in w.discoveries()[:3])),
        lambda w: Apart(*w.discoveries()[0].mentions[:2]),
        lambda w: Relink(w.discoveries()[0].mentions[0], "Q1"),
        lambda w: Unlink(*next((x.mention, x.entity) for x in w.result() if x.entity)),
    ],
)
def test_what_is_undone_is_as_if_it_never_was(
    workspace: Workspace, choose: Callable[[Workspace], Decision]
) -> None:
    before = state(workspace)
    decision = choose(workspace)
    changes = workspace.decide(decision)
    assert changes.decision == 1
    assert workspace.decisions()[0].decision == decision
    assert decision_from_dict(decision.to_dict()) == decision
    workspace.undo(author="eve")
    stored = workspace.decisions()[0]
    assert (stored.is_in_force, stored.undone_by) == (False, "eve")
    assert state(workspace) == before
    assert workspace.check() == ()
    with pytest.raises(InputError, match="undone already"):
        workspace.undo(1)
    with pytest.raises(InputError, match="no decision in force"):
        workspace.undo()
    with pytest.raises(InputError, match="there is no decision 9"):
        workspace.undo(9)


def test_undoing_a_promotion_gives_the_discovery_its_id_back_and_promoting_again_works(
    workspace: Workspace,
) -> None:
    first = workspace.discoveries()[0]
    workspace.decide(Promote(first.id, name="Somebody"))
    workspace.undo()
    assert first.id in {each.id for each in workspace.discoveries()}
    assert first.id not in workspace.kb
    workspace.decide(Promote(first.id, name="Somebody Else"))
    assert workspace.kb[first.id].name == "Somebody Else"
    assert [event.kind for event in workspace.history(first.id)] == [
        "born",
        "promoted",
        "restored",
        "promoted",
    ]
    workspace.decide(Relink(workspace.discoveries()[0].mentions[0], first.id))
    with pytest.raises(InputError, match="which decision 3 is about; undo that first"):
        workspace.undo(2)


def test_contradictions_are_refused_and_leave_nothing_behind(workspace: Workspace) -> None:
    one, two = workspace.discoveries()[0].mentions[:2]
    workspace.decide(Together((one, two)))
    version = workspace.version
    with pytest.raises(InputError, match=f"{one}.*undo decision 1 first"):
        workspace.decide(Apart(one, two))
    workspace.decide(Relink(one, "Q1"))
    with pytest.raises(InputError, match="contradicts what was decided"):
        workspace.decide(Relink(two, "Q2"))
    assert workspace.version == version + 1
    assert len(workspace.decisions()) == 2


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (Promote("new-009999"), "new-009999 is not a discovery"),
        (Reject("Q1"), "Q1 is an entity of the knowledge base"),
        (Merge(("new-000001",)), "two different ids or more"),
        (Merge(("Q1", "Q2")), "a merge takes one at most"),
        (Split("new-000001", ("nobody",)), "'nobody' is not in new-000001"),
        (Split("new-000001", ()), "takes 0 of the"),
        (Together(("nobody", "d0.0")), "there is no mention 'nobody'"),
        (Relink("nobody", "Q1"), "there is no mention 'nobody'"),
        (Unlink("nobody", "Q99"), "there is no entity 'Q99'"),
    ],
)
def test_what_names_nothing_is_refused(workspace: Workspace, decision: Decision, message: str) -> None:
    with pytest.raises(InputError, match=message):
        workspace.decide(decision)
    assert workspace.decisions() == ()


def test_a_decision_about_what_changed_meanwhile_is_a_conflict(workspace: Workspace) -> None:
    first, second = workspace.discoveries()[:2]
    workspace.decide(Merge((first.id, second.id)), if_version=workspace.version)
    with pytest.raises(ConflictError, match=f"{first.id} grown by") as told:
        workspace.decide(Promote(first.id), if_version=first.version)
    assert told.value.current_version == workspace.version
    with pytest.raises(ConflictError, match=f"merged into {first.id}"):
        workspace.decide(Reject(second.id), if_version=second.version)
    with pytest.raises(ConflictError, match=f"{second.mentions[0]} is now in discovery {first.id}"):
        workspace.decide(Relink(second.mentions[0], "Q1"), if_version=second.version)
    untouched = workspace.discoveries()[-1]
    assert workspace.decide(Reject(untouched.id), if_version=untouched.version).decision == 2
    with pytest.raises(ConflictError, match="rejected"):
        workspace.decide(Promote(untouched.id), if_version=untouched.version)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"kind": "dance"}, "kind 'dance' is not known; expected one of promote"),
        ({"kind": "reject"}, "discovery of a decision of kind 'reject' is None"),
        ({"kind": "reject", "discovery": 3}, "is 3; expected a string"),
        ({"kind": "merge", "ids": "ab"}, "expected a list of strings"),
        ({"kind": "apart", "one": "a", "other": "b", "more": 1}, "has no field 'more'"),
        ([], "expected an object"),
    ],
)
def test_records_of_no_decision_are_told(record: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        decision_from_dict(record)  # type: ignore[arg-type]


def test_ids_stay_when_the_model_changes(tmp_path: Path) -> None:
    from workspace_world import HashEncoder

    workspace = made(tmp_path / "w", threshold=0.93)
    workspace.add(documents(2, 25))
    before = {each.id: set(each.mentions) for each in workspace.discoveries()}
    workspace.decide(Reject(next(iter(before))))
    workspace.close()
    other = Workspace.open(tmp_path / "w", linker=hash_linker(HashEncoder(salt="other")))
    with pytest.raises(Exception, match="which is another by now"):
        other.add(documents(8, 1, "x"))
    other.reencode(model=None, threshold=0.92)
    after = {each.id: set(each.mentions) for each in other.discoveries()}
    kept = before.keys() & after.keys()
    assert len(kept) > len(before) / 2
    assert all(before[id_] & after[id_] for id_ in kept)
    assert all(int(id_[4:]) > len(before) for id_ in after.keys() - before.keys())
    assert other.settings.inference.threshold == 0.92
    assert other.check() == ()
    assert other.add(documents(8, 3, "x")).n_documents == 3
    other.reencode(inference="undirected", neighbours=2)
    assert other.settings.inference.mode == "undirected"
    assert other.check() == ()
