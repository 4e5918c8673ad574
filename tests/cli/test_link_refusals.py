"""``arborlink link``: one line, and nothing written, for what cannot be linked."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arborlink.result import Result

RunCommand = Callable[..., Any]


def write_bytes(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def document(text: str, *spans: tuple[int, int], id_: str = "d") -> bytes:
    mentions = [{"start": start, "end": end} for start, end in spans]
    return json.dumps({"id": id_, "text": text, "mentions": mentions}).encode() + b"\n"


GOOD = document("Ada met Bob", (0, 3))
BAD_DOCUMENTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (Path.unlink, "documents.jsonl: there is no such file or folder"),
    "offset": (
        write_bytes(GOOD + document("Ada", (0, 9), id_="e")),
        "documents.jsonl:2: mention 'e.0' ends at 9 but document 'e' has 3 characters",
    ),
    "duplicate": (write_bytes(GOOD + GOOD), "documents.jsonl:2: document id 'd' stands twice"),
    "json": (write_bytes(GOOD + b'{"id": "e", \n'), "documents.jsonl:2: broken JSON"),
    "blank": (write_bytes(document("Ada   Bob", (3, 5))), "documents.jsonl:1: mention 'd.0' has no text"),
    "encoding": (
        write_bytes(GOOD + '{"id": "é", "text": "é"}\n'.encode("latin-1")),
        "documents.jsonl:2: not UTF-8: byte 0xe9",
    ),
    "truncated": (
        write_bytes(gzip.compress(GOOD + os.urandom(5000).hex().encode())[:-100]),
        "documents.jsonl:2: the gzip data is cut off or damaged",
    ),
    "unmarked": (
        write_bytes(document("Ada met Bob")),
        "documents.jsonl: the documents have no mentions: mark the spans to be linked",
    ),
    "empty": (write_bytes(b""), "documents.jsonl: the documents have no mentions"),
    "kb": (
        write_bytes(b'{"id": "Q1", "name": "Ada"}\n'),
        "documents.jsonl: this is a knowledge base (jsonl) where documents should be given",
    ),
}
BAD_KB: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (Path.unlink, "kb.jsonl: there is no such file or folder"),
    "empty": (write_bytes(b""), "kb.jsonl: the knowledge base is empty: it needs at least one entity"),
    "duplicate": (
        write_bytes(b'{"id": "Q1", "name": "Ada"}\n' * 2),
        "kb.jsonl:2: entity id 'Q1' stands twice",
    ),
    "nameless": (write_bytes(b'{"id": "Q1"}\n'), 'kb.jsonl:1: an entity needs the field "name"'),
    "json": (write_bytes(b'{"id": "Q1", "name": "Ada"\n'), "kb.jsonl"),
}


def assert_one_line(done: Any, message: str) -> None:
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("arborlink: ")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err


@pytest.mark.parametrize("case", BAD_DOCUMENTS)
def test_documents_that_cannot_be_linked_are_told_in_one_line(
    link: RunCommand, world: Path, case: str
) -> None:
    damage, message = BAD_DOCUMENTS[case]
    damage(world / "documents.jsonl")
    assert_one_line(link(), f"{world}/{message}")
    assert not (world / "out").exists()


@pytest.mark.parametrize("case", BAD_KB)
def test_a_knowledge_base_that_cannot_be_used_is_told_in_one_line(
    link: RunCommand, world: Path, case: str
) -> None:
    damage, message = BAD_KB[case]
    damage(world / "kb.jsonl")
    assert_one_line(link(), f"{world}/{message}")
    assert not (world / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--inference", "guess"], "--inference guess is not known; choose one of independent, undirected"),
        (["--view", "sideways"], "--view sideways is not known; choose names or context"),
        (["--format", "csv"], "unknown format 'csv'; the formats of documents are jsonl, pubtator, zeshel"),
        (["--kb-format", "pubtator"], "pubtator holds documents; the formats of a knowledge base are"),
        (["--threshold", "nan"], "--threshold nan is not a finite number; leave it out"),
        (["--threshold", "-inf"], "--threshold -inf is not a finite number; leave it out"),
    ],
)
def test_options_that_make_no_sense_are_told_in_one_line(
    link: RunCommand, options: list[str], message: str
) -> None:
    assert_one_line(link(*options), message)


def test_an_output_that_cannot_be_is_told_before_the_work(link: RunCommand, world: Path) -> None:
    (world / "file").write_text("in the way")
    assert_one_line(link(output=world / "file"), f"{world / 'file'}: is a file; --output names a folder")
    assert_one_line(
        link(output=world / "file" / "sub" / "out"), f"out: cannot be made: {world / 'file'} is a file"
    )
    assert (world / "file").read_text() == "in the way"


def test_an_output_that_may_not_be_written_is_told_before_the_work(
    link: RunCommand, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # whoever runs the tests may be allowed to write everywhere
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    done = link(output=world / "new" / "out")
    assert_one_line(done, f"out: cannot be written: {world} belongs to somebody else or cannot be changed")


def test_a_disk_that_fills_up_is_told_and_leaves_the_earlier_result(
    link: RunCommand, world: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link("--model", tiny_model, "--threshold", "1.5")
    before = Result.read(world / "out").links

    def fsync(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        done = link("--model", tiny_model)
    assert_one_line(done, f"{world / 'out'}: the result cannot be written: No space left on device")
    assert Result.read(world / "out").links == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--device", "nonsense"], "device 'nonsense' cannot be used"),
        (["--model", "kb.jsonl"], "model 'kb.jsonl' "),
    ],
)
def test_a_model_that_cannot_run_is_told_in_one_line(
    link: RunCommand, world: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(world)
    assert_one_line(link(*options), message)


def test_types_nobody_shares_are_told_in_one_line(link: RunCommand, world: Path, tiny_model: Path) -> None:
    (world / "kb.jsonl").write_text('{"id": "Q1", "name": "Ada", "types": ["Ship"]}')
    done = link("--model", tiny_model, "--by-type")
    assert_one_line(done, "no type of a mention (Person, Place) is a type of an entity (Ship)")


def test_a_number_out_of_range_is_a_matter_of_usage(link: RunCommand) -> None:
    for option in ("--neighbours", "--candidates", "--shortlist"):
        done = link(option, "-1")
        assert done.status == 2
        assert f"Invalid value for '{option}'" in done.err


def test_an_input_in_the_output_folder_is_not_touched(
    link: RunCommand, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world / "documents.jsonl").rename(world / "candidates.jsonl")
    before = (world / "candidates.jsonl").read_bytes()
    monkeypatch.chdir(world)
    done = link(documents="candidates.jsonl", output=".")
    assert_one_line(done, "candidates.jsonl in it is one of the inputs; choose another folder for --output")
    assert (world / "candidates.jsonl").read_bytes() == before


def test_files_of_somebody_else_in_the_output_folder_are_not_touched(link: RunCommand, world: Path) -> None:
    (world / "out").mkdir()
    (world / "out" / "links.jsonl").write_text("mine")
    assert_one_line(link(), f"{world / 'out'}: links.jsonl is there and not of a complete result")
    assert (world / "out" / "links.jsonl").read_text() == "mine"


def test_an_output_that_is_a_dangling_link_is_told_before_the_work(link: RunCommand, world: Path) -> None:
    (world / "out").symlink_to(world / "nowhere")
    assert_one_line(link(), f"{world / 'out'}: is a link to a folder that is not there")


def test_a_knowledge_base_of_no_plain_format_names_its_own_option(link: RunCommand, world: Path) -> None:
    (world / "kb.txt").write_text("Ada, Bob\n")
    done = link(kb=world / "kb.txt")
    assert_one_line(done, "can be jsonl, zeshel, umls: name one with --kb-format")
    assert "--format" not in done.err.replace("--kb-format", "")
