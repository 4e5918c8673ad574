"""``arborlink report``, and the reports that ``link`` and ``demo`` write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report_worlds import World, small_world

RunCommand = Callable[..., Any]


@pytest.fixture
def world() -> World:
    return small_world()


@pytest.fixture
def folder(tmp_path: Path, world: World) -> Path:
    """A result folder that knows where its inputs are, as ``link`` writes it."""
    from arborlink.cli.report import sources

    world.corpus.write(tmp_path / "documents.jsonl")
    world.kb.write(tmp_path / "kb.jsonl")
    known = sources(tmp_path / "documents.jsonl", None, tmp_path / "kb.jsonl", None, skip_invalid=False)
    world.result.settings["sources"] = known
    world.result.write(tmp_path / "result")
    return tmp_path / "result"


def data_of(path: Path) -> dict[str, Any]:
    import gzip
    from base64 import b64decode

    block = path.read_text(encoding="utf-8").split('id="data">')[1].split("</script>")[0]
    unpacked: dict[str, Any] = json.loads(gzip.decompress(b64decode(block)))
    return unpacked


def test_the_folder_is_enough(run_command: RunCommand, folder: Path, tmp_path: Path) -> None:
    done = run_command("report", folder, "-o", tmp_path / "page.html")
    assert (done.status, done.err) == (0, "")
    assert done.out == f"Written to {tmp_path / 'page.html'}; open it in a browser\n"
    data = data_of(tmp_path / "page.html")
    assert data["title"] == "result"
    assert data["documents"]["text"][0].startswith("Ada Lovelace was")
    assert {key: value for key, value, *_ in data["evaluation"]["figures"]}["accuracy"] == 0.8


def test_no_path_of_this_machine_is_in_a_report(
    run_command: RunCommand, folder: Path, tmp_path: Path
) -> None:
    run_command("report", folder, "-o", tmp_path / "page.html")
    assert str(tmp_path) not in json.dumps(data_of(tmp_path / "page.html"))


def test_inputs_that_moved_are_told_and_can_be_given(
    run_command: RunCommand, folder: Path, tmp_path: Path
) -> None:
    for name in ("documents.jsonl", "kb.jsonl"):
        (tmp_path / name).rename(tmp_path / f"moved-{name}")
    done = run_command("report", folder, "-o", tmp_path / "page.html")
    assert done.status == 0
    assert "without their texts: " in done.err
    assert "documents.jsonl: there is no such file" in done.err
    assert "; give --documents to have them in the report" in done.err
    assert "without descriptions and figures: " in done.err
    assert data_of(tmp_path / "page.html")["documents"]["text"] is None
    given = ("--documents", tmp_path / "moved-documents.jsonl", "--kb", tmp_path / "moved-kb.jsonl")
    done = run_command("report", folder, "-o", tmp_path / "page.html", *given, "--title", "Mine")
    assert (done.status, done.err) == (0, "")
    assert data_of(tmp_path / "page.html")["title"] == "Mine"


def test_documents_that_changed_are_left_out_or_refused(
    run_command: RunCommand, folder: Path, tmp_path: Path
) -> None:
    documents = tmp_path / "documents.jsonl"
    documents.write_text(documents.read_text(encoding="utf-8").replace("Zork", "Zark"), encoding="utf-8")
    done = run_command("report", folder, "-o", tmp_path / "page.html")
    assert done.status == 0
    assert "without their texts: mention 'd1.2' says 'Zark' in the documents" in done.err
    done = run_command("report", folder, "-o", tmp_path / "page.html", "--documents", documents)
    assert done.status == 2
    assert "documents.jsonl: mention 'd1.2' says 'Zark' in the documents and said 'Zork'" in done.err


def test_a_result_of_before_there_were_sources_is_reported(
    run_command: RunCommand, tmp_path: Path, world: World
) -> None:
    world.result.write(tmp_path / "old")
    done = run_command("report", tmp_path / "old", "-o", tmp_path / "page.html")
    assert done.status == 0
    assert "without their texts: no path is known" in done.err


@pytest.mark.parametrize("name", ["documents.jsonl", "result/links.jsonl", "result/manifest.json"])
def test_a_report_does_not_take_the_place_of_an_input(
    run_command: RunCommand, folder: Path, tmp_path: Path, name: str
) -> None:
    before = (tmp_path / name).read_bytes()
    options = ("--documents", tmp_path / "documents.jsonl")
    done = run_command("report", folder, "-o", tmp_path / name, *options)
    assert (done.status, done.out) == (2, "")
    assert "is one of the inputs or of the result's files" in done.err
    assert (tmp_path / name).read_bytes() == before


def test_a_folder_is_no_file(run_command: RunCommand, folder: Path, tmp_path: Path) -> None:
    done = run_command("report", folder, "-o", tmp_path)
    assert done.status == 2
    assert "is a folder; the report is a file, such as report.html" in done.err
    done = run_command("report", tmp_path / "nowhere", "-o", tmp_path / "page.html")
    assert done.status == 2
    assert "no such result folder" in done.err


def test_link_writes_a_report_and_where_its_inputs_are(
    run_command: RunCommand, folder: Path, tmp_path: Path, tiny_model: Path
) -> None:
    inputs = (
        "--kb",
        tmp_path / "kb.jsonl",
        "--documents",
        tmp_path / "documents.jsonl",
        "--output",
        tmp_path / "new",
    )
    options = ("--model", tiny_model, "--report", tmp_path / "page.html", "--threshold", "0.9")
    done = run_command("link", *inputs, *options)
    assert (done.status, done.err) == (0, "")
    assert f"The report is in {tmp_path / 'page.html'}; open it in a browser" in done.out
    linked = data_of(tmp_path / "page.html")
    assert linked["settings"]["threshold"] == 0.9
    done = run_command("report", tmp_path / "new", "-o", tmp_path / "again.html")
    assert (done.status, done.err) == (0, "")
    again = data_of(tmp_path / "again.html")
    assert again["mentions"] == linked["mentions"]
    assert again["evaluation"] == linked["evaluation"]


def test_link_refuses_a_report_in_the_place_of_its_input(
    run_command: RunCommand, folder: Path, tmp_path: Path
) -> None:
    inputs = (
        "--kb",
        tmp_path / "kb.jsonl",
        "--documents",
        tmp_path / "documents.jsonl",
        "--output",
        tmp_path / "new",
    )
    done = run_command("link", *inputs, "--report", tmp_path / "kb.jsonl")
    assert done.status == 2
    assert "is one of the inputs" in done.err
    assert not (tmp_path / "new").exists()


def test_the_demo_writes_a_report_with_a_curve(
    run_command: RunCommand, tmp_path: Path, tiny_model: Path
) -> None:
    done = run_command("demo", "--output", tmp_path / "demo", "--model", tiny_model)
    assert (done.status, done.err) == (0, "")
    assert f"A report to look at is in {tmp_path / 'demo' / 'report.html'}" in done.out
    data = data_of(tmp_path / "demo" / "report.html")
    assert len(data["curves"]["curves"]) == 1
    assert data["evaluation"] is not None
