"""Run files: those of the project can all be read, and a mistake in one is told."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path

import pytest

from arborlink.encoders.default_model import SHIPPED_FOLDER
from arborlink.encoders.model_folder import read_settings
from arborlink.errors import InputError
from arborlink.experiments import LAYOUTS, read_run_file
from arborlink.experiments.tables.rows import DATA_SETS, ROWS, TRAININGS
from arborlink.training.config_file import make_config, read_config, with_settings

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


@pytest.mark.parametrize("left_out", DATA_SETS)
def test_a_left_out_data_set_is_measured_with_a_model_that_never_saw_it(left_out: str) -> None:
    path = next(path for path in RUNS if path.stem == f"default-without-{left_out}")
    experiment = read_run_file(path).experiment
    assert (experiment.evaluate, experiment.folder) == ([left_out], f"models/{path.stem}")
    others = " ".join(name for name in DATA_SETS if name != left_out)
    command = f"tools/train_default.py --data DATA --train {others} --output {experiment.folder}"
    assert command in path.read_text(encoding="utf-8")


def test_the_model_that_ships_has_the_settings_of_its_recipe() -> None:
    recipe = run_path(str(RUNS[0].parents[1] / "tools" / "train_default.py"))["RECIPE"]
    config = with_settings(make_config({}), recipe)
    assert read_config(SHIPPED_FOLDER / "train.toml") == config
    shipped, encoder = read_settings(SHIPPED_FOLDER), config.encoder
    for name in ("name_share", "sameness", "description_names"):
        assert getattr(shipped, name) == getattr(encoder, name)


def test_settings_of_the_command_line_take_the_place_of_the_files(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[experiment]\nrow = "x"\nevaluate = ["wikis"]\n[trainer]\nepochs = 7\n')
    assert read_run_file(path).config.trainer.epochs == 7
    run = read_run_file(path, ["trainer.epochs=2", "encoder.base=some/model"])
    assert (run.config.trainer.epochs, run.config.encoder.base) == (2, "some/model")
    assert run.experiment.trained_on == ("wikis",)
    assert run.experiment.train_splits("wikis") == ("train",)


def test_a_re_ranker_is_what_a_section_of_its_own_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    plain = '[experiment]\nrow = "x"\nevaluate = ["wikis"]\n[encoder]\nbase = "some/model"\n'
    path.write_text(plain)
    assert read_run_file(path).reranker is None
    with pytest.raises(InputError, match=r"reranker\.n is set, but the run has no re-ranker"):
        read_run_file(path, ["trainer.epochs=2", "reranker.n=8"])
    path.write_text(plain + "[reranker_trainer]\nepochs = 5\n")
    run = read_run_file(path, ["trainer.epochs=2", "reranker.n=8"])
    assert run.reranker is not None
    assert (run.reranker.trainer.epochs, run.config.trainer.epochs) == (5, 2)
    assert (run.reranker.reranker.n, run.reranker.reranker.base) == (8, "some/model")
    own = read_run_file(path, ["reranker.base=another"]).reranker
    assert own is not None
    assert own.reranker.base == "another"


def test_a_re_ranker_learns_from_data_sets_whose_towers_were_trained_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[experiment]\nrow = "x"\nevaluate = ["wikis"]\nmodel = "untrained"\n')
    assert read_run_file(path).learned_from == ()
    path.write_text(path.read_text() + "[reranker]\nn = 8\n")
    run = read_run_file(path)
    assert (run.learned_from, run.experiment.trained_on) == (("wikis",), ())


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
        (
            '[experiment]\nrow = "x"\nevaluate = ["wikis"]\n[reranker]\ncandidate = 3',
            r"reranker\.candidate is not a setting; did you mean reranker\.candidates",
        ),
        (
            '[experiment]\nrow = "x"\nevaluate = ["wikis"]\n[reranker_trainer]\nepoch = 3',
            r"did you mean reranker_trainer\.epochs",
        ),
        (
            '[experiment]\nrow = "x"\nevaluate = ["wikis"]\n[rerankers]\nn = 3',
            r"\[rerankers\] is not a section; did you mean \[reranker\]",
        ),
        (
            '[experiment]\nrow = "x"\nevaluate = ["wikis"]\n[reranker]\nn = "16"',
            r'reranker\.n is "16"; expected a whole number from 1',
        ),
        (
            '[experiment]\nrow = "x"\nevaluate = ["wikis"]\n[reranker]\nn = 65',
            r"reranker\.n is 65; experiments find 64 entities of each mention",
        ),
        (
            '[experiment]\nrow = "x"\nevaluate = ["wikis"]\nmodel = "bm25"\n[reranker]\nn = 8',
            r'experiment\.model is "bm25", but a re-ranker needs towers',
        ),
    ],
)
def test_a_mistake_is_told_with_the_file(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as raised:
        read_run_file(path)
    assert str(raised.value).startswith(str(path))


def test_examples_of_dev_come_with_those_of_train(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text('[experiment]\nrow = "x"\nevaluate = ["wikis"]\nexamples = true\ndev_examples = true\n')
    assert read_run_file(path).experiment.dev_examples
    path.write_text(path.read_text().replace("\nexamples = true", ""))
    with pytest.raises(InputError, match=r"dev_examples is true, but experiment\.examples is not"):
        read_run_file(path)


def test_a_name_that_cannot_name_results(tmp_path: Path) -> None:
    path = tmp_path / "my run.toml"
    path.write_text('[experiment]\nrow = "x"\nevaluate = ["wikis"]\n')
    with pytest.raises(InputError, match="the name of a run file names its results"):
        read_run_file(path)


def test_a_detour_is_for_models_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    own = '[experiment]\nrow = "x"\nevaluate = ["wikis"]\ndetour = 0.2\n'
    path.write_text(own + 'model = "shipped"\n')
    assert read_run_file(path).experiment.detour == 0.2
    for model in ("trained", "bm25"):
        path.write_text(own + f'model = "{model}"\n')
        with pytest.raises(InputError, match=f'experiment.detour is 0.2, but experiment.model is "{model}"'):
            read_run_file(path)
    path.write_text(own.replace("0.2", "-1.0") + 'model = "shipped"\n')
    with pytest.raises(InputError, match=r"experiment\.detour"):
        read_run_file(path)


def test_shared_words_are_for_models_that_compare_vectors(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    own = '[experiment]\nrow = "x"\nevaluate = ["wikis"]\n'
    path.write_text(own)
    assert read_run_file(path).experiment.shared_words == 0.0
    for model in ("trained", "shipped", "untrained"):
        path.write_text(f'{own}shared_words = 0.3\nmodel = "{model}"\n')
        assert read_run_file(path).experiment.shared_words == 0.3
    for model in ("bm25", "look-up"):
        path.write_text(f'{own}shared_words = 0.3\nmodel = "{model}"\n')
        message = (
            f'experiment.shared_words is 0.3, but experiment.model is "{model}", a baseline; leave it out'
        )
        with pytest.raises(InputError, match=re.escape(message)):
            read_run_file(path)
        path.write_text(f'{own}shared_words = 0.0\nmodel = "{model}"\n')
        assert read_run_file(path).experiment.shared_words == 0.0
    for share in ("-0.1", "nan", "inf", '"much"'):
        path.write_text(f"{own}shared_words = {share}\n")
        with pytest.raises(InputError, match=r"experiment\.shared_words: Input should be"):
            read_run_file(path)
