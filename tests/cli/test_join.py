"""``arborlink join``: from models to a model that links."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from arborlink.encoders import default_model
from arborlink.encoders.building import build_tower
from arborlink.encoders.joined_settings import JoinedSettings
from arborlink.encoders.model_folder import (
    Inference,
    ModelSettings,
    is_model_folder,
    read_settings,
    write_towers,
)

RunCommand = Callable[..., Any]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Path:
    """Two models, ``one`` and ``other``."""
    place = tmp_path_factory.mktemp("models")
    of_one = ModelSettings(32, 32, inference=Inference("minimax", 2, 0.4), detour=0.1)
    for name, pooling, settings in (("one", "mean", of_one), ("other", "span", ModelSettings(40, 24))):
        options: dict[str, Any] = {"pooling": pooling, "role": "both", "markers": settings.markers}
        tower = build_tower(tiny_model, normalise=True, device="cpu", **options)
        write_towers(place / name, tower, tower, settings)
    return place


@pytest.fixture
def models(saved: Path, world: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """They, beside the world's files, in the folder the command runs in."""
    for name in ("one", "other"):
        copytree(saved / name, world / name)
    monkeypatch.chdir(world)
    return world


def joined(folder: Path) -> JoinedSettings:
    settings = read_settings(folder)
    assert isinstance(settings, JoinedSettings)
    return settings


def test_from_models_to_links(models: Path, run_command: RunCommand, link: RunCommand) -> None:
    done = run_command("join", "one", "other", "--output", "both")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "Joined, with the shares: one 0.5, other 0.5",
        "Names are not compared beside the towers",
        "Links minimax, 2 neighbours, threshold 0.4, detour 0.1; temperature 0.05, the mean of the parts'",
        "Written to both. Its affinities are those of no part: choose the threshold with `arborlink tune --model "
        "both …`, and learn with `arborlink calibrate` how sure its links are",
    ]
    settings = joined(models / "both")
    assert settings.shares == (0.5, 0.5)
    assert link("--model", "both", "--device", "cpu").status == 0
    manifest = json.loads((models / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["model"] == settings.fingerprint
    assert (manifest["inference"], manifest["neighbours"], manifest["threshold"]) == ("minimax", 2, 0.4)


def test_every_option(models: Path, run_command: RunCommand) -> None:
    options: list[object] = ["--share", 0.7, "--share", 0.3, "--name-share", 0.4, "--sameness", 0.2]
    options += ["--description-names", "--detour", 0, "--inference", "directed", "--neighbours", 1]
    done = run_command(
        "join", "one", "other", "--output", "both", *options, "--threshold", "none", "--by-type"
    )
    assert done.status == 0, done.err
    assert done.out.splitlines()[:3] == [
        "Joined, with the shares: one 0.7, other 0.3",
        "The comparison of names has a share of 0.4 beside them all, sameness one of 0.2 in that; descriptions give "
        "names too",
        "Links directed, 1 neighbour, no threshold, by type, detour 0; temperature 0.05, the mean of the parts'",
    ]
    settings = joined(models / "both")
    assert settings.shares == (0.7, 0.3)
    assert (settings.name_share, settings.sameness, settings.description_names) == (0.4, 0.2, True)
    assert (settings.inference, settings.detour) == (Inference("directed", 1, None, by_type=True), 0)


def test_what_is_not_told_is_as_in_the_first(models: Path, run_command: RunCommand) -> None:
    assert run_command("join", "one", "other", "--output", "both", "--neighbours", 1).status == 0
    assert joined(models / "both").inference == Inference("minimax", 1, 0.4)
    assert run_command("join", "other", "one", "--output", "turned", "--threshold", 0.5).status == 0
    assert joined(models / "turned").inference == Inference("directed", 1, 0.5)


def test_the_model_that_ships(
    models: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(default_model, "SHIPPED_FOLDER", models / "other")
    done = run_command("join", "shipped", "one", "--output", "both")
    assert done.out.startswith("Joined, with the shares: shipped 0.5, one 0.5\n")
    assert joined(models / "both").parts[0].fingerprint == read_settings(models / "other").fingerprint
    monkeypatch.setattr(default_model, "SHIPPED_FOLDER", tmp_path / "none")
    done = run_command("join", "shipped", "one", "--output", "more")
    assert (done.status, done.err) == (
        2,
        "arborlink: this ArborLink comes with no trained model; name folders of others\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["one"], "one model is nothing to join; name two or more"),
        (
            ["one", "other", "--share", 1],
            "2 models, but the shares are 1; give one for each, in the order of the",
        ),
        (["one", "other", "--share", 1, "--share", 0], "shares are 1, 0; expected numbers above 0"),
        (["one", "other", "--share", 0.5, "--share", 0.6], "which add up to 1.1; expected 1"),
        (["one", "none"], "none: holds no model of `arborlink train`, and only such can be joined"),
        (["kb.jsonl", "one"], "kb.jsonl: holds no model of `arborlink train`"),
        (["one", "one"], "one: is the same model as one"),
        (
            ["one", "other", "--inference", "guess"],
            "--inference guess is not known; choose one of independent,",
        ),
        (["one", "other", "--threshold", "half"], "--threshold half is not a finite number"),
        (["one", "other", "--name-share", 1], "name_share is 1.0; expected a number from 0 to less than 1"),
        (["one", "other", "--sameness", 0.2], "sameness is 0.2, but name_share is 0, so that names are not"),
        (["one", "other", "--detour", -1], "detour is -1.0; expected a finite number, 0 or more"),
        (["one", "other", "--output", "one"], "one: is there and no empty folder; name another one"),
        (["one", "other", "--output", "kb.jsonl"], "kb.jsonl: is a file; --output names a folder"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    models: Path, run_command: RunCommand, arguments: list[object], message: str
) -> None:
    done = run_command("join", "--output", "both", *arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.startswith("arborlink: ")
    assert done.err.count("\n") == 1
    assert not is_model_folder(models / "both")


def test_joined_models_are_named_by_their_parts(models: Path, run_command: RunCommand) -> None:
    assert run_command("join", "one", "other", "--output", "both").status == 0
    done = run_command("join", "both", "one", "--output", "more")
    assert (
        done.err
        == "arborlink: both: joins several models itself; name them instead: both/part-1 both/part-2\n"
    )
    kept = ["--kb", "kb.jsonl", "--train", "documents.jsonl", "--output", "trained"]
    documents = [json.loads(line) for line in (models / "documents.jsonl").read_text().splitlines()]
    for document in documents:
        for mention in document["mentions"]:
            mention["entity"] = "Q1"
    (models / "documents.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    done = run_command("train", *kept, "--device", "cpu", "--set", "encoder.base=both")
    assert done.status == 2
    assert done.err.endswith(
        "both: joins several models, and the towers of one are needed; name both/part-1 or both/part-2\n"
    )
