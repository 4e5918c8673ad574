"""``arborlink propose``: a table for people, a file for programs, and what to do where nothing was discovered."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arborlink.result import Candidate, Link, Result

RunCommand = Callable[..., Any]


def given_link(
    mention: str, start: int, end: int, text: str, cluster: int, parent: str | None = None
) -> Link:
    kind, affinity = ("mention", 0.75) if parent else (None, None)
    near = Candidate("Q2", "Bob", 0.25)
    document = "d2" if mention.startswith("d2") else "d1"
    span = (document, mention, start, end, text)
    return Link(*span, None, None, cluster, affinity, parent, kind, near)  # type: ignore[arg-type]


@pytest.fixture
def result(world: Path) -> Path:
    """Ada and Ada Lovelace were discovered as one, London as another."""
    links = [
        given_link("ada", 0, 3, "Ada", 0),
        Link("d1", "d1.1", 8, 11, "Bob", "Q2", "Bob", 1, 1.0, "Q2", "entity", None),
        given_link("london", 15, 21, "London", 2),
        given_link("d2.0", 0, 12, "Ada Lovelace", 0, "ada"),
    ]
    Result(links, {"threshold": 0.5}).write(world / "result")
    return world / "result"


@pytest.fixture
def propose(
    run_command: RunCommand, world: Path, result: Path, monkeypatch: pytest.MonkeyPatch
) -> RunCommand:
    """``propose("--top", 1, folder=path)`` in the folder of the world."""
    monkeypatch.chdir(world)
    monkeypatch.setenv("COLUMNS", "118")

    def run(*options: object, folder: Path = result) -> Any:
        return run_command("propose", folder, "--documents", "documents.jsonl", "--kb", "kb.jsonl", *options)

    return run


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_table_and_the_file_tell_the_same_in_the_same_order(propose: RunCommand, world: Path) -> None:
    done = propose()
    assert (done.status, done.err) == (0, "")
    heading, first, second, last = (line.split() for line in done.out.splitlines())
    assert heading == ["Name", "Mentions", "Documents", "Also", "Types", "Nearest", "known"]
    assert first == "Ada Lovelace 2 2 Ada (1) Person 100% Bob 0.250".split()  # noqa: SIM905
    assert second == "London 1 1 Place 100% Bob 0.250".split()  # noqa: SIM905
    assert last == ["Written", "to", "proposals.jsonl"]
    found = read(world / "proposals.jsonl")
    assert [(each["name"], each["mentions"]) for each in found] == [
        ("Ada Lovelace", ["ada", "d2.0"]),
        ("London", ["london"]),
    ]


def test_what_is_not_printed_is_in_the_file(propose: RunCommand, world: Path) -> None:
    done = propose("--rows", 1, "--output", "new.jsonl")
    assert "London" not in done.out
    assert done.out.splitlines()[-2:] == ["… and 1 more", "Written to new.jsonl"]
    assert len(read(world / "new.jsonl")) == 2
    assert propose("--rows", 0).out.splitlines() == ["2 proposals", "Written to proposals.jsonl"]


def test_small_clusters_can_be_left_out(propose: RunCommand, world: Path) -> None:
    propose("--min-mentions", 2)
    assert [each["name"] for each in read(world / "proposals.jsonl")] == ["Ada Lovelace"]
    done = propose("--min-mentions", 3)
    assert done.out.startswith("None of the 2 discovered entities has 3 mentions; the largest has 2.")
    assert read(world / "proposals.jsonl") == []


def test_evidence_is_as_long_as_asked_for(propose: RunCommand, world: Path) -> None:
    propose("--top", 1, "--context", 4)
    (shown,) = read(world / "proposals.jsonl")[0]["evidence"]
    assert (shown["mention"], shown["before"], shown["text"], shown["after"]) == ("ada", "", "Ada", " met")


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        (None, "without a threshold, so every mention went to an entity. Link again with --threshold X"),
        (0.25, "affinities of 0.25 or more. Link again with a higher --threshold to discover more."),
    ],
)
def test_nothing_discovered_says_how_to(
    propose: RunCommand, world: Path, threshold: float | None, message: str
) -> None:
    linked = Link("d1", "d1.1", 8, 11, "Bob", "Q2", "Bob", 0, 1.0, "Q2", "entity", None)
    Result([linked], {"threshold": threshold}).write(world / "all-linked")
    done = propose(folder=world / "all-linked")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Nothing was discovered: ")
    assert message in done.out
    assert read(world / "proposals.jsonl") == []


def test_other_documents_leave_an_earlier_file_alone(propose: RunCommand, world: Path) -> None:
    propose()
    before = (world / "proposals.jsonl").read_bytes()
    (world / "documents.jsonl").write_text('{"id": "d9", "text": "x", "mentions": []}\n', encoding="utf-8")
    done = propose()
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "arborlink: mention 'ada' of the result is not in the documents; give the documents that were linked\n"
    )
    assert (world / "proposals.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("result", "result: is a folder; --output names a file"),
        ("kb.jsonl", "kb.jsonl: is one of the inputs; choose another name for --output"),
        ("result/links.jsonl", "result/links.jsonl: is one of the inputs; choose another name for --output"),
    ],
)
def test_the_file_spoils_no_input(propose: RunCommand, output: str, message: str) -> None:
    done = propose("--output", output)
    assert (done.status, done.out, done.err) == (2, "", f"arborlink: {message}\n")


def test_an_incomplete_result_is_told(propose: RunCommand, world: Path) -> None:
    done = propose(folder=world / "nowhere")
    assert done.status == 2
    assert "no such result folder" in done.err
