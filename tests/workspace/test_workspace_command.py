"""``arborlink workspace``: what its verbs print, write and refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from workspace_world import documents, entities, hash_linker

from arborlink.corpus import Corpus
from arborlink.knowledge_base import KnowledgeBase
from arborlink.workspace.settings import ModelChoice

RunCommand = Callable[..., Any]


@pytest.fixture
def ask(run_command: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunCommand:
    """``ask("status")``: a verb on the workspace ``w`` beside the files of a small world, without a real model."""
    monkeypatch.setattr(ModelChoice, "load", lambda self, device, cache, progress: hash_linker())
    KnowledgeBase(entities(1, 4)).write(tmp_path / "kb.jsonl")
    KnowledgeBase(entities(3, 2, "N")).write(tmp_path / "more.jsonl")
    Corpus(documents(2, 20)).write(tmp_path / "monday.jsonl")
    Corpus(documents(3, 6, "t")).write(tmp_path / "tuesday.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "118")

    def run(verb: str, *options: object) -> Any:
        return run_command("workspace", verb, "w", *options)

    return run


@pytest.fixture
def grown(ask: RunCommand) -> RunCommand:
    assert ask("init", "--kb", "kb.jsonl", "--threshold", 0.93).status == 0
    assert ask("add", "--documents", "monday.jsonl").status == 0
    return ask


def told(done: Any) -> Any:
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_a_week_from_init_to_export(ask: RunCommand, tmp_path: Path) -> None:
    made = ask(
        "init", "--kb", "kb.jsonl", "--threshold", 0.93, "--neighbours", 2, "--inference", "undirected"
    )
    assert "Inference undirected, 2 neighbours, threshold 0.93" in made.out
    added = ask("add", "--documents", "monday.jsonl")
    assert added.out.startswith("Version 2\nNew: 20 documents,")
    assert "… and" in added.out
    first = told(ask("proposals", "--json"))[0]
    shown = ask("proposals", "--rows", 1)
    assert shown.out.startswith(f"{first['id']}  {first['name']}\n")
    promoted = ask("decide", "promote", first["id"], "--name", "Found", "--type", "Person", "--author", "ada")
    assert f"discovery {first['id']} → entity {first['id']}" in promoted.out
    assert promoted.out.endswith("Decision 1\n")
    both = told(ask("add", "--documents", "tuesday.jsonl", "--kb", "more.jsonl", "--json"))
    assert (both["version"], both["n_documents"], both["n_entities"]) == (4, 6, 2)
    assert "promote" in ask("decisions").out
    assert told(ask("decisions", "--json"))[0]["author"] == "ada"
    assert "promoted to the knowledge base" in ask("history", first["id"]).out
    assert [each["command"] for each in told(ask("history", "--json"))] == [
        "init",
        "add",
        "decide promote",
        "add",
    ]
    assert "decided" in ask("explain", first["mentions"][0]).out
    assert told(ask("explain", first["mentions"][0], "--json"))["entity"] == first["id"]
    assert ask("export", "--output", "out").out == "Written to out\n"
    assert KnowledgeBase.read(tmp_path / "out" / "kb.jsonl")[first["id"]].name == "Found"
    assert "alive again" in ask("undo", 1).out
    assert told(ask("status", "--json"))["n_decisions"] == 0
    assert "0 decisions in force" in ask("status").out
    assert ask("reencode", "--threshold", 0.9).out.startswith("Version 6\n")
    assert ask("check").out == "Nothing is wrong\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decide", "dance", "a"], "there is no decision 'dance'; choose one of promote"),
        (["decide", "apart", "a"], "apart was given 1 ids; expected: apart MENTION MENTION"),
        (["decide", "split", "new-000001"], "expected: split ID MENTION…"),
        (["decide", "reject", "new-000001", "--name", "x"], "go with promote alone"),
        (["decide", "reject", "new-009999"], "new-009999 is not a discovery"),
        (["undo"], "there is no decision in force to undo"),
        (["history", "new-009999"], "there never was a discovery new-009999"),
        (["explain", "nobody"], "there is no mention 'nobody'"),
        (["add"], "there is nothing to add; give --documents, --kb or both"),
        (["init", "--kb", "kb.jsonl"], "there is a workspace already"),
        (["init", "--kb", "kb.jsonl", "--inference", "x"], "--inference x is not known"),
        (["reencode", "--view", "x"], "--view x is not known"),
    ],
)
def test_refusals_take_one_line(grown: RunCommand, arguments: list[str], message: str) -> None:
    done = grown(*arguments)
    assert done.status == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_every_kind_of_decision_has_its_words(grown: RunCommand) -> None:
    first, second, third, fourth, fifth = told(grown("proposals", "--json"))[:5]
    linked = "Q1"
    for words in (
        ["merge", first["id"], second["id"]],
        ["reject", third["id"]],
        ["split", fourth["id"], fourth["mentions"][0]],
        ["together", first["mentions"][0], second["mentions"][0]],
        ["apart", first["mentions"][0], fourth["mentions"][0]],
        ["relink", fifth["mentions"][0], linked],
        ["unlink", first["mentions"][0], linked],
    ):
        assert told(grown("decide", *words, "--json"))["decision"] > 0
    rejected = told(grown("proposals", "--rejected", "--json"))
    assert [each["id"] for each in rejected] == [third["id"]]
    assert grown("proposals", "--min-mentions", 99).out == "Nothing is proposed\n"


def test_a_conflict_is_told(grown: RunCommand) -> None:
    first, second = told(grown("proposals", "--json"))[:2]
    assert grown("decide", "merge", first["id"], second["id"], "--if-version", 2).status == 0
    late = grown("decide", "promote", second["id"], "--if-version", 2)
    assert late.status == 2
    assert f"{second['id']} merged into" in late.err or f"{second['id']} grown" in late.err


def test_damage_is_found(grown: RunCommand, tmp_path: Path) -> None:
    (lists,) = (tmp_path / "w" / "arrays").glob("lists-*")
    lists.write_bytes(lists.read_bytes()[:-1] + b"?")
    done = grown("check")
    assert done.status == 1
    assert f"{lists.name} is not the file that was written" in done.out
