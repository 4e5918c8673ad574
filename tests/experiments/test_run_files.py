"""Run files: those of the project can all be read, and a mistake in one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from arborlink.errors import InputError
from arborlink.experiments import LAYOUTS, read_run_file
from arborlink.experiments.tables.rows import DATA_SETS, ROWS, TRAININGS

RUNS = sorted((Path(__file__).parents[2] / "experiments").rglob("*.toml"))


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_every_run_file_of_the_project_is_read(path: Path) -> None:
    run = read_run_file(path)
    assert run.name == path.stem
    assert run.experiment.row
    assert set(run.experiment.evaluate) <= LAYOUTS.keys()


def test_there_is_a_run_for_every_row_of_every_data_set() -> None:
    rows = {
        (run.experiment.row, name) for run in map(read_run_file, RUNS) for name in run.experiment.evaluate
    }
    assert {(row, name) for row in ROWS for name in DATA_SETS} <= rows
    assert {(row, name) for row in TRAININGS for name in ("medmentions_umls", "zeshel")} <= rows


def test_the_papers_own_settings_are_a_row() -> None:
    for data_set in DATA_SETS:
        config = next(read_run_file(path).config for path in RUNS if path.stem == f"{data_set}-paper")
        assert (config.encoder.normalise, config.encoder.temperature, config.encoder.pooling) == (
            False,
            1.0,
            "cls",
        )
        assert (config.objective.entity_negatives, config.objective.mention_negatives) == (5, 5)
        assert (config.objective.loss, config.objective.shared_negatives) == ("paper", False)


def test_settings_of_the_command_line_take_the_place_of_the_files(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[experiment]\nrow = "x"\nevaluate = ["wikis"]\n[trainer]\nepochs = 7\n')
    assert read_run_file(path).config.trainer.epochs == 7
    run = read_run_file(path, ["trainer.epochs=2", "encoder.base=some/model"])
    assert (run.config.trainer.epochs, run.config.encoder.base) == (2, "some/model")
    assert run.experiment.trained_on == ("wikis",)
    assert run.experiment.train_splits("wikis") == ("train",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[trainer]\nepochs = 3", r"has no section \[experiment\]"),
        ("[experiment", "broken TOML"),
        ('[experiment]\nrow = "x"', r"experiment\.evaluate: Field required"),
        (
            '[experiment]\nrow = "x"\nevaluate = ["odd"]',
            "the data set 'odd' is not known; there are medmentions",
        ),
        (
            '[experiment]\nrow = "x"\nevaluate = ["wikis"]\nmodel = "odd"',
            r"experiment\.model: Input should be",
        ),
        ('[experiment]\nrow = "x"\nevaluate = ["wikis"]\nmodel = "folder"', r"experiment\.folder names none"),
        ('[experiment]\nrow = "x"\nevaluate = ["wikis"]\nseed = 1', r"experiment\.seed: Extra inputs"),
        (
            '[experiment]\nrow = "x"\nevaluate = ["wikis"]\n[trainer]\nepoch = 3',
            r"did you mean trainer\.epochs",
        ),
    ],
)
def test_a_mistake_is_told_with_the_file(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as raised:
        read_run_file(path)
    assert str(raised.value).startswith(str(path))


def test_a_name_that_cannot_name_results(tmp_path: Path) -> None:
    path = tmp_path / "my run.toml"
    path.write_text('[experiment]\nrow = "x"\nevaluate = ["wikis"]\n')
    with pytest.raises(InputError, match="the name of a run file names its results"):
        read_run_file(path)
