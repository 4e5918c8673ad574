"""``arborlink tune``: from labelled documents to a model that knows how to link."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from arborlink.discovery import FIGURES
from arborlink.encoders.model_folder import (
    Inference,
    ModelSettings,
    read_towers,
    write_inference,
    write_towers,
)
from arborlink.errors import InputError, ModelError
from arborlink.result import Result

RunCommand = Callable[..., Any]

# sentence, marked words and their entities; the knowledge base lacks Zed and Oslo
SENTENCES: list[tuple[str, list[tuple[str, Any]]]] = [
    ("Ada met Bob in London.", [("Ada", "Q1"), ("Bob", "Q2"), ("London", "Q3")]),
    ("Ada Lovelace left Oslo with Zed.", [("Ada Lovelace", "Q1"), ("Oslo", "N1"), ("Zed", "N2")]),
    ("Zed wrote to Bob from Oslo.", [("Zed", "N2"), ("Bob", "Q2"), ("Oslo", "N1")]),
    ("Somebody saw London.", [("Somebody", None), ("London", "Q3")]),
]


def written(path: Path, keep: Callable[[Any], bool] = lambda entity: True, labels: bool = True) -> Path:
    """The sentences as documents, with those mentions whose entity is to be kept."""
    records = []
    for number, (text, marked) in enumerate(SENTENCES):
        mentions = [
            {"start": text.index(words), "end": text.index(words) + len(words)}
            | ({"entity": entity} if labels else {})
            for words, entity in marked
            if keep(entity)
        ]
        records.append({"id": f"s{number}", "text": text, "mentions": mentions})
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture
def tune(run_command: RunCommand, world: Path) -> RunCommand:
    """``tune("--aim", ...)``: on the world's knowledge base and the sentences above."""

    def run(*options: object, **files: object) -> Any:
        given = {"kb": world / "kb.jsonl", "dev": written(world / "dev.jsonl")}
        paths = [part for name, path in (given | files).items() for part in (f"--{name}", path)]
        return run_command("tune", *paths, *options)

    return run


@pytest.fixture
def model(tiny_model: Path, tmp_path: Path) -> Path:
    """A model that ArborLink saved."""
    from arborlink.encoders.building import build_tower
    from arborlink.encoders.views import Markers

    tower = build_tower(
        tiny_model, pooling="mean", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    write_towers(tmp_path / "model", tower, tower, ModelSettings(32, 32, inference=Inference("directed", 3)))
    return tmp_path / "model"


@pytest.mark.parametrize("aim", ["nmi-ari", "nil-precision>=0.3", "wrong-links<=0.4"])
def test_linking_as_chosen_gives_the_figures_that_were_told(
    tune: RunCommand, link: RunCommand, run_command: RunCommand, world: Path, tiny_model: Path, aim: str
) -> None:
    done = tune("--model", tiny_model, "--aim", aim, "--output", world / "curve.json", "--neighbours", "1,2")
    assert (done.status, done.err) == (0, "")
    *_, chosen, where, last = done.out.splitlines()
    told = json.loads((world / "curve.json").read_text(encoding="utf-8"))
    assert chosen.startswith(f"Chosen for {aim}: {told['chosen']['mode']}, ")
    assert where == f"Written to {world / 'curve.json'}"
    stated = re.fullmatch(r"Not stored, as the model is none of ours; link with: (.*)", last)
    assert stated is not None
    assert link("--model", tiny_model, *stated[1].split(), documents=world / "dev.jsonl").status == 0
    evaluated = run_command(
        "evaluate",
        *("--links", world / "out", "--documents", world / "dev.jsonl", "--kb", world / "kb.jsonl", "--json"),
    )
    figures = json.loads(evaluated.out)
    for name in FIGURES[:10]:
        assert told["chosen"][name] == pytest.approx(figures[name], abs=1e-9), name
    assert told["chosen"]["n_discovered"] == figures["n_clusters_discovered"]
    assert told["chosen"]["n_linked"] == Result.read(world / "out").settings["n_linked"]


def test_every_way_has_a_row_and_a_curve(tune: RunCommand, world: Path, tiny_model: Path) -> None:
    done = tune(
        *("--model", tiny_model, "--modes", "independent, minimax,directed", "--neighbours", "2,1"),
        *("--output", world / "new" / "curve.json", "--plot", world / "new" / "curve.svg", "--no-cache"),
    )
    assert (done.status, done.err) == (0, "")
    told = json.loads((world / "new" / "curve.json").read_text(encoding="utf-8"))
    ways = [(curve["mode"], curve["neighbours"]) for curve in told["curves"]]
    assert ways == [("independent", 0), ("minimax", 1), ("minimax", 2), ("directed", 1), ("directed", 2)]
    assert (told["version"], told["aim"], told["chosen"]["by_type"]) == (1, "nmi-ari", False)
    rows = [line.split() for line in done.out.splitlines()[1:6]]
    assert [tuple(row[row[0] == "*" :][:2]) for row in rows] == [(mode, str(k)) for mode, k in ways]
    assert sum(row[0] == "*" for row in rows) == 1
    picture = ElementTree.parse(world / "new" / "curve.svg").getroot()
    assert picture.tag.endswith("svg")
    assert not (world / "cache-of-embeddings").exists()


def test_the_choice_is_stored_with_a_model_of_ours(
    tune: RunCommand, link: RunCommand, world: Path, model: Path
) -> None:
    before = read_towers(model)
    content = (model / "arborlink.json").read_bytes()
    dry = tune("--model", model, "--dry-run")
    assert dry.status == 0
    assert dry.out.splitlines()[-1] == f"Not stored: {model} links as before"
    assert (model / "arborlink.json").read_bytes() == content
    done = tune("--model", model, "--modes", "minimax", "--neighbours", "2", "--output", world / "c.json")
    assert done.out.splitlines()[-1] == f"Stored: {model} links so from now on"
    chosen = json.loads((world / "c.json").read_text(encoding="utf-8"))["chosen"]
    after = read_towers(model)
    assert after.inference == Inference("minimax", 2, chosen["threshold"], by_type=False)
    assert (after.fingerprint, after.weights, after.markers) == (
        before.fingerprint,
        before.weights,
        before.markers,
    )
    assert sorted(path.name for path in model.iterdir()) == ["arborlink.json", "tower"]
    assert link("--model", model, documents=world / "dev.jsonl").status == 0
    settings = Result.read(world / "out").settings
    assert (settings["inference"], settings["neighbours"], settings["threshold"]) == (
        "minimax",
        2,
        chosen["threshold"],
    )
    assert settings["n_linked"] == chosen["n_linked"]


def test_a_model_that_cannot_be_written_stays_as_it_is(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = (model / "arborlink.json").read_bytes()

    def refuse(folder: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(InputError, match="the model cannot be written: No space left on device"):
        write_inference(model, Inference("minimax", 1, 0.5))
    assert (model / "arborlink.json").read_bytes() == content
    assert sorted(path.name for path in model.iterdir()) == ["arborlink.json", "tower"]
    with pytest.raises(ModelError, match="not a model ArborLink saved"):
        write_inference(model / "tower", Inference())


def test_labels_that_cannot_tell_are_told_with_their_file(tune: RunCommand, world: Path) -> None:
    unlabelled = written(world / "unlabelled.jsonl", labels=False)
    done = tune(dev=unlabelled)
    assert done.status == 2
    assert done.err == (
        f"arborlink: {unlabelled}: none of the 11 mentions has a gold label; thresholds are chosen on labelled ones\n"
    )
    known = written(world / "known.jsonl", keep=lambda entity: str(entity).startswith("Q"))
    done = tune("--aim", "nil-precision>=0.9", dev=known)
    assert done.status == 2
    assert done.err.startswith(
        f"arborlink: {known}: no mention has its gold entity outside the knowledge base, and nil-precision>=0.9 needs"
    )
    nothing = written(world / "nothing.jsonl", keep=lambda entity: False)
    assert "the documents have no mentions" in tune(dev=nothing).err


def test_an_aim_out_of_reach_names_the_nearest(tune: RunCommand, world: Path, tiny_model: Path) -> None:
    outside = written(world / "outside.jsonl", keep=lambda entity: not str(entity).startswith("Q"))
    done = tune("--model", tiny_model, "--aim", "wrong-links<=0.05", "--neighbours", "1", dev=outside)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(
        r"arborlink: no threshold of directed, undirected, minimax \(neighbours 1\) reaches wrong-links<=0\.05; the "
        r"nearest is 1\.0000 \(\w+, 1 neighbour, threshold [\d.]+\): loosen the bound, or try other modes and "
        r"numbers of neighbours\n",
        done.err,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--aim", "best"],
            "the aim 'best' is not known; expected nmi-ari, nil-precision>=P or wrong-links<=X",
        ),
        (["--modes", "minimax,odd"], "--modes minimax,odd: 'odd' is not known; choose some of independent,"),
        (["--neighbours", "1,x"], "--neighbours 1,x is not a list of numbers; write for example 1,2,4,8"),
        (["--view", "odd"], "--view odd is not known; choose names or context"),
        (["--output", "kb.jsonl"], "kb.jsonl: is one of the inputs; choose another file for --output"),
        (["--plot", "."], ".: is a folder; --plot names a file"),
        (["--output", "x", "--plot", "x"], "x: --output and --plot are the same file"),
    ],
)
def test_what_cannot_be_used_is_told_before_the_work(
    tune: RunCommand, world: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(world)
    done = tune(*options)
    assert done.status == 2
    assert done.err.startswith(f"arborlink: {message}")


def test_types_that_nobody_shares(tune: RunCommand, tiny_model: Path) -> None:
    done = tune("--model", tiny_model, "--by-type")
    assert done.status == 2
    assert "linking by type needs the same names on both sides\n" in done.err
