"""``arborlink train``, then ``link`` with the model, then ``evaluate``: the real thing on a small world."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RunCommand = Callable[..., Any]

SETTINGS = """
[encoder]
mention_tokens = 32
entity_tokens = 32
[objective]
entity_negatives = 3
mention_negatives = 3
[trainer]
epochs = 2
batch_size = 8
learning_rate = 2e-3
precision = "fp32"
[dev]
neighbours = [1]
recall_at = 4
"""
NAMES = ["anders", "boriko", "dulaga", "egnoti", "kimura", "lestad"]


def put(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def documents(prefix: str, n: int, seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    records = []
    for number in range(n):
        gold = chance.randrange(len(NAMES))
        surface = NAMES[gold][: chance.choice((4, 6))]
        mention = {"start": 7, "end": 7 + len(surface), "entity": f"Q{gold}"}
        records.append({"id": f"{prefix}{number}", "text": f"We saw {surface}.", "mentions": [mention]})
    return records


@pytest.fixture
def train(
    run_command: RunCommand, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> RunCommand:
    """``train("--resume", trainer.epochs=3)``: in a folder with kb, train and dev, the model to ``model``."""
    put(tmp_path / "kb.jsonl", [{"id": f"Q{number}", "name": name} for number, name in enumerate(NAMES)])
    put(tmp_path / "train.jsonl", documents("t", 24, 1))
    put(tmp_path / "dev.jsonl", documents("d", 10, 2))
    (tmp_path / "train.toml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANK", raising=False)
    files = ("--kb", "kb.jsonl", "--train", "train.jsonl", "--dev", "dev.jsonl", "--output", "model")
    base = ("--config", "train.toml", "--set", f"encoder.base={tiny_model}", "--device", "cpu")
    return lambda *options: run_command("train", *files, *base, *options)


def test_train_link_evaluate(train: RunCommand, run_command: RunCommand, tmp_path: Path) -> None:
    done = train()
    assert done.status == 0, done.err
    lines = done.err.splitlines()
    assert lines[0] == "24 mentions: 24 of 6 of the 6 entities"
    assert len(lines) == 3
    for number, line in enumerate(lines[1:], start=1):
        assert re.match(
            rf"epoch {number}/2: loss \d+\.\d{{4}}, dev accuracy \d+\.\d \(.*\), recall@4 \d+\.\d, ", line
        )
    assert re.search(r"^Trained 2 epochs in .* s; kept epoch [12]$", done.out, re.MULTILINE)
    command = "arborlink link --model model --kb kb.jsonl --documents dev.jsonl --output result"
    assert done.out.endswith(f"Written to model; link with it: {command}\n")

    linked = run_command(*command.split()[1:], "--device", "cpu")
    assert linked.status == 0, linked.err
    manifest = json.loads((tmp_path / "result" / "manifest.json").read_text())
    settings = json.loads((tmp_path / "model" / "arborlink.json").read_text())
    assert settings["fingerprint"] in json.dumps(manifest)
    assert settings["inference"]["mode"] in json.dumps(manifest)

    files = ("--links", "result", "--documents", "dev.jsonl", "--kb", "kb.jsonl")
    measured = run_command("evaluate", *files, "--train-documents", "train.jsonl", "--json")
    assert measured.status == 0, measured.err
    best = json.loads((tmp_path / "model" / "training.json").read_text())
    judged = best["epochs"][best["best_epoch"] - 1]["dev"]["accuracy"]
    # linking may round vectors to half precision, the training did not
    assert json.loads(measured.out)["accuracy"] == pytest.approx(judged, abs=0.21)


def test_a_training_that_was_cut_off_is_resumed(
    train: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arborlink.training.trainer import ArborTrainer

    with monkeypatch.context() as patch:
        calls = iter(range(1, 5))
        step = ArborTrainer.training_step

        def interrupted(trainer: ArborTrainer, *arguments: Any, **options: Any) -> Any:
            if next(calls) == 4:
                raise KeyboardInterrupt
            return step(trainer, *arguments, **options)

        patch.setattr(ArborTrainer, "training_step", interrupted)
        assert train().status == 130
    refused = train()
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == (
        "arborlink: model: is not empty; choose another folder, or add --resume if it holds a training that was cut "
        "off\n"
    )
    other = train("--resume", "--set", "trainer.epochs=3")
    assert other.status == 2
    assert other.err.splitlines()[-1] == (
        "arborlink: the run in model began with other settings (trainer.epochs); resume it with the same ones, or "
        "train into another folder"
    )
    done = train("--resume")
    assert done.status == 0, done.err
    checkpoint = Path("model") / "unfinished" / "checkpoint-3"
    assert done.err.splitlines()[1] == f"resumed from {checkpoint}"
    assert done.err.splitlines()[2].startswith("epoch 2/2: ")
    assert not (tmp_path / "model" / "unfinished").exists()
    again = train("--resume")
    assert (again.status, again.err) == (
        2,
        "arborlink: model: holds a model already; name another folder, or remove it first\n",
    )


def test_a_loss_that_is_no_number_is_told_in_one_line(
    train: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arborlink.training.objectives.joint import Joint

    loss = Joint.__call__
    monkeypatch.setattr(Joint, "__call__", lambda own, scores: loss(own, scores) * float("nan"))
    done = train()
    assert (done.status, done.out) == (2, "")
    assert done.err.splitlines()[-1].startswith(
        "arborlink: the loss was not a finite number between step 1 and "
    )
