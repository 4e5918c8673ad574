"""The course of a training: the best epoch, epochs without gain, and the file a resumed run reads."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from arborlink.training.course import COURSE_FILE, Course, Epoch


def course_of(*accuracies: float | None, error: float = 0.0) -> Course:
    epochs = [
        Epoch(
            number, dev={} if accuracy is None else {"accuracy": accuracy, "accuracy_standard_error": error}
        )
        for number, accuracy in enumerate(accuracies, start=1)
    ]
    return Course(epochs)


@pytest.mark.parametrize(
    ("accuracies", "best", "without_gain"),
    [
        ([], None, 0),
        ([None], None, 0),
        ([0.0], 1, 0),
        ([0.5, 0.7, 0.6], 2, 1),
        ([0.7, 0.7, 0.7], 3, 2),
        ([0.5, 0.6, 0.7], 3, 0),
        ([0.7, 0.6, None], 1, 2),
    ],
)
def test_the_last_of_the_best_epochs_is_the_best(
    accuracies: list[float | None], best: int | None, without_gain: int
) -> None:
    course = course_of(*accuracies)
    assert (course.best.number if course.best else None) == best
    assert course.epochs_without_gain() == without_gain


@pytest.mark.parametrize(
    ("accuracies", "best", "without_gain"),
    [
        ([0.50, 0.70, 0.66], 3, 1),  # within the error of the best
        ([0.50, 0.70, 0.64], 2, 1),  # not so
        ([0.70, 0.66, 0.62, 0.65], 4, 3),
        ([0.70, 0.66, 0.72, 0.66], 3, 1),  # 0.66 was good enough before there was 0.72
    ],
)
def test_of_epochs_that_dev_cannot_tell_apart_the_last_is_the_best(
    accuracies: list[float], best: int, without_gain: int
) -> None:
    course = course_of(*accuracies, error=0.05)
    assert course.best is course.epochs[best - 1]
    assert course.epochs_without_gain() == without_gain


def test_an_epoch_that_is_passed_over_is_never_the_best_later() -> None:
    # its weights were not kept: whatever comes, the best is the newest epoch or the one that was best before
    draw = random.Random(0)
    for _ in range(500):
        course = Course()
        kept = None
        for number in range(1, 9):
            accuracy = draw.random()
            error = (accuracy * (1 - accuracy) / 30) ** 0.5
            course.epochs.append(Epoch(number, dev={"accuracy": accuracy, "accuracy_standard_error": error}))
            assert course.best in (course.epochs[-1], kept)
            kept = course.best


def test_time_adds_up() -> None:
    epoch = Epoch(1)
    for what, seconds in (("mining", 1.5), ("training", 4.0), ("mining", 0.25)):
        epoch.spend(what, seconds)
    assert epoch.seconds == {"mining": 1.75, "training": 4.0}
    assert epoch.total_seconds == 5.75
    assert Epoch(2).seconds == {}


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    dev: dict[str, Any] = {
        "accuracy": 2 / 3,
        "mode": "undirected",
        "neighbours": 4,
        "recall@64": 0.9,
        "choices": [{"mode": "undirected", "neighbours": 4, "accuracy": 2 / 3}],
    }
    epochs = [Epoch(1, 0.1 + 0.2, 7, 900, {"mining": 0.125}, dev), Epoch(2, loss=1e-300)]
    course = Course(epochs, [(7, 1 / 3), (9, 0.0)])
    course.write(tmp_path)
    read = Course.read(tmp_path)
    assert read == course
    assert read.best is read.epochs[0]
    assert read.losses[0] == (7, 1 / 3)
    assert [path.name for path in tmp_path.iterdir()] == [COURSE_FILE]


def test_a_course_without_epochs_is_read_back(tmp_path: Path) -> None:
    Course().write(tmp_path)
    assert Course.read(tmp_path) == Course()
    assert json.loads((tmp_path / COURSE_FILE).read_text(encoding="utf-8")) == {"epochs": [], "losses": []}
