"""``arborlink link``: every format in, a whole result out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arborlink.result import Result
from arborlink.result.folder import read_manifest

RunCommand = Callable[..., Any]

PUBTATOR = "7|t|Ada met Bob.\n7|a|In London.\n7\t0\t3\tAda\tPerson\tQ1\n7\t16\t22\tLondon\tPlace\tQ3\n"


def append(path: Path, *records: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(record) + "\n" for record in records)


def linked(folder: Path) -> dict[str, str | None]:
    return {link.mention: link.entity for link in Result.read(folder).links}


def test_documents_in_links_and_clusters_out(
    link: RunCommand, run_command: RunCommand, world: Path, tiny_model: Path
) -> None:
    done = link("--model", tiny_model, "--candidates", "2")
    assert (done.status, done.err) == (0, "")
    first, *_, last = done.out.splitlines()
    assert first == "4 mentions of 2 documents, 3 entities: 4 mentions linked"
    assert last == f"Written to {world / 'out'}; ask why with: arborlink explain {world / 'out'} ada"
    # the names are in the knowledge base word for word, so weights that know nothing find them too
    assert linked(world / "out") == {"ada": "Q1", "d1.1": "Q2", "london": "Q3", "d2.0": "Q1"}
    assert Result.read(world / "out").settings["n_skipped"] == 0
    assert set(read_manifest(world / "out")["files"]) == {"links.jsonl", "clusters.jsonl", "candidates.jsonl"}
    assert '"Ada" (ada) → Ada Lovelace (Q1)' in run_command("explain", world / "out", "ada").out
    evaluated = run_command(
        "evaluate",
        *("--links", world / "out", "--documents", world / "documents.jsonl", "--kb", world / "kb.jsonl"),
        "--json",
    )
    assert json.loads(evaluated.out)["n_mentions"] == 4


def test_entities_that_say_the_same_are_told(link: RunCommand, world: Path, tiny_model: Path) -> None:
    assert "as near" not in link("--model", tiny_model).out
    append(world / "kb.jsonl", {"id": "Q4", "name": "London", "types": ["Place"]})
    append(world / "documents.jsonl", {"id": "d3", "text": "London", "mentions": [{"start": 0, "end": 6}]})
    assert (
        '2 mentions are as near to several entities ("London": Q3, Q4) and linked to the first in the knowledge '
        "base; descriptions, other names or --examples tell them apart"
    ) in link("--model", tiny_model, "--inference", "independent").out.splitlines()


def test_a_second_run_takes_the_embeddings_from_the_cache_and_says_the_same(
    link: RunCommand, run_command: RunCommand, world: Path, tiny_model: Path, tmp_path: Path
) -> None:
    link("--model", tiny_model)
    first = (world / "out" / "links.jsonl").read_bytes()
    pieces = sorted((tmp_path / "cache-of-embeddings").rglob("*.safetensors"))
    assert pieces
    link("--model", tiny_model)
    assert (world / "out" / "links.jsonl").read_bytes() == first
    assert sorted((tmp_path / "cache-of-embeddings").rglob("*.safetensors")) == pieces
    assert "pieces" in run_command("cache").out
    run_command("cache", "--clear")
    assert "No embeddings" in run_command("cache").out


def test_the_cache_may_be_elsewhere_or_nowhere(link: RunCommand, world: Path, tiny_model: Path) -> None:
    link("--model", tiny_model, "--no-cache")
    link("--model", tiny_model, "--cache", world / "mine")
    assert not (world / "cache-of-embeddings").exists()
    assert list((world / "mine").rglob("*.safetensors"))


def test_pubtator_documents(link: RunCommand, world: Path, tiny_model: Path) -> None:
    path = world / "x.pubtator"
    path.write_text(PUBTATOR, encoding="utf-8")
    assert link("--model", tiny_model, documents=path).status == 0
    assert linked(world / "out") == {"7.0": "Q1", "7.1": "Q3"}


def test_zeshel_documents_and_pages(link: RunCommand, world: Path, tiny_model: Path) -> None:
    pages: list[dict[str, Any]] = [
        {"document_id": "Q1", "title": "Ada", "text": "Ada She wrote"},
        {"document_id": "Q3", "title": "London", "text": "London A town"},
        {"document_id": "c1", "title": "a day", "text": "once Ada saw London again", "entity": False},
    ]
    append(world / "z" / "documents" / "history.json", *pages)
    rows = [
        {
            "mention_id": id_,
            "context_document_id": "c1",
            "corpus": "history",
            "start_index": token,
            "end_index": token,
            "text": text,
            "label_document_id": label,
        }
        for id_, token, text, label in (("M1", 1, "Ada", "Q1"), ("M2", 3, "London", "Q3"))
    ]
    mentions = world / "z" / "mentions" / "heldout.json"
    append(mentions, *rows)
    assert link("--model", tiny_model, documents=mentions, kb=world / "z").status == 0
    assert linked(world / "out") == {"M1": "Q1", "M2": "Q3"}


@pytest.mark.parametrize("inference", ["directed", "undirected", "minimax", "independent"])
def test_every_way_of_linking(link: RunCommand, world: Path, tiny_model: Path, inference: str) -> None:
    done = link("--model", tiny_model, "--inference", inference, "--neighbours", "2", "--by-type")
    assert done.status == 0
    settings = Result.read(world / "out").settings
    assert (settings["inference"], settings["by_type"]) == (inference, True)
    assert settings["neighbours"] == (0 if inference == "independent" else 2)


def test_a_threshold_nobody_reaches_discovers_everybody(
    link: RunCommand, world: Path, tiny_model: Path
) -> None:
    done = link("--model", tiny_model, "--threshold", "1.5")
    assert done.out.splitlines()[0].endswith("0 mentions linked, 4 in 4 discovered entities")
    assert set(linked(world / "out").values()) == {None}


def test_the_other_options_reach_the_model(link: RunCommand, world: Path, tiny_model: Path) -> None:
    fingerprints = []
    for options in ([], ["--shortlist", "1"], ["--view", "context"], ["--entity-model", tiny_model]):
        done = link("--model", tiny_model, "--device", "cpu", *options)
        assert done.status == 0, done.err
        fingerprints.append(Result.read(world / "out").settings["model"])
    assert len(set(fingerprints[:3])) == 3


@pytest.fixture
def trained(tiny_model: Path, tmp_path: Path) -> Path:
    """A model that ArborLink saved, which has its own mind about linking."""
    from arborlink.encoders.building import build_tower
    from arborlink.encoders.model_folder import Inference, ModelSettings, write_towers
    from arborlink.encoders.views import Markers

    tower = build_tower(
        tiny_model, pooling="cls", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    inference = Inference("minimax", 3, 0.125, by_type=True)
    write_towers(tmp_path / "trained", tower, tower, ModelSettings(32, 32, inference=inference))
    return tmp_path / "trained"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], ("minimax", 3, 0.125, True)),
        (["--threshold", "model"], ("minimax", 3, 0.125, True)),
        (["--inference", "directed"], ("directed", 3, 0.125, True)),
        (["--neighbours", "1"], ("minimax", 1, 0.125, True)),
        (["--threshold", "none"], ("minimax", 3, None, True)),
        (["--threshold", "-0.5"], ("minimax", 3, -0.5, True)),
        (["--no-by-type"], ("minimax", 3, 0.125, False)),
    ],
)
def test_a_trained_model_says_how_to_link_until_the_user_does(
    link: RunCommand, world: Path, trained: Path, options: list[str], expected: tuple[Any, ...]
) -> None:
    from arborlink.encoders.model_folder import read_settings

    done = link("--model", trained, *options)
    assert (done.status, done.err) == (0, "")
    settings = Result.read(world / "out").settings
    assert tuple(settings[name] for name in ("inference", "neighbours", "threshold", "by_type")) == expected
    assert settings["model"] == read_settings(trained).fingerprint


def test_a_model_trained_by_type_tells_how_to_do_without(
    link: RunCommand, world: Path, trained: Path
) -> None:
    record = {"id": "d", "text": "Ada", "mentions": [{"start": 0, "end": 3}]}
    append(world / "untyped.jsonl", record)
    done = link("--model", trained, documents=world / "untyped.jsonl")
    assert done.status == 2
    assert done.err == (
        "arborlink: the model was trained by type, but no type of a mention (there is none) is a type of an entity "
        "(Person, Place); linking by type needs the same names on both sides; --no-by-type (by_type=False) links "
        "without types\n"
    )
    assert link("--model", trained, "--no-by-type", documents=world / "untyped.jsonl").status == 0


def test_a_threshold_that_is_no_number(link: RunCommand) -> None:
    done = link("--threshold", "high")
    assert done.status == 2
    assert done.err == (
        "arborlink: --threshold high is not a finite number; leave it out, or give none to link every mention\n"
    )


def test_the_question_to_ask_can_be_pasted(link: RunCommand, world: Path, tiny_model: Path) -> None:
    done = link("--model", tiny_model, output=world / "my out")
    assert done.out.rstrip().endswith(f"arborlink explain '{world / 'my out'}' ada")


def test_invalid_records_are_skipped_and_counted(link: RunCommand, world: Path, tiny_model: Path) -> None:
    append(world / "kb.jsonl", {"id": "Q4", "name": " "})
    blank = {"id": "d3", "text": "   ", "mentions": [{"start": 0, "end": 2}]}
    append(world / "documents.jsonl", blank, {"id": "d1", "text": "again"})
    done = link("--model", tiny_model, "--skip-invalid")
    assert done.status == 0
    assert done.err.splitlines() == [
        "skipped 3 invalid records:",
        f"  {world / 'kb.jsonl'}:4: entity 'Q4' has no name",
        f"  {world / 'documents.jsonl'}:3: mention 'd3.0' has no text: document 'd3' is blank at 0..2",
        f"  {world / 'documents.jsonl'}:4: document id 'd1' stands twice, first at line 1",
    ]
    assert Result.read(world / "out").settings["n_skipped"] == 3
    assert len(linked(world / "out")) == 4


def test_one_of_each_and_an_id_that_looks_like_an_option(
    link: RunCommand, world: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(world))
    (world / "kb.jsonl").write_text('{"id": "Q1", "name": "Ada"}')
    (world / "one.jsonl").write_text('{"id": "-x", "text": "Ada", "mentions": [{"start": 0, "end": 3}]}')
    done = link("--model", tiny_model, documents=world / "one.jsonl", output="~/at home")
    first, *_, last = done.out.splitlines()
    assert first == "1 mention of 1 document, 1 entity: 1 mention linked"
    assert last.endswith(f"arborlink explain -- '{world / 'at home'}' -x.0")


def test_embeddings_that_cannot_be_kept_are_told_in_one_line(world: Path, tiny_model: Path) -> None:
    (world / "file").write_text("in the way")
    files = ("--kb", world / "kb.jsonl", "--documents", world / "documents.jsonl", "--output", world / "out")
    arguments = ["link", *files, "--model", tiny_model, "--cache", world / "file"]
    done = subprocess.run(
        [sys.executable, "-m", "arborlink.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr.startswith(f"arborlink: {world / 'file'}")
    assert "embeddings cannot be kept: Not a directory" in done.stderr
    assert done.stderr.count("\n") == 1
