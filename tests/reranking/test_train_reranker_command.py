"""``arborlink train-reranker`` and ``link --rerank``, from files to files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from reranking_world import letter_documents, letter_kb

from arborlink.encoders.building import build_tower
from arborlink.encoders.joining import join_models
from arborlink.encoders.model_folder import ModelSettings, read_settings, write_towers
from arborlink.encoders.views import Markers
from arborlink.reranking import has_reranker, read_reranker
from arborlink.training.config_file import make_sections, settings, toml_value
from arborlink.training.reranker import RerankerConfig
from arborlink.training.reranker import run as run_module
from arborlink.training.reranker.folder import UNFINISHED

RunCommand = Callable[..., Any]
QUICK = [
    "trainer.epochs=2",
    "trainer.batch_size=8",
    "trainer.precision=fp32",
    "reranker.mention_tokens=32",
    "reranker.entity_tokens=16",
    "reranker.candidates=4",
    "reranker.n=3",
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a knowledge base and documents."""
    letter_kb().write(tmp_path / "kb.jsonl")
    for name, n, seed in (("train", 16, 1), ("dev", 8, 2), ("test", 8, 3)):
        letter_documents(name, n, seed).write(tmp_path / f"{name}.jsonl")
    return tmp_path


@pytest.fixture
def train(run_command: RunCommand, place: Path, tiny_model: Path) -> RunCommand:
    """``train("--model", folder)``: with files and quick settings; ``--dev`` too unless told otherwise."""

    def run(*more: object, dev: bool = True) -> Any:
        options: list[object] = [
            "--kb",
            place / "kb.jsonl",
            "--train",
            place / "train.jsonl",
            "--device",
            "cpu",
        ]
        options += ["--dev", place / "dev.jsonl"] if dev else []
        for setting in (f"reranker.base={tiny_model}", *QUICK):
            options += ["--set", setting]
        return run_command("train-reranker", *options, *more)

    return run


def test_a_copy_of_the_model_gets_a_reranker_and_links_with_it(
    train: RunCommand, run_command: RunCommand, towers_folder: Path, place: Path
) -> None:
    before = sorted(path.name for path in towers_folder.iterdir())
    done = train("--model", towers_folder, "--output", place / "model", "--examples", place / "train.jsonl")
    assert done.status == 0, done.err
    assert "16 of 16 mentions to learn from, 64 pairs in an epoch" in done.err
    assert "epoch 2/2: loss" in done.err
    assert "Dev: accuracy" in done.out
    assert sorted(path.name for path in towers_folder.iterdir()) == before
    names = sorted(path.name for path in (place / "model").iterdir())
    assert names == sorted([*before, "reranker", "reranker-training.json"])
    assert read_settings(place / "model") == read_settings(towers_folder)
    report = json.loads((place / "model" / "reranker-training.json").read_text())
    assert report["weight"] == read_reranker(place / "model").settings.weight
    files = ["--kb", place / "kb.jsonl", "--documents", place / "test.jsonl", "--output", place / "result"]
    for asked, used in (([], 3), (["--rerank", 2], 2), (["--rerank", 0], 0)):
        done = run_command("link", "--model", place / "model", *files, "--device", "cpu", *asked)
        assert done.status == 0, done.err
        manifest = json.loads((place / "result" / "manifest.json").read_text())
        assert (
            manifest["settings"]["rerank"] == used if "settings" in manifest else manifest["rerank"] == used
        )


def test_without_output_the_model_itself_gets_it(train: RunCommand, towers_folder: Path, place: Path) -> None:
    model = place / "own"
    copytree(towers_folder, model)
    done = train("--model", model, dev=False)
    assert done.status == 0, done.err
    assert "no --dev" in done.err
    assert has_reranker(model)
    assert not (model / UNFINISHED).exists()


def test_a_joined_model_gets_one_too(
    train: RunCommand, run_command: RunCommand, towers_folder: Path, place: Path, tiny_model: Path
) -> None:
    tower = build_tower(
        tiny_model, pooling="span", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    write_towers(place / "other", tower, tower, ModelSettings(24, 24))
    join_models([towers_folder, place / "other"], place / "both")
    done = train(
        "--model", place / "both", "--output", place / "model", "--set", "trainer.epochs=1", dev=False
    )
    assert done.status == 0, done.err
    assert read_settings(place / "model") == read_settings(place / "both")
    files = ["--kb", place / "kb.jsonl", "--documents", place / "test.jsonl", "--output", place / "result"]
    done = run_command("link", "--model", place / "model", *files, "--device", "cpu")
    assert done.status == 0, done.err
    assert json.loads((place / "result" / "manifest.json").read_text())["rerank"] == 3


def test_a_killed_run_leaves_no_reranker_and_is_resumed(
    train: RunCommand, towers_folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def kill(*arguments: object, **options: object) -> None:
        raise Killed

    output = place / "model"
    with monkeypatch.context() as patch:
        patch.setattr("arborlink.training.reranker.trainer.RerankerTrainer.load_best", kill)
        with pytest.raises(Killed):
            train("--model", towers_folder, "--output", output)
    assert not has_reranker(output)
    assert (output / UNFINISHED).is_dir()
    done = train("--model", towers_folder, "--output", output)
    assert done.status == 2
    assert "--resume goes on with it" in done.err
    monkeypatch.setattr(run_module, "mine", None)
    done = train("--model", towers_folder, "--output", output, "--resume")
    assert done.status == 0, done.err
    assert "resumed from" in done.err
    assert has_reranker(output)
    assert not (output / UNFINISHED).exists()


def test_a_run_that_learned_nothing_can_be_begun_again_in_the_same_folder(
    train: RunCommand, towers_folder: Path, tiny_model: Path, place: Path
) -> None:
    output = place / "model"
    done = train("--model", towers_folder, "--output", output, "--set", f"reranker.base={place / 'none'}")
    assert done.status == 2
    assert not has_reranker(output)
    assert train("--model", towers_folder, "--output", output).status == 0
    assert has_reranker(output)
    done = train("--model", towers_folder, "--output", output)
    assert done.status == 2
    assert "is not empty; name another folder" in done.err


def test_another_model_is_not_given_a_reranker(
    train: RunCommand, towers_folder: Path, tiny_model: Path, place: Path
) -> None:
    other = place / "other"
    tower = build_tower(
        tiny_model, pooling="cls", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    write_towers(other, tower, tower, ModelSettings(32, 32))
    done = train("--model", towers_folder, "--output", other)
    assert done.status == 2
    assert "holds another model than" in done.err
    assert not has_reranker(other)


def test_what_cannot_be_used_is_told_in_one_line(
    train: RunCommand, run_command: RunCommand, towers_folder: Path, place: Path, tmp_path: Path
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "notes.txt").write_text("mine")
    train_file = place / "train.jsonl"
    for arguments, message in (
        (["--model", tmp_path / "none"], "holds no model of `arborlink train`"),
        ([], "--model is needed; `arborlink train-reranker --help` says what for"),
        (["--model", towers_folder, "--dev", train_file], "--train and --dev are the same file"),
        (["--model", towers_folder, "--output", full], "is not empty"),
        (["--model", towers_folder, "--set", "trainer.epoch=1"], "did you mean trainer.epochs?"),
        (["--model", towers_folder, "--set", "reranker.weights=[2, 1]"], "ascending numbers, each once"),
        (
            ["--model", towers_folder, "--set", "reranker.opening_tokens=3"],
            "expected 0, or a whole number from 4 to 512",
        ),
        (
            ["--model", towers_folder, "--set", "reranker.candidates=1"],
            "expected a whole number from 2 to 1,024",
        ),
    ):
        done = train(*arguments)
        assert done.status == 2, done.out
        assert message in done.err
        assert len(done.err.strip().splitlines()) == 1
    files = ["--kb", place / "kb.jsonl", "--documents", place / "test.jsonl", "--output", place / "result"]
    done = run_command("link", "--model", towers_folder, "--rerank", 5, *files, "--device", "cpu")
    assert done.status == 2
    assert "the model has no re-ranker" in done.err


def test_settings_are_printed_and_read(run_command: RunCommand, tmp_path: Path) -> None:
    done = run_command("train-reranker", "--init-config", "--set", "trainer.epochs=7")
    assert done.status == 0
    assert done.out.startswith("# Settings of `arborlink train-reranker --config FILE`")
    (tmp_path / "own.toml").write_text(done.out)
    again = run_command("train-reranker", "--init-config", "--config", tmp_path / "own.toml")
    assert again.out == done.out
    assert "epochs = 7" in again.out


def test_every_setting_is_documented_with_its_default() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reranking.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith(("| `reranker.", "| `trainer."))]
    assert rows == [
        f"| `{setting.key}` | `{toml_value(setting.default)}` | {setting.description} |"
        for setting in settings(RerankerConfig).values()
    ]


def test_the_trainings_share_what_they_share() -> None:
    config = make_sections(RerankerConfig, {"trainer": {"epochs": 4, "learning_rate": 0.5, "seed": 3}})
    shared = config.as_training.trainer
    assert (shared.epochs, shared.learning_rate, shared.seed) == (4, 0.5, 3)
    assert shared.weight_decay == config.trainer.weight_decay


@pytest.mark.parametrize("name", RerankerConfig().trainer.model_dump())
def test_a_setting_of_both_trainings_takes_the_same_values(name: str) -> None:
    key = f"trainer.{name}"
    assert settings(RerankerConfig)[key].expected == settings()[key].expected
