"""``calibration.json``: what is written reads back, what is broken is told, what does not fit is not applied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calibration_world import drawn_world

from arborlink.confidence import Calibration, read_calibration, write_calibration
from arborlink.encoders.model_folder import Inference
from arborlink.errors import InputError

WAY = Inference("minimax", 2, 0.35)


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    return drawn_world(1, n_documents=40).calibrated(WAY, target_error=0.1).calibration


def test_what_is_written_reads_back_exactly(calibration: Calibration, tmp_path: Path) -> None:
    write_calibration(calibration, tmp_path / "calibration.json")
    for place in (tmp_path, tmp_path / "calibration.json"):
        again = read_calibration(place)
        assert again.to_json() == calibration.to_json()
    world = drawn_world(2, n_documents=10)
    parts = world.parts(WAY)
    said, told = (each.apply(world.hood.near, parts) for each in (calibration, again))
    np.testing.assert_array_equal(said.probability, told.probability)
    np.testing.assert_array_equal(said.answer, told.answer)
    assert (again.inference, again.model, again.target_error) == (WAY, "drawn", 0.1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calibration.json"]


def test_a_calibration_without_links_or_new_ones_reads_back(calibration: Calibration) -> None:
    empty = Calibration("m", Inference(), None, None)
    assert Calibration.from_json(json.loads(json.dumps(empty.to_json()))).to_json() == empty.to_json()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (
            Inference("directed", 2, 0.35),
            "it is for inference minimax, and the documents are linked with directed",
        ),
        (Inference("minimax", 1, 0.35), "it is for neighbours 2, and the documents are linked with 1"),
        (Inference("minimax", 2), "it is for threshold 0.35, and the documents are linked with none"),
        (
            Inference("minimax", 2, 0.35, True),
            "it is for by_type False, and the documents are linked with True",
        ),
        (WAY, None),
    ],
)
def test_another_way_of_linking_does_not_fit(
    calibration: Calibration, given: Inference, reason: str | None
) -> None:
    assert calibration.mismatch(given, "drawn") == reason
    assert calibration.mismatch(given, "other") == "it is of the model drawn, and this is other"


def test_alone_mentions_have_no_number_of_neighbours() -> None:
    alone = Calibration("m", Inference("independent", 1), None, None)
    assert alone.mismatch(Inference("independent", 4), "m") is None


def broken(content: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The content with one value changed; ``links.map.score`` names it."""
    *way, last = path.split(".")
    target: Any = content
    for name in way:
        target = target[int(name)] if isinstance(target, list) else target[name]
    target[last] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("kind", "other", "not a calibration; make one with `arborlink calibrate`"),
        (
            "version",
            7,
            "a calibration of version 7, but this ArborLink reads version 1; run `arborlink calibrate`",
        ),
        ("model", None, "does not say which model it is of"),
        ("inference", {"mode": "directed"}, "does not say for which way of linking"),
        ("inference.mode", "odd", "inference 'odd' is not known"),
        ("inference.neighbours", 1.5, "neighbours is no whole number"),
        ("target_error", 0, "target_error is 0.0; expected a share above 0 and below 1"),
        ("target_error", "x", "target_error is 'x'; expected a finite number"),
        ("links", [], "a model of the calibration is list; expected an object or null"),
        ("links.intercept", True, "intercept is True; expected a finite number"),
        ("links.features", [], "features are []; expected ['bottleneck'"),
        ("links.features.0.spread", 0, "the spread of a feature is not above 0"),
        ("links.map", None, "has no map from scores to probabilities, or no answers"),
        ("links.map.score", [], "probability has"),
        ("links.map.score", "x", "score is no list of finite numbers"),
        ("links.map", {"score": [], "probability": []}, "has no knots"),
        ("links.map", {"score": [1, 0], "probability": [0.1, 0.2]}, "does not rise"),
        ("links.map", {"score": [0, 1], "probability": [0.2, 1.2]}, "outside 0 to 1"),
        ("links.answers", {"probability": [0.5, 0.9], "error": [0.1, 0.2]}, "do not descend"),
    ],
)
def test_what_is_broken_is_told_with_the_file(
    calibration: Calibration, tmp_path: Path, path: str, value: Any, message: str
) -> None:
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps(broken(calibration.to_json(), path, value)), encoding="utf-8")
    with pytest.raises(InputError) as told:
        read_calibration(file)
    assert str(told.value).startswith(f"{file}: ")
    assert message in str(told.value)


def test_files_that_are_none_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the calibration cannot be read: No such file"):
        read_calibration(tmp_path / "none.json")
    (tmp_path / "odd.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="not a calibration: Expecting"):
        read_calibration(tmp_path / "odd.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match="the calibration cannot be written: Is a directory"):
        write_calibration(Calibration("m", Inference(), None, None), tmp_path / "folder.json")
