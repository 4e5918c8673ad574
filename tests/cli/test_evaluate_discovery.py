"""``arborlink evaluate --protocol discovery``: rows for people, one JSON object for programs, loud if it flatters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RunCommand = Callable[..., Any]

NAMES = ["anchor", "barrel", "candle", "dinghy", "engine", "feather", "garnet", "hammer", "island", "jacket"]


def put(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def records(prefix: str, forms: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "id": f"{prefix}{number}",
            "text": form,
            "mentions": [{"start": 0, "end": len(form), "entity": form.split()[-1]}],
        }
        for number, form in enumerate(forms)
    ]


@pytest.fixture
def evaluate(
    run_command: RunCommand, tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> RunCommand:
    """``evaluate("--dev", "dev.jsonl")``: the protocol with a tiny model, in a folder with three files."""
    put(tmp_path / "kb.jsonl", [{"id": name, "name": name} for name in NAMES])
    put(tmp_path / "documents.jsonl", records("t", [*NAMES, *(f"old {name}" for name in NAMES)]))
    put(tmp_path / "dev.jsonl", records("v", [f"the {name}" for name in NAMES]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "118")

    def run(*options: object) -> Any:
        files = ("--documents", "documents.jsonl", "--kb", "kb.jsonl")
        model = ("--model", tiny_model, "--device", "cpu")
        return run_command("evaluate", "--protocol", "discovery", *files, *model, *options)

    return run


def test_there_is_a_row_for_each_method_and_the_protocol_is_told(evaluate: RunCommand) -> None:
    done = evaluate("--dev", "dev.jsonl", "--hide", 0.2, "--seed", 4)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["Method", "NMI", "ARI", "Mean", "k", "Threshold", "Mean", "on", "dev"]
    assert [line[2:14].strip() for line in lines[1:5]] == ["no entities", "undirected", "directed", "minimax"]
    assert "2 of 10 entities hidden, with 4 mentions; 20 mentions clustered" in lines
    assert "Protocol: discovery: 2 of 10 entities with a gold mention hidden (20%, seed 4);" in done.out


def test_json_is_one_flat_object_and_the_remark_stands_elsewhere(evaluate: RunCommand) -> None:
    done = evaluate("--json")
    assert done.status == 0
    assert done.err.startswith(
        "arborlink: OPTIMISTIC figures: k and threshold were chosen on the very documents"
    )
    assert done.out.count("\n") == 1
    found = json.loads(done.out)
    assert (found["n_hidden"], found["hide"], found["seed"], found["chosen_on"]) == (1, 0.1, 0, "documents")
    for method in ("no_entities", "undirected", "directed", "minimax"):
        mean = (found[f"{method}_nmi"] + found[f"{method}_ari"]) / 2
        assert found[f"{method}_nmi_ari_mean"] == pytest.approx(mean)
        assert found[f"{method}_k"] in (1, 2, 4, 8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--links", "result"], "--links belongs to --protocol links, not to --protocol discovery"),
        (
            ["--id-map", "x", "--candidates", "y"],
            "--id-map, --candidates belong to --protocol links, not to --protocol discovery",
        ),
        (["--protocol", "guess"], "--protocol guess is not known; choose links or discovery"),
        (["--hide", "2"], "the share of entities to hide is 2; expected a number above 0 and at most 1"),
        (
            ["--dev", "documents.jsonl"],
            "documents.jsonl: --documents and --dev are the same file; dev chooses k and threshold, so it must hold "
            "others",
        ),
    ],
)
def test_what_does_not_fit_is_told(evaluate: RunCommand, options: list[str], message: str) -> None:
    done = evaluate(*options)
    assert (done.status, done.out, done.err) == (2, "", f"arborlink: {message}\n")


def test_given_links_need_links_and_no_model(run_command: RunCommand, tmp_path: Path) -> None:
    files = ("--documents", tmp_path / "d.jsonl", "--kb", tmp_path / "kb.jsonl")
    missing = run_command("evaluate", *files)
    assert (missing.status, missing.err) == (
        2,
        "arborlink: --links is missing: name a result folder or a links file, or choose --protocol discovery\n",
    )
    foreign = run_command("evaluate", *files, "--links", "result", "--dev", "dev.jsonl", "--no-by-type")
    assert (foreign.status, foreign.err) == (
        2,
        "arborlink: --dev, --by-type belong to --protocol discovery, not to --protocol links\n",
    )
