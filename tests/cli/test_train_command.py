"""``arborlink train``: what it hands to the training, what it says, and what it refuses before any work."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from arborlink.corpus import Corpus
from arborlink.errors import ModelError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.training.config import TrainerConfig, TrainingConfig
from arborlink.training.config_file import read_config, write_config

RunCommand = Callable[..., Any]
NO_DEV = "no --dev: the last epoch is kept, and linking with it has the usual defaults\n"


def documents(prefix: str, **label: Any) -> bytes:
    mention = {"start": 0, "end": 3, **label}
    return json.dumps({"id": prefix, "text": "Ada met Bob.", "mentions": [mention]}).encode() + b"\n"


class FakeReport:
    """What the training would report."""

    def summary(self) -> str:
        return "Trained for 3 epochs"


class FakeTraining:
    """Takes the place of ``arborlink.training.train`` and remembers what it was given."""

    def __init__(self) -> None:
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def __call__(self, *given: Any, **options: Any) -> FakeReport:
        options.pop("tell")("epoch 1: loss 0.5")
        self.calls.append((given, options))
        return FakeReport()


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> FakeTraining:
    import arborlink.training

    fake = FakeTraining()
    monkeypatch.setattr(arborlink.training, "train", fake, raising=False)
    return fake


@pytest.fixture
def train(run_command: RunCommand, world: Path, monkeypatch: pytest.MonkeyPatch) -> RunCommand:
    """``train("--resume", dev=None)``: the command in a folder with kb, train and dev, the model to ``model``."""
    (world / "train.jsonl").write_bytes(documents("t", entity="Q1"))
    (world / "dev.jsonl").write_bytes(documents("d", entity="Q1"))
    monkeypatch.chdir(world)
    monkeypatch.delenv("RANK", raising=False)

    def run(*options: object, **files: object) -> Any:
        given = {"kb": "kb.jsonl", "train": "train.jsonl", "dev": "dev.jsonl", "output": "model"} | files
        named = [part for name, path in given.items() if path is not None for part in (f"--{name}", path)]
        return run_command("train", *named, *options)

    return run


def test_the_training_is_given_what_was_read(train: RunCommand, training: FakeTraining) -> None:
    done = train()
    (given, options), *others = training.calls
    kb, learnt, dev, output, config = given
    assert not others
    assert isinstance(kb, KnowledgeBase)
    assert [entity.id for entity in kb] == ["Q1", "Q2", "Q3"]
    assert isinstance(learnt, Corpus)
    assert isinstance(dev, Corpus)
    assert ([d.id for d in learnt], [d.id for d in dev]) == (["t"], ["d"])
    assert (output, config) == (Path("model"), TrainingConfig())
    assert options == {"resume": False, "device": "auto"}
    assert (done.status, done.err) == (0, "epoch 1: loss 0.5\n")
    assert done.out == (
        "Trained for 3 epochs\n"
        "Written to model; link with it: arborlink link --model model --kb kb.jsonl --documents dev.jsonl "
        "--output result\n"
    )


def test_without_dev_it_says_what_is_kept(train: RunCommand, training: FakeTraining) -> None:
    done = train(dev=None)
    assert training.calls[0][0][2] is None
    assert (done.status, done.err) == (0, f"{NO_DEV}epoch 1: loss 0.5\n")
    assert "--documents train.jsonl" in done.out


def test_settings_come_from_the_file_and_then_from_the_options(
    train: RunCommand, training: FakeTraining, world: Path
) -> None:
    (world / "train.toml").write_text("[trainer]\nepochs = 7\nseed = 3\n", encoding="utf-8")
    options = ("--config", "train.toml", "--set", "trainer.epochs=9", "--set", "trainer.warmup=0")
    done = train(*options, "--device", "cpu", "--format", "jsonl", "--kb-format", "jsonl")
    (given, options_given) = training.calls[0]
    assert given[4] == TrainingConfig(trainer=TrainerConfig(epochs=9, seed=3, warmup=0.0))
    assert options_given["device"] == "cpu"
    assert "--kb kb.jsonl --kb-format jsonl --documents dev.jsonl --format jsonl" in done.out


def test_resume_is_handed_on_and_takes_a_folder_that_is_not_empty(
    train: RunCommand, training: FakeTraining, world: Path
) -> None:
    (world / "model").mkdir()
    (world / "model" / "checkpoint").touch()
    assert train("--resume").status == 0
    assert training.calls[0][1]["resume"] is True


def test_other_processes_are_silent_and_do_not_mind_what_the_first_has_begun(
    train: RunCommand, training: FakeTraining, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world / "model").mkdir()
    (world / "model" / "train.toml").touch()
    monkeypatch.setenv("RANK", "1")
    done = train(dev=None)
    assert len(training.calls) == 1
    assert (done.status, done.out) == (0, "")
    assert NO_DEV not in done.err


def test_invalid_records_are_skipped_and_reported(
    train: RunCommand, training: FakeTraining, world: Path
) -> None:
    (world / "train.jsonl").write_bytes(documents("t", entity="Q1") + documents("u", end=99))
    done = train("--skip-invalid")
    assert training.calls[0][0][1].n_mentions == 1
    assert done.err == (
        "skipped 1 invalid record:\n"
        "  train.jsonl:2: mention 'u.0' ends at 99 but document 'u' has 12 characters\n"
        "epoch 1: loss 0.5\n"
    )


def test_an_error_of_the_training_is_one_line(train: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    import arborlink.training

    def fail(*given: Any, **options: Any) -> None:
        raise ModelError("the loss is not a number")

    monkeypatch.setattr(arborlink.training, "train", fail, raising=False)
    done = train()
    assert (done.status, done.out, done.err) == (2, "", "arborlink: the loss is not a number\n")


def refused(done: Any, training: FakeTraining) -> str:
    assert not training.calls
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("arborlink: ")
    assert done.err.count("\n") == 1
    return str(done.err).removeprefix("arborlink: ").rstrip("\n")


HELP = "`arborlink train --help` says what for"


@pytest.mark.parametrize(
    ("left_out", "told"),
    [
        (["kb"], f"--kb is needed; {HELP}"),
        (["train"], f"--train is needed; {HELP}"),
        (["output"], f"--output is needed; {HELP}"),
        (["kb", "train", "output"], f"--kb, --train, --output are needed; {HELP}"),
    ],
)
def test_what_is_needed_is_named(
    train: RunCommand, training: FakeTraining, left_out: list[str], told: str
) -> None:
    assert refused(train(**dict.fromkeys(left_out)), training) == told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["--set", "trainer.epoch=5"],
            "trainer.epoch is not a setting; did you mean trainer.epochs?",
        ),
        (
            ["--set", "epochs"],
            "'epochs' is no assignment; expected key=value, such as trainer.epochs=3",
        ),
        (["--config", "kb.jsonl"], "kb.jsonl:1: broken TOML: Invalid statement at column 1"),
        (
            ["--config", "kb.jsonl", "--init-config"],
            "kb.jsonl:1: broken TOML: Invalid statement at column 1",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_told(
    train: RunCommand, training: FakeTraining, options: list[str], told: str
) -> None:
    assert refused(train(*options), training) == told


def test_patience_needs_dev(train: RunCommand, training: FakeTraining) -> None:
    assert refused(train("--set", "trainer.patience=2", dev=None), training) == (
        "trainer.patience is 2, but without --dev there is no score to wait for; name --dev or set it to 0"
    )


@pytest.mark.parametrize("name", ["train.jsonl", "./train.jsonl", "link.jsonl"])
def test_train_and_dev_are_not_the_same_file(
    train: RunCommand, training: FakeTraining, world: Path, name: str
) -> None:
    (world / "link.jsonl").symlink_to(world / "train.jsonl")
    assert refused(train(dev=name), training) == (
        f"{Path(name)}: --train and --dev are the same file; dev chooses the epoch, so it must hold other documents"
    )


def test_a_folder_that_is_not_empty_is_left_alone(
    train: RunCommand, training: FakeTraining, world: Path
) -> None:
    told = "is not empty; choose another folder, or add --resume if it holds a training that was cut off"
    assert refused(train(output=world), training) == f"{world}: {told}"
    assert refused(train(output="kb.jsonl"), training) == "kb.jsonl: is a file; --output names a folder"


@pytest.mark.parametrize("option", ["train", "dev"])
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the documents have no mentions: mark them, with their entities"),
        (documents("x"), "none of the 1 mentions has a gold label; each needs the id of its entity"),
        (
            documents("x", entity=None),
            "none of the 1 mentions has a gold label; each needs the id of its entity",
        ),
        (
            b'{"id": "Q1", "name": "Ada"}\n',
            "this is a knowledge base (jsonl) where documents should be given",
        ),
    ],
)
def test_documents_without_labels_are_told(
    train: RunCommand, training: FakeTraining, world: Path, option: str, content: bytes, told: str
) -> None:
    (world / "odd.jsonl").write_bytes(content)
    assert refused(train(**{option: "odd.jsonl"}), training) == f"odd.jsonl: {told}"


def test_a_knowledge_base_is_read_as_link_reads_it(
    train: RunCommand, training: FakeTraining, link: RunCommand, world: Path
) -> None:
    for name in ("nowhere.jsonl", "train.jsonl"):
        told = refused(train(kb=name), training)
        assert told == link(kb=name).err.removeprefix("arborlink: ").rstrip("\n")


def test_init_config_prints_a_file_that_reads_as_the_defaults(
    run_command: RunCommand, tmp_path: Path
) -> None:
    done = run_command("train", "--init-config")
    assert (done.status, done.err) == (0, "")
    assert done.out == write_config(TrainingConfig())
    (tmp_path / "train.toml").write_text(done.out, encoding="utf-8")
    assert read_config(tmp_path / "train.toml") == TrainingConfig()


def test_init_config_shows_what_else_was_set(run_command: RunCommand) -> None:
    done = run_command("train", "--init-config", "--set", "trainer.epochs=12")
    assert "\nepochs = 12\n" in done.out


def test_the_verb_is_listed(run_command: RunCommand) -> None:
    assert "\n  train " in run_command("--help").out


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "arborlink", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, version("arborlink"), "")


@pytest.mark.parametrize("module", ["arborlink", "arborlink.cli.main"])
def test_no_settings_are_loaded_before_they_are_needed(module: str) -> None:
    code = f"import sys, {module}; print({{'pydantic', 'arborlink.training'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
