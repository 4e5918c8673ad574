"""Deciding over HTTP: what changes, what is told, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from arborlink.workspace import Workspace


def ids_of(client: TestClient, state: str = "all") -> dict[str, str]:
    """Ids of the proposals in a state, by name."""
    items = client.get(f"/api/proposals?state={state}&per_page=200").json()["items"]
    return {item["name"]: item["id"] for item in items}


def decide(client: TestClient, version: int = 2, author: str | None = "ada", **decision: Any) -> Any:
    body = {"decision": decision, "if_version": version, "author": author}
    return client.post("/api/decisions", json=body)


def test_promoting_relinks_and_undoing_brings_back(client: TestClient, workspace: Workspace) -> None:
    id_ = ids_of(client)["Luigi Menabrea"]
    done = decide(client, kind="promote", discovery=id_, name="Luigi Federico Menabrea").json()
    assert done["counts"]["promoted"] == 1
    assert done["n_relinked"] == 3
    assert done["relinked"][0]["before"] == {"kind": "discovery", "id": id_, "name": "Luigi Menabrea"}
    assert done["relinked"][0]["after"] == {
        "kind": "entity",
        "id": id_,
        "name": "Luigi Federico Menabrea",
    }
    mentions = client.get("/api/documents/d1").json()["mentions"]
    assert mentions[1]["place"]["name"] == "Luigi Federico Menabrea"
    (item,) = client.get("/api/proposals?state=promoted").json()["items"]
    assert (item["id"], item["name"], item["n_mentions"], item["decision"]) == (
        id_,
        "Luigi Federico Menabrea",
        3,
        done["decision"],
    )
    assert client.get("/api/entities?search=federico").json()["items"][0]["is_promoted"]
    gone = client.get(f"/api/proposals/{id_}")
    assert gone.status_code == 410
    assert gone.json()["error"]["details"]["now"]["kind"] == "entity"
    assert client.get("/api/progress").json()["n_promoted"] == 1

    undone = client.post(f"/api/decisions/{done['decision']}/undo", json={"author": "bob"}).json()
    assert undone["counts"]["restored"] == 1
    assert ids_of(client)["Luigi Menabrea"] == id_
    assert client.get("/api/progress").json()["n_reviewed"] == 0
    (stored,) = workspace.decisions()
    assert (stored.author, stored.undone_by) == ("ada", "bob")


def test_rejecting_takes_out_of_the_queue(client: TestClient) -> None:
    id_ = ids_of(client)["Difference Engine"]
    number = decide(client, kind="reject", discovery=id_).json()["decision"]
    assert "Difference Engine" not in ids_of(client, "open")
    (item,) = client.get("/api/proposals?state=rejected").json()["items"]
    assert (item["id"], item["state"], item["decision"]) == (id_, "rejected", number)
    assert client.get(f"/api/proposals/{id_}").json()["decision"] == number


def test_merging_two_discoveries(client: TestClient) -> None:
    ids = ids_of(client)
    one, other = ids["Giovanni Plana"], ids["Luigi Menabrea"]
    done = decide(client, kind="merge", ids=[one, other]).json()
    assert [event["kind"] for event in done["events"]].count("merged") == 1
    merged = next(event for event in done["events"] if event["kind"] == "merged")
    assert "merged into “" in merged["told"]
    assert client.get("/api/progress").json()["n_merged"] == 1
    assert client.get(f"/api/proposals/{merged['other'][0]['id']}").json()["n_mentions"] == 5
    gone = client.get(f"/api/proposals/{merged['discovery']}").json()["error"]
    assert gone["code"] == "gone"
    assert gone["details"]["now"]["id"] == merged["other"][0]["id"]


def test_linking_to_an_entity_that_exists(client: TestClient) -> None:
    id_ = ids_of(client)["Giovanni Plana"]
    done = decide(client, kind="merge", ids=[id_, "Q2"]).json()
    assert {move["after"]["name"] for move in done["relinked"]} == {"Charles Babbage"}
    (item,) = client.get("/api/proposals?state=linked").json()["items"]
    assert (item["name"], item["place"]["name"]) == ("Giovanni Plana", "Charles Babbage")
    assert client.get("/api/progress").json()["n_linked"] == 1
    why = client.get("/api/mentions/d3.1/why").json()
    assert why["place"]["name"] == "Charles Babbage"
    assert why["steps"][0]["affinity"] is None


def test_splitting(client: TestClient) -> None:
    id_ = ids_of(client)["Luigi Menabrea"]
    done = decide(client, kind="split", discovery=id_, mentions=["d3.0"]).json()
    assert {event["kind"] for event in done["events"]} == {"split", "shrunk"}
    assert client.get(f"/api/proposals/{id_}").json()["n_mentions"] == 2


@pytest.mark.parametrize(
    "decision",
    [
        {"kind": "together", "mentions": ["d1.1", "d6.0"]},
        {"kind": "apart", "one": "d1.1", "other": "d2.0"},
        {"kind": "relink", "mention": "d1.1", "entity": "Q2"},
        {"kind": "unlink", "mention": "d1.0", "entity": "Q1"},
    ],
)
def test_decisions_about_mentions(client: TestClient, decision: dict[str, Any]) -> None:
    done = decide(client, **decision)
    assert done.status_code == 200
    (item,) = client.get("/api/decisions").json()["items"]
    assert item["decision"] == decision
    assert item["is_in_force"]


def test_unsure_is_remembered_and_lapses_when_the_discovery_changes(
    client: TestClient, workspace: Workspace
) -> None:
    id_ = ids_of(client)["Luigi Menabrea"]
    marked = client.post(f"/api/proposals/{id_}/unsure", json={"if_version": 2, "author": "ada"}).json()
    assert marked["state"] == "unsure"
    assert list(ids_of(client, "unsure")) == ["Luigi Menabrea"]
    assert "Luigi Menabrea" not in ids_of(client, "open")
    assert client.get("/api/progress").json()["n_unsure"] == 1
    assert workspace.decisions() == ()

    opened = client.post(f"/api/proposals/{id_}/open", json={}).json()
    assert opened["state"] == "open"

    client.post(f"/api/proposals/{id_}/unsure", json={"if_version": 2})
    decide(client, kind="split", discovery=id_, mentions=["d3.0"])
    (item,) = (each for each in client.get("/api/proposals").json()["items"] if each["id"] == id_)
    assert (item["state"], item["was_unsure"]) == ("open", True)
    stale = client.post(f"/api/proposals/{id_}/unsure", json={"if_version": 2})
    assert stale.status_code == 409
    assert stale.json()["error"]["details"]["current_version"] == 3


def test_the_second_of_two_reviewers_is_told_what_changed(client: TestClient) -> None:
    id_ = ids_of(client)["Luigi Menabrea"]
    assert decide(client, kind="split", discovery=id_, mentions=["d3.0"]).status_code == 200
    refused = decide(client, author="bob", kind="promote", discovery=id_)
    assert refused.status_code == 409
    error = refused.json()["error"]
    assert error["code"] == "conflict"
    assert error["details"]["current_version"] == 3
    assert error["details"]["changes"] == ["“Luigi Menabrea” shrunk by 1 mention"]
    assert len(client.get("/api/decisions").json()["items"]) == 1
    assert decide(client, 3, "bob", kind="promote", discovery=id_).status_code == 200


def test_decisions_of_another_process_are_seen(client: TestClient, workspace: Workspace) -> None:
    from service_world import letter_linker

    from arborlink.workspace import Reject

    id_ = ids_of(client)["Luigi Menabrea"]
    with Workspace.open(workspace.folder, linker=letter_linker()) as other:
        other.decide(Reject(id_), author="cli")
    assert client.get("/api/changes?since=2").json()["version"] == 3
    assert list(ids_of(client, "rejected")) == ["Luigi Menabrea"]
    assert decide(client, kind="promote", discovery=id_).status_code == 409


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        ({"kind": "promote", "discovery": "new-999999"}, "not a discovery"),
        ({"kind": "promote", "discovery": "Q1"}, "an entity of the knowledge base"),
        ({"kind": "merge", "ids": ["Q1", "Q2"]}, "both entities"),
        ({"kind": "relink", "mention": "nowhere", "entity": "Q1"}, "no mention"),
        ({"kind": "relink", "mention": "d1.0", "entity": "Q9"}, "no entity"),
        ({"kind": "apart", "one": "d1.0", "other": "d1.0"}, "two different"),
        ({"kind": "promote", "discovery": "new-000001", "name": "  "}, "no name"),
        ({"kind": "explode", "discovery": "new-000001"}, "decision"),
        ({"kind": "reject"}, "discovery"),
        ({"kind": "reject", "discovery": "new-000001", "more": 1}, "more"),
    ],
)
def test_decisions_that_cannot_be(client: TestClient, decision: dict[str, Any], words: str) -> None:
    refused = decide(client, 1000, **decision)
    assert refused.status_code == 422
    assert refused.json()["error"]["code"] == "invalid"
    assert words in refused.json()["error"]["message"]
    assert client.get("/api/status").json()["version"] == 2


def test_a_contradiction_names_the_decision(client: TestClient) -> None:
    decide(client, kind="relink", mention="d1.1", entity="Q2")
    refused = decide(client, 100, kind="relink", mention="d1.1", entity="Q1")
    assert refused.status_code == 422
    assert "undo decision 1 first" in refused.json()["error"]["message"]


def test_undoing_what_cannot_be_undone(client: TestClient) -> None:
    assert client.post("/api/decisions/7/undo", json={}).status_code == 404
    id_ = ids_of(client)["Luigi Menabrea"]
    decide(client, kind="reject", discovery=id_)
    assert client.post("/api/decisions/1/undo", json={}).status_code == 200
    again = client.post("/api/decisions/1/undo", json={})
    assert again.status_code == 422
    assert "undone already" in again.json()["error"]["message"]


def test_decisions_can_be_filtered(client: TestClient) -> None:
    ids = ids_of(client)
    decide(client, author="ada", kind="reject", discovery=ids["Luigi Menabrea"])
    decide(client, 3, author="bob", kind="reject", discovery=ids["Giovanni Plana"])
    client.post("/api/decisions/1/undo", json={})
    assert [item["id"] for item in client.get("/api/decisions").json()["items"]] == [2, 1]
    assert [item["id"] for item in client.get("/api/decisions?in_force=true").json()["items"]] == [2]
    (bobs,) = client.get("/api/decisions?author=bob").json()["items"]
    assert next(iter(bobs["places"].values()))["name"] == "Giovanni Plana"


def test_the_history_of_what_is_alive_gone_and_never_was(client: TestClient) -> None:
    id_ = ids_of(client)["Luigi Menabrea"]
    decide(client, kind="promote", discovery=id_)
    found = client.get(f"/api/history/{id_}").json()
    assert [event["kind"] for event in found["events"]] == ["born", "promoted"]
    assert found["now"] == {"kind": "entity", "id": id_, "name": "Luigi Menabrea"}
    assert found["decisions"] == [1]
    assert client.get("/api/history/new-777777").status_code == 404
