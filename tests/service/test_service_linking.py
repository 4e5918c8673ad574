"""``POST /api/link`` links as ``Linker.link`` does, and keeps nothing."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from service_world import THRESHOLD, LetterEncoder, documents, entities, letter_linker
from starlette.testclient import TestClient

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.service.entity_vectors import Remembered
from arborlink.workspace import Promote, Workspace

MakeClient = Callable[..., TestClient]


def body_of(corpus: Corpus, candidates: int = 0) -> dict[str, Any]:
    return {
        "documents": [
            {
                "id": document.id,
                "text": document.text,
                "mentions": [
                    {"id": each.id, "start": each.start, "end": each.end, "type": list(each.types)}
                    for each in document.mentions
                ],
            }
            for document in corpus
        ],
        "candidates": candidates,
    }


def strings(seed: int, names: list[str]) -> Corpus:
    """Documents of names, some of them misspelt."""
    rng = random.Random(seed)
    found = []
    for number in range(4):
        text, mentions = "", []
        for place in range(rng.randint(1, 5)):
            name = rng.choice(names)
            cut = rng.randint(0, 2)
            name = name[: len(name) - cut] if len(name) > cut + 2 else name
            mentions.append(Mention(f"r{number}.{place}", len(text), len(text) + len(name)))
            text += f"{name} and "
        found.append(Document(f"r{number}", text, tuple(mentions)))
    return Corpus(found)


def test_the_links_are_those_of_the_linker(client: TestClient, workspace: Workspace) -> None:
    corpus = Corpus(documents())
    answer = client.post("/api/link", json=body_of(corpus, candidates=3)).json()
    expected = letter_linker().link(corpus, workspace.kb, candidates=3)
    assert answer["links"] == [link.to_dict() for link in expected.links]
    assert [each["mentions"] for each in answer["clusters"]] == [
        list(each.mentions) for each in expected.clusters
    ]
    assert expected.candidates is not None
    assert {
        mention: [(each["entity"], each["affinity"]) for each in near]
        for mention, near in answer["candidates"].items()
    } == {
        mention: [(each.entity, each.affinity) for each in near]
        for mention, near in expected.candidates.items()
    }
    assert answer["settings"]["threshold"] == THRESHOLD


@pytest.mark.parametrize("detour", [0.05, 0.4])
def test_a_detour_of_the_workspace_counts(make_client: MakeClient, tmp_path: Path, detour: float) -> None:
    linker = letter_linker().with_detour(detour)
    workspace = Workspace.init(tmp_path / "far", KnowledgeBase(entities()), linker=linker, neighbours=2)
    corpus = Corpus(documents())
    answer = make_client(workspace).post("/api/link", json=body_of(corpus)).json()
    expected = linker.link(corpus, workspace.kb, neighbours=2)
    assert answer["links"] == [link.to_dict() for link in expected.links]
    assert answer["settings"]["detour"] == detour
    assert answer["links"] != [
        link.to_dict() for link in letter_linker().link(corpus, workspace.kb, neighbours=2)
    ]


def test_nothing_is_kept(client: TestClient, workspace: Workspace) -> None:
    before = sorted(path.name for path in workspace.folder.rglob("*.safetensors"))
    corpus = Corpus(documents())
    for _ in range(3):
        assert client.post("/api/link", json=body_of(corpus)).status_code == 200
    assert workspace.version == 2
    assert sorted(path.name for path in workspace.folder.rglob("*.safetensors")) == before


def test_ids_are_made_where_there_are_none(client: TestClient) -> None:
    document = {"text": "Turin", "mentions": [{"start": 0, "end": 5, "type": "Place"}]}
    links = client.post("/api/link", json={"documents": [document, document]}).json()["links"]
    assert [link["mention"] for link in links] == ["document-1.0", "document-2.0"]
    assert [link["entity"] for link in links] == ["Q4", "Q4"]


def test_entities_that_were_promoted_and_taken_back(client: TestClient, workspace: Workspace) -> None:
    body = body_of(Corpus([Document("x", "Luigi Menabrea", (Mention("x.0", 0, 14),))]))
    assert client.post("/api/link", json=body).json()["links"][0]["entity"] is None
    id_ = workspace.proposals()[0].id
    number = workspace.decide(Promote(id_)).decision
    answer = client.post("/api/link", json=body).json()
    assert answer["links"][0]["entity"] == id_
    assert answer["settings"]["n_entities"] == len(entities()) + 1
    workspace.undo(number)
    answer = client.post("/api/link", json=body).json()
    assert answer["links"][0]["entity"] is None
    assert answer["settings"]["n_entities"] == len(entities())


def test_entities_are_not_encoded_again(
    client: TestClient, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the knowledge base was encoded")

    monkeypatch.setattr(LetterEncoder, "encode_entity_texts", refuse)
    monkeypatch.setattr(LetterEncoder, "entity_texts", refuse)
    assert client.post("/api/link", json=body_of(Corpus(documents()))).status_code == 200


def test_linking_by_type(make_client: MakeClient, tmp_path: Path) -> None:
    kb = KnowledgeBase([*entities(), Entity("Q6", "Turin", types=("Person",))])
    folder = tmp_path / "typed"
    client = make_client(
        Workspace.init(folder, kb, linker=letter_linker(), threshold=THRESHOLD, by_type=True)
    )
    mention = {"start": 0, "end": 5}
    for type_, entity in (("Person", "Q6"), ("Place", "Q4")):
        body = {"documents": [{"text": "Turin", "mentions": [{**mention, "type": type_}]}]}
        assert client.post("/api/link", json=body).json()["links"][0]["entity"] == entity
    unknown = {"documents": [{"text": "Turin", "mentions": [{**mention, "type": "Ship"}]}]}
    refused = client.post("/api/link", json=unknown)
    assert refused.status_code == 422
    assert "no type of a mention (Ship)" in refused.json()["error"]["message"]


NAMES = ["aspirin", "aspirin tablet", "ibuprofen", "ibuprofin", "paracetamol", "acetaminophen", "codeine"]


@pytest.mark.parametrize("shortlist", [2, 0])
def test_the_untrained_default_links_alike(
    make_client: MakeClient, tmp_path: Path, tiny_model: Path, shortlist: int
) -> None:
    kb = KnowledgeBase(
        [Entity(f"E{number}", name, (name[::-1], f"{name} salt")) for number, name in enumerate(NAMES)]
    )
    options: dict[str, Any] = {"shortlist": shortlist, "view": "names", "device": "cpu", "cache": False}
    made = Workspace.init(tmp_path / "names", kb, model=tiny_model, threshold=0.9, progress=False, **options)
    made.add(strings(0, NAMES[:2]))
    client = make_client(made)
    linker = Linker.load(tiny_model, progress=False, **options)
    for seed in range(1, 6):
        corpus = strings(seed, NAMES)
        answer = client.post("/api/link", json=body_of(corpus)).json()
        expected = linker.link(corpus, kb, threshold=0.9)
        found = [(each["mention"], each["entity"], each["parent"]) for each in answer["links"]]
        assert found == [(each.mention, each.entity, each.parent) for each in expected.links]
        for each, link in zip(answer["links"], expected.links, strict=True):
            assert each["affinity"] == pytest.approx(link.affinity, abs=2e-3)


def test_names_that_were_encoded_are_remembered_for_a_while() -> None:
    asked: list[list[str]] = []

    class Noting(LetterEncoder):
        def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
            asked.append(list(texts))
            return super().encode_entity_texts(texts)

    encoder, remembered = Noting(), Remembered(most=3)
    first = remembered.of(["a", "b"], encoder)
    again = remembered.of(["b", "c", "a"], encoder)
    assert asked == [["a", "b"], ["c"]]
    assert (again[2] == first[0]).all()
    remembered.of(["d"], encoder)
    assert len(remembered) == 3
    remembered.of(["b"], encoder)
    assert asked[-1] == ["b"]


def test_a_model_that_is_still_being_loaded(
    make_client: MakeClient, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    monkeypatch.setattr("arborlink.service.model.textual", lambda linker: may_go_on.wait() and linker.encoder)
    client = make_client(is_waited_for=False)
    try:
        assert client.get("/api/status").json()["model"]["state"] == "loading"
        refused = client.post("/api/link", json=body_of(Corpus(documents())))
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "model_loading"
        assert int(refused.headers["retry-after"]) >= 1
        promote = {"decision": {"kind": "promote", "discovery": "new-000001"}, "if_version": 2}
        assert client.post("/api/decisions", json=promote).status_code == 503
        reject = {"decision": {"kind": "reject", "discovery": "new-000001"}, "if_version": 2}
        assert client.post("/api/decisions", json=reject).status_code == 200
    finally:
        may_go_on.set()


def test_a_model_that_cannot_be_loaded(make_client: MakeClient, workspace: Workspace, tmp_path: Path) -> None:
    class Other(LetterEncoder):
        fingerprint = "another by now"

    workspace.close()
    client = make_client(Workspace.open(workspace.folder, linker=Linker(Other(), progress=False)))
    model = client.get("/api/status").json()["model"]
    assert model["state"] == "failed"
    assert "reencode" in model["message"]
    refused = client.post("/api/link", json=body_of(Corpus(documents())))
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "model_failed")
    assert client.get("/api/proposals").status_code == 200
