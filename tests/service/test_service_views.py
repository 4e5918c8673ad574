"""What the service tells about a workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from service_world import HOSTILE, documents, entities, letter_linker
from starlette.testclient import TestClient

from arborlink.knowledge_base import KnowledgeBase
from arborlink.workspace import Workspace

MakeClient = Callable[..., TestClient]


def test_status_counts_what_is_there(client: TestClient, workspace: Workspace) -> None:
    found = client.get("/api/status").json()
    assert (found["n_documents"], found["n_entities"]) == (len(documents()), len(entities()))
    assert found["n_mentions"] == workspace.corpus.n_mentions
    assert found["n_discoveries"] == len(workspace.discoveries())
    assert found["model"] == {
        "name": "the default model",
        "fingerprint": "letters",
        "state": "ready",
        "message": None,
    }
    assert found["inference"]["threshold"] == 0.8
    assert found["title"] == "w"


def test_the_queue_is_that_of_the_workspace(client: TestClient, workspace: Workspace) -> None:
    page = client.get("/api/proposals").json()
    expected = workspace.proposals(top=1)
    assert [item["id"] for item in page["items"]] == [proposal.id for proposal in expected]
    for item, proposal in zip(page["items"], expected, strict=True):
        told = proposal.proposal.to_dict()
        for name in ("name", "n_mentions", "n_documents", "value"):
            assert item[name] == told[name]
        assert item["version"] == proposal.version
        assert item["state"] == "open"
        assert item["nearest"]["entity"] == told["nearest"][0]["entity"]
    assert page["n_items"] == len(expected)
    assert {each["type"] for each in page["types"]} >= {"Person"}


def test_pages_hold_everything_once(client: TestClient) -> None:
    first = client.get("/api/proposals?per_page=2").json()
    ids = [
        item["id"]
        for page in range(1, first["n_pages"] + 1)
        for item in client.get(f"/api/proposals?per_page=2&page={page}").json()["items"]
    ]
    assert ids == [item["id"] for item in client.get("/api/proposals").json()["items"]]
    beyond = client.get(f"/api/proposals?per_page=2&page={first['n_pages'] + 1}").json()
    assert beyond["items"] == []


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("search=menabrea", ["Luigi Menabrea"]),
        ("search=ANALYTIC+engine", ["Analytical Engine"]),
        ("search=nobody", []),
        ("min_mentions=3", ["Luigi Menabrea"]),
        ("type=Person&search=plana", ["Giovanni Plana"]),
        ("type=Ship", []),
    ],
)
def test_the_queue_can_be_searched_and_filtered(client: TestClient, query: str, names: list[str]) -> None:
    assert [item["name"] for item in client.get(f"/api/proposals?{query}").json()["items"]] == names


@pytest.mark.parametrize("sort", ["value", "mentions", "documents", "name", "newest", "nearest"])
def test_the_queue_can_be_sorted(client: TestClient, sort: str) -> None:
    items = client.get(f"/api/proposals?sort={sort}").json()["items"]
    keys = {
        "value": [-item["value"] for item in items],
        "mentions": [-item["n_mentions"] for item in items],
        "documents": [-item["n_documents"] for item in items],
        "name": [item["name"].casefold() for item in items],
        "newest": [-int(item["id"].removeprefix("new-")) for item in items],
        "nearest": [item["nearest"]["affinity"] for item in items],
    }[sort]
    assert len(items) > 3
    assert keys == sorted(keys)


def test_a_proposal_has_its_evidence_and_tree(client: TestClient, workspace: Workspace) -> None:
    top = workspace.proposals(top=9, context=90)[0]
    found = client.get(f"/api/proposals/{top.id}").json()
    assert found["name"] == "Luigi Menabrea"
    assert [each["mention"] for each in found["evidence"]] == [each.mention for each in top.proposal.evidence]
    assert [each["name"] for each in found["nearest_entities"]] == [
        each.name for each in top.proposal.nearest
    ]
    nodes = found["tree"]["nodes"]
    assert [node["mention"] for node in nodes] == list(top.proposal.mentions)
    assert found["tree"]["root"] == {"name": "Luigi Menabrea", "is_new": True}
    assert sum(node["parent"] is None for node in nodes) == 1
    for node in nodes:
        if node["parent"] is not None:
            parent = nodes[node["parent"]]["mention"]
            assert workspace.result()[node["mention"]].parent == parent
            assert node["affinity"] == workspace.result()[node["mention"]].affinity
    assert nodes[0]["title"] == "A letter"
    assert nodes[0]["before"].endswith("wrote to ")
    assert found["draft"]["name"] == "Luigi Menabrea"
    assert found["draft"]["types"] == ["Person"]
    assert [event["kind"] for event in found["history"]] == ["born"]
    assert found["history"][0]["told"] == "“Luigi Menabrea” born with 3 mentions"


def test_documents_can_be_listed_and_searched(client: TestClient) -> None:
    page = client.get("/api/documents").json()
    assert [item["id"] for item in page["items"]] == [document.id for document in documents()]
    assert page["items"][0]["title"] == "A letter"
    assert page["items"][-1]["title"] == "empty"
    assert (page["items"][0]["n_mentions"], page["items"][0]["n_linked"]) == (3, 2)
    found = client.get("/api/documents", params={"search": "turin babbage"}).json()
    assert [item["id"] for item in found["items"]] == ["d2"]


def test_a_document_has_its_mentions_in_both_ways_of_counting(
    client: TestClient, workspace: Workspace
) -> None:
    found = client.get("/api/documents/d3").json()
    (document,) = (each for each in documents() if each.id == "d3")
    assert found["text"] == document.text
    assert (found["previous"], found["next"]) == ("d2", "d4/x y?#%")
    units = document.text.encode("utf-16-le")
    for told, mention in zip(found["mentions"], document.mentions, strict=True):
        assert document.text[told["start"] : told["end"]] == told["text"] == document.text_of(mention)
        assert units[2 * told["utf16_start"] : 2 * told["utf16_end"]].decode("utf-16-le") == told["text"]
        assert told["utf16_start"] == told["start"] + 2
        link = workspace.result()[mention.id]
        assert told["place"]["id"] == (link.entity or link.discovery)
        assert (told["affinity"], told["parent"]) == (link.affinity, link.parent)
    assert [each["place"]["name"] for each in found["mentions"]] == [
        "Luigi Menabrea",
        "Giovanni Plana",
        "London",
    ]


@pytest.mark.parametrize("mention", ["d1.0", "d2.0", "d3.0", "d6.2", "d4/x y?#%.1"])
def test_why_is_the_explanation_of_the_workspace(
    client: TestClient, workspace: Workspace, mention: str
) -> None:
    found = client.get(f"/api/mentions/{quote(mention, safe='')}/why").json()
    expected = workspace.explain(mention)
    assert [step["mention"] for step in found["steps"]] == [step.mention for step in expected.steps]
    assert [step["affinity"] for step in found["steps"]] == [step.affinity for step in expected.steps]
    assert found["bottleneck"] == expected.bottleneck
    assert found["root"]["id"] == expected.root
    assert (found["runner_up"] or {}).get("entity") == (
        expected.runner_up.entity if expected.runner_up else None
    )
    assert found["told"] == str(expected)


def test_entities_are_found_by_any_name(client: TestClient) -> None:
    found = client.get("/api/entities", params={"search": "londin"}).json()
    assert [(item["id"], item["matched"]) for item in found["items"]] == [("Q3", "Londinium")]
    assert found["items"][0]["n_mentions"] == 1
    assert len(client.get("/api/entities?limit=2").json()["items"]) == 2


def test_an_entity_has_its_mentions(client: TestClient) -> None:
    found = client.get("/api/entities/Q4").json()
    assert (found["name"], found["n_mentions"]) == ("Turin", 2)
    assert [mention["mention"] for mention in found["mentions"]] == ["d1.2", "d2.2"]
    assert found["documents"] == ["d1", "d2"]


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("/api/entities/" + quote("Q5/a b?#%", safe=""), "name"),
        ("/api/documents/" + quote("d4/x y?#%", safe=""), "text"),
    ],
)
def test_ids_and_texts_may_hold_anything(client: TestClient, address: str, field: str) -> None:
    found = client.get(address)
    assert found.status_code == 200
    assert HOSTILE in found.json()[field]
    assert found.headers["content-type"] == "application/json"
    assert found.headers["x-content-type-options"] == "nosniff"


def test_changes_since_a_version(client: TestClient, workspace: Workspace) -> None:
    assert client.get("/api/changes?since=2").json() == {"version": 2, "log": [], "discoveries": []}
    found = client.get("/api/changes?since=1").json()
    assert [line["command"] for line in found["log"]] == ["add"]
    assert set(found["discoveries"]) == {each.id for each in workspace.discoveries()}


def test_a_workspace_without_documents(make_client: MakeClient, tmp_path: Path) -> None:
    kb = KnowledgeBase(entities())
    client = make_client(Workspace.init(tmp_path / "none", kb, linker=letter_linker(), threshold=0.8))
    for address in ("proposals", "proposals?state=promoted", "documents", "decisions"):
        assert client.get(f"/api/{address}").json()["items"] == []
    assert client.get("/api/progress").json()["n_total"] == 0
    assert client.get("/api/entities/Q3").json()["n_mentions"] == 0
