"""``arborlink calibrate``: from labelled documents to links that say how sure they are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from arborlink.confidence import read_calibration
from arborlink.demo import demo_documents_path, demo_kb_path
from arborlink.encoders.model_folder import Inference, ModelSettings, write_inference, write_towers
from arborlink.linker import Linker
from arborlink.result import Result

RunCommand = Callable[..., Any]
FILES = ["calibration.json", "reliability.json", "reliability.svg"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo world's files, in the folder commands are run in."""
    for path in (demo_kb_path(), demo_documents_path()):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def calibrate(run_command: RunCommand, place: Path) -> RunCommand:
    def run(*options: object, dev: str = "documents.jsonl") -> Any:
        return run_command("calibrate", "--kb", "kb.jsonl", "--dev", dev, *options)

    return run


@pytest.fixture
def link(run_command: RunCommand, place: Path) -> RunCommand:
    def run(*options: object) -> Any:
        given = ("--kb", "kb.jsonl", "--documents", "documents.jsonl", "--output", "out")
        return run_command("link", *given, *options)

    return run


@pytest.fixture
def model(tiny_model: Path, place: Path) -> Path:
    """A model that ArborLink saved, which links with a threshold of its own."""
    from arborlink.encoders.building import build_tower
    from arborlink.encoders.views import Markers

    tower = build_tower(
        tiny_model, pooling="mean", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    write_towers(
        place / "model", tower, tower, ModelSettings(32, 32, inference=Inference("directed", 2, 0.97))
    )
    return place / "model"


def test_the_untrained_default_is_calibrated_into_a_folder_and_linked_with_it(
    calibrate: RunCommand, link: RunCommand, run_command: RunCommand, place: Path
) -> None:
    untrained = ("--model", "untrained")
    done = calibrate(*untrained, "--threshold", "0.5", "--output", "sure", "--target-error", "0.1")
    assert (done.status, done.err) == (0, "")
    head, links, new, answered, written, stored = done.out.splitlines()
    assert head.split() == ["mentions", "so", "ECE", "Brier", "answered", "right"]
    assert links.startswith("the link is right")
    assert new.startswith("the entity is new")
    assert answered == "Answered: at a target error of 0.1; all of it on documents held out"
    assert written == f"Written to sure: {', '.join(FILES)}"
    way = stored.removeprefix("Not stored, as the model is none of ours; link with: ")
    expected = (
        "--calibration sure/calibration.json --inference directed --neighbours 1 --threshold 0.5 --no-by-type"
    )
    assert way == expected
    assert sorted(path.name for path in (place / "sure").iterdir()) == FILES
    ElementTree.fromstring((place / "sure" / "reliability.svg").read_text(encoding="utf-8"))
    told = json.loads((place / "sure" / "reliability.json").read_text(encoding="utf-8"))
    assert (told["target_error"], told["inference"]["threshold"]) == (0.1, 0.5)
    assert told["links"]["n"] + told["new"]["n"] == 359
    assert told["links"]["expected_calibration_error"] < 0.1

    done = link(*untrained, *way.split())
    assert (done.status, done.err) == (0, "")
    result = Result.read(place / "out")
    said = result.settings["calibration"]
    counts = ", ".join(f"{said[f'n_{answer}']:,} {answer}" for answer in ("linked", "new", "unsure"))
    assert f"Answers at a target error of 0.1: {counts}" in done.out.splitlines()
    assert said["n_linked"] > 200
    assert said["n_linked"] + said["n_new"] + said["n_unsure"] == 359

    options = ("--links", "out", "--documents", "documents.jsonl", "--kb", "kb.jsonl")
    shown = run_command("evaluate", *options)
    assert shown.status == 0
    assert "\nCalibration\n" in shown.out
    figures = json.loads(run_command("evaluate", *options, "--json").out)
    assert figures["calibration_error"] < 0.1
    assert figures["answered_links_precision"] > 0.9

    fewer = link(*untrained, *way.split(), "--target-error", "0.02")
    assert fewer.status == 0
    assert Result.read(place / "out").settings["calibration"]["n_unsure"] > said["n_unsure"]


def test_a_model_of_ours_keeps_its_calibration(
    calibrate: RunCommand, link: RunCommand, place: Path, model: Path
) -> None:
    done = calibrate("--model", model, "--dry-run")
    assert done.out.splitlines()[-1] == f"Not stored: {model} is as sure as before"
    assert not (model / "calibration.json").exists()
    done = calibrate("--model", model)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[-1] == f"Stored: {model} says how sure its links are from now on"
    stored = read_calibration(model)
    assert stored.inference == Inference("directed", 2, 0.97)
    assert Linker.load(model, device="cpu", cache=False).calibration is not None

    assert link("--model", model).status == 0
    result = Result.read(place / "out")
    assert result.settings["calibration"]["applied"]
    assert all(link.answer is not None for link in result)

    done = link("--model", model, "--neighbours", "1")
    reason = "it is for neighbours 2, and the documents are linked with 1"
    assert f"No probabilities: the calibration does not fit; {reason}" in done.out.splitlines()
    result = Result.read(place / "out")
    assert result.settings["calibration"] == {"applied": False, "reason": reason}
    assert all(link.answer is None for link in result)

    done = link("--model", model, "--neighbours", "1", "--target-error", "0.1")
    assert done.status == 2
    assert done.err == (
        f"arborlink: a target error is given, but the calibration does not fit: {reason}; run `arborlink calibrate` "
        "for this way of linking\n"
    )
    write_inference(model, Inference("directed", 2, 0.9))
    assert "it is for threshold 0.97" in link("--model", model).out


def test_another_way_of_linking_is_stored_with_the_options_it_holds_for(
    calibrate: RunCommand, link: RunCommand, model: Path, place: Path
) -> None:
    done = calibrate("--model", model, "--inference", "minimax", "--threshold", "none", "--neighbours", "1")
    way = "--inference minimax --neighbours 1 --threshold none --no-by-type"
    assert done.out.splitlines()[-1] == f"Stored: {model} says how sure its links are with: {way}"
    assert link("--model", model, *way.split()).status == 0
    settings = Result.read(place / "out").settings
    assert settings["calibration"]["applied"]
    assert settings["calibration"]["n_new"] == 0


def test_documents_without_missing_entities_are_told_and_hiding_helps(
    calibrate: RunCommand, model: Path, place: Path
) -> None:
    known = {json.loads(line)["id"] for line in (place / "kb.jsonl").read_text(encoding="utf-8").splitlines()}
    records = [
        json.loads(line) for line in (place / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    for record in records:
        record["mentions"] = [each for each in record["mentions"] if each["entity"] in known]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (place / "known.jsonl").write_text(text, encoding="utf-8")
    remark = "No mention is outside the knowledge base: links will be less sure"
    assert remark in calibrate("--model", model, dev="known.jsonl").out
    assert read_calibration(model).new is None
    done = calibrate("--model", model, "--hide", "0.3", "--threshold", "0.9999", dev="known.jsonl")
    assert remark not in done.out
    assert "the entity is new" in done.out
    about = read_calibration(model).about
    assert (about["hidden"], about["n_entities"] < len(known)) == (0.3, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--target-error", "1"],
            "--target-error is 1.0; expected a share above 0 and below 1, such as 0.05",
        ),
        (["--hide", "1"], "--hide 1 is not a share from 0 to below 1"),
        (["--inference", "odd"], "--inference odd is not known; choose one of independent,"),
        (["--view", "odd"], "--view odd is not known; choose names or context"),
        (["--threshold", "x"], "--threshold x is not a finite number"),
        (["--output", "kb.jsonl"], "kb.jsonl: is a file; --output names a folder"),
        (
            ["--model", "model", "--output", "model"],
            "model: is the model's folder; choose another for --output",
        ),
    ],
)
def test_what_cannot_be_used_is_told_before_the_work(
    calibrate: RunCommand, place: Path, options: list[str], message: str
) -> None:
    (place / "model").mkdir()
    done = calibrate(*options)
    assert done.status == 2
    assert done.err.startswith(f"arborlink: {message}")


def test_inputs_are_not_written_over(calibrate: RunCommand, place: Path) -> None:
    (place / "documents.jsonl").rename(place / "reliability.json")
    done = calibrate("--output", ".", "--format", "jsonl", dev="reliability.json")
    assert done.err == (
        "arborlink: .: reliability.json in it is one of the inputs; choose another folder for --output\n"
    )


def test_labels_that_cannot_tell_are_told_with_their_file(calibrate: RunCommand, place: Path) -> None:
    record = {"id": "d", "text": "Ada met Bob.", "mentions": [{"start": 0, "end": 3}]}
    (place / "bare.jsonl").write_text(json.dumps(record), encoding="utf-8")
    done = calibrate(dev="bare.jsonl")
    assert done.status == 2
    assert done.err.startswith(
        "arborlink: bare.jsonl: documents with a labelled mention: 0; a calibration is"
    )


def test_a_calibration_that_is_none_is_told(link: RunCommand, model: Path) -> None:
    (model / "calibration.json").write_text("{}", encoding="utf-8")
    done = link("--model", model)
    assert done.status == 2
    assert done.err == (
        f"arborlink: {model / 'calibration.json'}: not a calibration; make one with `arborlink calibrate`\n"
    )
    assert link("--calibration", "none.json", "--model", model).err.startswith(
        "arborlink: none.json: the calibration"
    )
