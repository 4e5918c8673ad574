"""The command ``evaluate``: tables for people, one JSON object for programs, clear refusals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from arborlink.cli.evaluate import evaluate
from arborlink.errors import InputError, ResultError
from arborlink.result.folder import write_folder

DOCUMENTS = [
    {
        "id": "d1",
        "text": "aspirin eased the headache of Mr Doe",
        "mentions": [
            {"id": "d1.0", "start": 0, "end": 7, "type": "Drug", "entity": "E0"},
            {"id": "d1.1", "start": 18, "end": 26, "type": "Disease", "entity": "E1"},
            {"id": "d1.2", "start": 30, "end": 36, "type": "Person", "entity": "DOE"},
        ],
    },
    {
        "id": "d2",
        "text": "Doe took ASA",
        "mentions": [
            {"id": "d2.0", "start": 0, "end": 3, "type": "Person", "entity": "DOE"},
            {"id": "d2.1", "start": 9, "end": 12, "type": "Drug", "entity": "OLD"},
        ],
    },
]
KB = [{"id": "E0", "name": "aspirin"}, {"id": "E1", "name": "headache"}]
LINKS = [
    {
        "document": "d1",
        "mention": "d1.0",
        "start": 0,
        "end": 7,
        "text": "aspirin",
        "entity": "E0",
        "cluster": "E0",
    },
    {"document": "d1", "mention": "d1.1", "start": 18, "end": 26, "entity": "E0", "cluster": "E0"},
    {"document": "d1", "mention": "d1.2", "start": 30, "end": 36, "entity": None, "cluster": "new-1"},
    {"document": "d2", "mention": "d2.0", "start": 0, "end": 3, "entity": None, "cluster": "new-1"},
    {"document": "d2", "mention": "d2.1", "start": 9, "end": 12, "entity": "E0", "cluster": "E0"},
]
TRAIN = [
    {"id": "t1", "text": "aspirin", "mentions": [{"id": "t1.0", "start": 0, "end": 7, "entity": "OLD"}]},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Documents, a knowledge base, an id map, and a whole result folder."""
    write(tmp_path / "documents.jsonl", DOCUMENTS)
    write(tmp_path / "kb.jsonl", KB)
    write(tmp_path / "train.jsonl", TRAIN)
    (tmp_path / "id_map.json").write_text('{"OLD": "E0"}', encoding="utf-8")
    write_folder(tmp_path / "result", {"links.jsonl": LINKS}, {})
    return tmp_path


def write(path: Path, records: Sequence[object]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def run(folder: Path, *arguments: str, links: str = "result") -> Result:
    app = typer.Typer()
    app.command()(evaluate)
    files = {"--links": links, "--documents": "documents.jsonl", "--kb": "kb.jsonl"}
    given = [part for option, name in files.items() for part in (option, str(folder / name))]
    return CliRunner().invoke(app, [*given, *arguments])


def test_json_is_one_flat_object_and_nothing_else(folder: Path) -> None:
    result = run(folder, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert all(value is None or isinstance(value, int | float | str) for value in found.values())
    assert (found["accuracy"], found["n_linkable"], found["n_outside_kb"]) == (0.5, 2, 3)
    assert (found["accuracy_type_Drug"], found["accuracy_type_Person"]) == (1.0, None)
    assert found["n_clusters_discovered"] == 1
    assert found["recall_at_64"] is None
    assert found["n_skipped"] == 0
    assert result.stderr == ""


def test_tables_name_groups_figures_reasons_and_protocol(folder: Path) -> None:
    result = run(folder)
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    for heading in ("Linking", "Candidates", "Discovery", "Counts"):
        assert heading in text
    assert "accuracy 0.5000 1 right of 2 linkable mentions" in text
    assert "n_outside_kb 3" in text
    assert "– accuracy_seen, accuracy_unseen: no train documents were given" in text
    assert "Protocol: accuracy over linkable mentions only" in text
    assert "gold ids as given" in text


def test_train_documents_and_id_map_reach_the_figures(folder: Path) -> None:
    options = ("--train-documents", str(folder / "train.jsonl"), "--id-map", str(folder / "id_map.json"))
    found = json.loads(run(folder, "--json", *options).stdout)
    assert (found["n_linkable"], found["n_retired_replaced"]) == (3, 1)
    assert (found["n_seen"], found["accuracy_seen"]) == (2, 1.0)
    assert (found["n_unseen"], found["accuracy_unseen"]) == (1, 0.0)
    assert "retired gold ids replaced (ids in the map: 1, mentions changed: 1)" in found["protocol"]


def test_a_result_folder_brings_its_candidates(folder: Path) -> None:
    lists = [{"mention": m, "entities": ["E0", "E1"], "affinities": [0.9, 0.1]} for m in ("d1.0", "d1.1")]
    write_folder(folder / "result", {"links.jsonl": LINKS, "candidates.jsonl": lists}, {})
    found = json.loads(run(folder, "--json").stdout)
    assert (found["recall_at_1"], found["recall_at_2"], found["recall_at_4"]) == (0.5, 1.0, None)


def test_candidates_may_lie_elsewhere(folder: Path) -> None:
    write(folder / "other.jsonl", [{"mention": "d1.1", "entities": ["E1"]}])
    options = ("--candidates", str(folder / "other.jsonl"))
    found = json.loads(run(folder, "--json", *options, links="result/links.jsonl").stdout)
    assert (found["recall_at_1"], found["n_without_candidates"]) == (0.5, 1)


def test_a_folder_without_its_manifest_is_refused(folder: Path) -> None:
    (folder / "result" / "manifest.json").unlink()
    result = run(folder, "--json")
    assert isinstance(result.exception, ResultError)
    assert "run `arborlink link` again" in str(result.exception)


def test_an_unknown_mention_is_refused_or_skipped(folder: Path) -> None:
    write(folder / "links.jsonl", [*LINKS, {"mention": "d9.0", "entity": None}])
    result = run(folder, "--json", links="links.jsonl")
    assert isinstance(result.exception, InputError)
    assert f"{folder / 'links.jsonl'}:6: mention 'd9.0' is not in the gold documents" in str(result.exception)
    skipped = run(folder, "--json", "--skip-invalid", links="links.jsonl")
    assert skipped.exit_code == 0
    assert json.loads(skipped.stdout)["n_skipped"] == 1
    heading, reason = skipped.stderr.splitlines()
    assert heading == "skipped 1 invalid record:"
    assert f"{folder / 'links.jsonl'}:6: mention 'd9.0' is not in the gold documents" in reason


def test_the_interval_is_seeded(folder: Path) -> None:
    options = ("--json", "--bootstrap", "20", "--id-map", str(folder / "id_map.json"))
    first, again, other = (run(folder, *options, "--seed", seed).stdout for seed in ("1", "1", "2"))
    assert first == again
    assert json.loads(first)["accuracy_ci_low"] is not None
    assert json.loads(other)["accuracy_ci_high"] is not None
    assert json.loads(run(folder, "--json", "--bootstrap", "0").stdout)["accuracy_ci_low"] is None


def test_formats_can_be_named(folder: Path) -> None:
    found = json.loads(run(folder, "--json", "--format", "jsonl", "--kb-format", "jsonl").stdout)
    assert found["n_mentions"] == 5
