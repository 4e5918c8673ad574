"""``arborlink explain``: a path for people, one JSON object for programs, a hint for a wrong id."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arborlink.result import Candidate, Link, Result

RunCommand = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    links = [
        Link("d", "d.0", 0, 4, "Zoë W", "Q1", "Zoë", 0, 0.9, "Q1", "entity", None),
        Link("e", "e.0", 0, 3, "her", "Q1", "Zoë", 0, 0.8, "d.0", "mention", Candidate("Q2", "Bob", 0.25)),
    ]
    Result(links, {}).write(tmp_path / "result")
    return tmp_path / "result"


def test_the_path_is_printed(run_command: RunCommand, folder: Path) -> None:
    done = run_command("explain", folder, "e.0")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        '"her" (e.0) → Zoë (Q1)',
        "  Zoë  [entity Q1]",
        '  └─ 0.900 ─ "Zoë W"  (d.0)',
        '    └─ 0.800 ─ "her"  (e.0)   ← bottleneck',
        "  Runner-up: Bob (Q2), affinity 0.250 to the mention by itself",
    ]


def test_json_is_one_object_with_the_same(run_command: RunCommand, folder: Path) -> None:
    done = run_command("explain", folder, "e.0", "--json")
    assert done.out.count("\n") == 1
    assert "Zoë" in done.out
    found = json.loads(done.out)
    assert found == json.loads(json.dumps(Result.read(folder).explain("e.0").to_dict()))
    assert (found["root"], found["bottleneck"], len(found["steps"])) == ("Q1", 1, 2)


@pytest.mark.parametrize(
    ("mention", "message"),
    [
        ("e", "there is no mention 'e' in the result; did you mean e.0?"),
        ("Zoë W", "there is no mention 'Zoë W' in the result; did you mean d.0?"),
        ("x", "there is no mention 'x' in the result"),
    ],
)
def test_an_unknown_mention_is_told(
    run_command: RunCommand, folder: Path, mention: str, message: str
) -> None:
    done = run_command("explain", folder, mention)
    assert (done.status, done.out, done.err) == (2, "", f"arborlink: {message}\n")


def test_what_is_no_whole_result_is_told(run_command: RunCommand, folder: Path, tmp_path: Path) -> None:
    done = run_command("explain", tmp_path / "nowhere", "d.0")
    assert (done.status, done.err) == (
        2,
        f"arborlink: {tmp_path / 'nowhere'}: no such result folder; run `arborlink link` again\n",
    )
    (folder / "manifest.json").unlink()
    done = run_command("explain", folder, "d.0")
    assert done.status == 2
    assert done.err == (
        f"arborlink: {folder}: the result folder is incomplete, it has no manifest.json; "
        "run `arborlink link` again\n"
    )
