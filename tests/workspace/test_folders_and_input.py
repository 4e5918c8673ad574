"""Folders that are no workspace, input that is no news, and what an export holds."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from workspace_world import HashEncoder, documents, entities, hash_linker, made

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError, ModelError, WorkspaceError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.result import Result
from arborlink.workspace import Merge, Promote, Reject, Relink, Together, Workspace


def test_opening_what_is_no_workspace_is_told(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no such folder; make a workspace"):
        Workspace.open(tmp_path / "nowhere")
    with pytest.raises(WorkspaceError, match=r"it has no workspace.sqlite"):
        Workspace.open(tmp_path)
    (tmp_path / "workspace.sqlite").write_text("not a database, but long enough to look at" * 10)
    with pytest.raises(WorkspaceError, match="the database is damaged"):
        Workspace.open(tmp_path)
    (tmp_path / "workspace.sqlite").unlink()
    with sqlite3.connect(tmp_path / "workspace.sqlite") as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    with pytest.raises(WorkspaceError, match="not the database of a workspace"):
        Workspace.open(tmp_path)


def test_a_workspace_of_another_format_is_told(tmp_path: Path) -> None:
    made(tmp_path / "w").close()
    with sqlite3.connect(tmp_path / "w" / "workspace.sqlite") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(WorkspaceError, match="of format 99, but this ArborLink reads format 1"):
        Workspace.open(tmp_path / "w")


def test_making_one_where_something_is_does_not_harm_it(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match=r"holds thesis.txt, which is not of a workspace"):
        made(tmp_path)
    workspace = made(tmp_path / "w")
    with pytest.raises(WorkspaceError, match="there is a workspace already"):
        made(tmp_path / "w")
    assert workspace.check() == ()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        made(tmp_path / "file")


def test_damaged_arrays_are_found(tmp_path: Path) -> None:
    workspace = made(tmp_path / "w")
    workspace.add(documents(1, 6))
    (parts,) = (tmp_path / "w" / "arrays").glob("parts-*")
    whole = parts.read_bytes()
    parts.write_bytes(whole[:-8] + b"damaged!")
    assert workspace.check() == (f"arrays/{parts.name} is not the file that was written",)
    parts.write_bytes(whole[:50])
    workspace.close()
    with pytest.raises(WorkspaceError, match=r"damaged .*restore the folder from a copy"):
        Workspace.open(tmp_path / "w").result()
    parts.unlink()
    again = Workspace.open(tmp_path / "w")
    with pytest.raises(WorkspaceError, match="the file is gone"):
        again.result()
    with pytest.raises(WorkspaceError, match="the file is gone"):
        again.add(documents(5, 1, "x"))
    assert again.check() == (f"arrays/{parts.name} cannot be read: No such file or directory",)


def test_what_is_known_is_passed_over_and_what_differs_refused(tmp_path: Path) -> None:
    workspace = made(tmp_path / "w")
    first = documents(1, 5)
    workspace.add(first)
    changes = workspace.add(first, entities(1, 4))
    assert changes.version == 2
    assert changes.skipped_documents == tuple(each.id for each in first)
    assert changes.skipped_entities == ("Q0", "Q1", "Q2", "Q3")
    assert "Known already: 5 documents, 4 entities" in str(changes)
    with pytest.raises(InputError, match="document 'd0' is in the workspace with another text"):
        workspace.add([replace(first[0], text=first[0].text + " More.")])
    with pytest.raises(InputError, match="entity 'Q0' is in the workspace with another name"):
        workspace.add(kb=[Entity("Q0", "somebody else")])
    taken = next(mention for _, mention in workspace.corpus.mentions)
    with pytest.raises(InputError, match=rf"mention id {taken.id!r} of document 'fresh' is in the workspace"):
        workspace.add([Document("fresh", "Ada.", (Mention(taken.id, 0, 3),))])
    with pytest.raises(InputError, match="'twin' stands twice"):
        workspace.add([Document("twin", "a"), Document("twin", "b")])
    assert workspace.version == 2


def test_ids_of_discoveries_are_not_taken_by_entities_from_elsewhere(tmp_path: Path) -> None:
    workspace = made(tmp_path / "w", threshold=0.97)
    workspace.add(documents(1, 6))
    with pytest.raises(InputError, match="has the id of something this workspace discovered; promote that"):
        workspace.add(kb=[Entity("new-000001", "an older find")])
    workspace.add(kb=[Entity("new-000500", "zzz")])
    workspace.add(documents(2, 8, "x"))
    born = [int(each.id[4:]) for each in workspace.discoveries()]
    assert all(number != 500 for number in born)
    assert max(born) > 500


def test_an_encoder_that_keeps_its_texts_to_itself_is_told(tmp_path: Path) -> None:
    class Plain:
        fingerprint = "plain"
        encode_mentions = encode_entities = None

    with pytest.raises(ModelError, match="Plain does not tell the texts it reads"):
        made(tmp_path / "w", Linker(Plain(), progress=False))  # type: ignore[arg-type]
    assert made(tmp_path / "w").status().version == 1


def test_a_linker_with_examples_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a workspace links without examples"):
        made(tmp_path / "w", hash_linker().with_examples(Corpus(documents(1, 2))))


def test_options_out_of_range_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="candidates is 1; a workspace keeps between 2"):
        made(tmp_path / "w", candidates=1)


def test_everything_comes_back_exactly_from_the_folder(tmp_path: Path) -> None:
    odd = Document(
        "o\ud800dd",
        "Ada — naïve 日本 \ud83d.",
        (Mention("m\ud800", 0, 3, ("A", "B"), (), {"note": [1, None]}), Mention("n", 6, 11, (), ("x", "y"))),
        {"source": {"a": 1.5}},
    )
    strange = Entity("Q\ud800", "Ada\n", ("Æ",), "d", ("T",), {"wiki": None})
    workspace = made(tmp_path / "w")
    workspace.add([odd], [strange])
    workspace.close()
    again = Workspace.open(tmp_path / "w")
    assert again.corpus.documents == (odd,)
    assert again.kb[strange.id] == strange


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_export_is_a_result_with_ids_knowledge_base_and_training_data(tmp_path: Path) -> None:
    workspace = made(tmp_path / "w", threshold=0.93)
    with pytest.raises(InputError, match="no mentions yet"):
        workspace.export(tmp_path / "out")
    workspace.add(documents(2, 25))
    promoted, rejected, *rest = workspace.discoveries()
    alone = workspace.discoveries()[-1].mentions[0]
    workspace.decide(Promote(promoted.id, name="The Found"))
    workspace.decide(Reject(rejected.id))
    workspace.decide(Merge((rest[0].id, rest[1].id)))
    workspace.decide(Relink(alone, "Q1"))
    workspace.export(tmp_path / "out")
    out = tmp_path / "out"
    assert Result.read(out).links == workspace.result().links
    shown = lines(out / "proposals.jsonl")
    assert [each["id"] for each in shown] == [each.id for each in workspace.proposals()]
    assert rejected.id not in {each["id"] for each in shown}
    clusters = {each["discovery"]: each for each in lines(out / "clusters.jsonl") if each["entity"] is None}
    assert clusters[rejected.id]["is_rejected"]
    assert KnowledgeBase.read(out / "kb.jsonl")[promoted.id].name == "The Found"
    assert [each["decision"]["kind"] for each in lines(out / "decisions.jsonl")] == [
        "promote",
        "reject",
        "merge",
        "relink",
    ]
    gold = {mention.id: mention.entities for _, mention in Corpus.read(out / "training.jsonl").mentions}
    assert {gold[mention] for mention in promoted.mentions} == {(promoted.id,)}
    assert {gold[mention] for mention in rejected.mentions} == {()}
    assert gold[alone] == ("Q1",)
    merged = {gold[mention] for each in rest[:2] for mention in each.mentions}
    assert merged == {(workspace.discovery_of(rest[0].mentions[0]),)}
    n_decided = (
        len(promoted.mentions) + len(rejected.mentions) + len(rest[0].mentions) + len(rest[1].mentions) + 1
    )
    assert sum(label is not None for label in gold.values()) == n_decided
    workspace.export(out)
    (out / "kb.jsonl").rename(out / "other.jsonl")
    workspace.export(out)
    assert lines(out / "kb.jsonl") == lines(out / "other.jsonl")


def test_an_export_takes_nobodys_files_away(tmp_path: Path) -> None:
    workspace = made(tmp_path / "w")
    workspace.add(documents(2, 5))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "kb.jsonl").write_text("mine")
    with pytest.raises(InputError, match=r"kb.jsonl is there and not of an export"):
        workspace.export(tmp_path / "out")
    assert (tmp_path / "out" / "kb.jsonl").read_text() == "mine"


def test_what_changed_is_told(tmp_path: Path) -> None:
    workspace = made(tmp_path / "w", threshold=0.95)
    told = workspace.add(documents(2, 10))
    assert str(told).startswith("Version 2\nNew: 10 documents,")
    assert "born" in str(told)
    assert json.loads(json.dumps(told.to_dict()))["version"] == 2
    first = workspace.discoveries()[0]
    arrived = workspace.add(kb=[Entity("late", first.name)])
    assert {move.before for move in arrived.relinked} >= {first.id}
    assert {move.after for move in arrived.relinked} == {"late"}
    assert "linked to entities or gone" in str(arrived)
    assert [entry.command for entry in workspace.log()] == ["init", "add", "add"]
    assert str(workspace.add()) == "Version 3\nNothing changed"
    assert workspace.history("new-999999") == ()


def test_a_model_that_changed_under_its_name_is_told(tmp_path: Path) -> None:
    made(tmp_path / "w").close()
    other = Workspace.open(tmp_path / "w", linker=hash_linker(HashEncoder(salt="new")))
    with pytest.raises(ModelError, match="encode it anew with `arborlink workspace reencode`"):
        other.add(documents(1, 2))


def test_labels_of_groups_that_chains_of_decisions_join(tmp_path: Path) -> None:
    from arborlink.workspace.labelled import decided_labels

    workspace = made(tmp_path / "w", threshold=0.97)
    workspace.add(documents(2, 12))
    a, b, c, d = (each.mentions[0] for each in workspace.discoveries()[:4])
    workspace.decide(Together((a, b)))
    workspace.decide(Together((c, d)))
    workspace.decide(Together((b, c)))
    workspace.decide(Relink(d, "Q0"))
    assert decided_labels(workspace._session.current()) == dict.fromkeys((a, b, c, d), ("Q0",))
