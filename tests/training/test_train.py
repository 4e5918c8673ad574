"""A whole training on a small world: what it writes, which epoch it keeps, what it logs."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from huggingface_hub import ModelCard
from sentence_transformers import SentenceTransformer
from training_world import dev_documents, run, settings, small_kb, train_documents, weights, without_times

from arborlink.encoders.model_folder import Inference
from arborlink.errors import InputError
from arborlink.linker import Linker
from arborlink.training import TrainingReport, train
from arborlink.training.config_file import read_config
from arborlink.training.judge import Choice, Judgement

OBJECTIVES = ["in-batch", "knn", "arborescence", "joint"]
LAYOUT = {"README.md", "arborlink.json", "entity", "mention", "train.toml", "training.json"}


@pytest.fixture(scope="module")
def trained(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainingReport]:
    folder = tmp_path_factory.mktemp("trained") / "model"
    return folder, run(tiny_model, folder, trainer={"epochs": 3})


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("loss", ["cross-entropy", "paper"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_objective_learns(tiny_model: Path, tmp_path: Path, objective: str, loss: str) -> None:
    report = run(
        tiny_model, tmp_path / "model", objective={"name": objective, "loss": loss}, trainer={"epochs": 4}
    )
    losses = [epoch.loss for epoch in report.epochs]
    assert losses[-1] < 0.97 * losses[0]
    assert [epoch.n_steps for epoch in report.epochs] == [4] * 4
    assert names_in(tmp_path / "model") == LAYOUT


def test_the_folder_is_complete(trained: tuple[Path, TrainingReport], tiny_model: Path) -> None:
    folder, report = trained
    assert names_in(folder) == LAYOUT
    assert read_config(folder / "train.toml") == settings(tiny_model, trainer={"epochs": 3})
    assert json.loads((folder / "training.json").read_text()) == json.loads(json.dumps(report.to_dict()))
    assert report.examples["linkable"] == 60
    assert report.dev == {"mentions": 20, "linkable": 20, "outside_kb": 0}


def test_the_card_tells_the_figures_of_the_kept_epoch(trained: tuple[Path, TrainingReport]) -> None:
    folder, report = trained
    card = ModelCard.load(folder / "README.md")
    (results,) = card.data.to_dict()["model-index"]
    metrics = {own["type"]: own["value"] for own in results["results"][0]["metrics"]}
    written = json.loads((folder / "training.json").read_text())
    best = next(epoch for epoch in written["epochs"] if epoch["number"] == written["best_epoch"])
    assert set(metrics) == {"accuracy", "accuracy_standard_error", "recall@4"}
    assert metrics == {key: pytest.approx(best["dev"][key], abs=1e-6) for key in metrics}
    assert card.data.to_dict()["library_name"] == "arborlink"
    assert f"| {report.best.dev['mode']}" in card.text


def test_it_links_as_it_was_judged(
    trained: tuple[Path, TrainingReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    # in the precision of the training, whatever the hardware would rather have
    monkeypatch.setattr("arborlink.encoders.network.resolve_precision", lambda device: torch.float32)
    folder, report = trained
    linker = Linker.load(folder, device="cpu", cache=False)
    assert linker.defaults == report.inference
    assert (linker.defaults.mode, linker.defaults.threshold) == (report.best.dev["mode"], None)
    dev = dev_documents()
    result = linker.link(dev, small_kb())
    right = [result[mention.id].entity == (mention.entities or ("",))[0] for _, mention in dev.mentions]
    assert sum(right) / len(right) == pytest.approx(report.best.dev["accuracy"])


def test_towers_are_plain_sentence_encoders(trained: tuple[Path, TrainingReport], tiny_model: Path) -> None:
    folder, _ = trained
    towers = [SentenceTransformer(str(folder / name), device="cpu") for name in ("mention", "entity")]
    base = SentenceTransformer(str(tiny_model), device="cpu")
    vectors = [tower.encode(["we saw one"])[0] for tower in (*towers, base)]
    assert [len(vector) for vector in vectors] == [32] * 3
    assert all(float(vector @ vector) == pytest.approx(1, abs=1e-5) for vector in vectors)
    assert abs(float(vectors[0] @ vectors[1])) < 0.999
    assert abs(float(vectors[0] @ vectors[2])) < 0.999


def test_the_same_seed_gives_the_same_model(
    trained: tuple[Path, TrainingReport], tiny_model: Path, tmp_path: Path
) -> None:
    folder, report = trained
    again = run(tiny_model, tmp_path / "again", trainer={"epochs": 3})
    assert without_times(again) == without_times(report)
    for tower in ("mention", "entity"):
        file = Path(tower) / "model.safetensors"
        assert (tmp_path / "again" / file).read_bytes() == (folder / file).read_bytes()
    other = run(tiny_model, tmp_path / "other", trainer={"epochs": 3, "seed": 1})
    assert other.losses != report.losses


def test_without_dev_the_last_epoch_is_kept(tiny_model: Path, tmp_path: Path) -> None:
    report = run(tiny_model, tmp_path / "model", with_dev=False)
    assert (report.dev, report.best.number, report.inference) == (None, 2, Inference())
    assert [epoch.dev for epoch in report.epochs] == [{}, {}]
    card = (tmp_path / "model" / "README.md").read_text()
    assert "model-index" not in card
    assert "no dev documents were given, the last epoch was kept" in card
    assert "Dev" not in report.summary()


@pytest.mark.parametrize(("every", "judged"), [(0, [5]), (2, [2, 4, 5]), (9, [5])])
def test_dev_judges_every_so_many_epochs_and_the_last(
    tiny_model: Path, tmp_path: Path, every: int, judged: list[int]
) -> None:
    report = run(tiny_model, tmp_path / "model", trainer={"epochs": 5}, dev={"every": every})
    assert [epoch.number for epoch in report.epochs if epoch.dev] == judged
    assert report.best.number in judged
    assert report.inference.neighbours > 0


def falling(monkeypatch: pytest.MonkeyPatch, accuracies: list[float]) -> None:
    """Let dev say this of one epoch after the other."""
    left = iter([*accuracies, *[0.0] * 9])
    monkeypatch.setattr(Judgement, "choices", lambda hood: [Choice("directed", 2, next(left))])


def test_the_best_epoch_is_kept_and_not_the_last(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a constant rate and the same steps: a training of two epochs ends where epoch 2 did
    run(
        tiny_model,
        tmp_path / "two",
        with_dev=False,
        trainer={"epochs": 2, "schedule": "constant", "warmup": 0.0},
    )
    run(
        tiny_model,
        tmp_path / "four",
        with_dev=False,
        trainer={"epochs": 4, "schedule": "constant", "warmup": 0.0},
    )
    falling(monkeypatch, [0.2, 0.9, 0.5, 0.3])
    report = run(tiny_model, tmp_path / "best", trainer={"epochs": 4, "schedule": "constant", "warmup": 0.0})
    assert report.best.number == 2
    two, four, best = (weights(tmp_path / name / "mention") for name in ("two", "four", "best"))
    assert all(two[key].equal(best[key]) for key in two)
    assert not all(four[key].equal(best[key]) for key in two)


def test_patience_ends_a_training_that_gets_no_better(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    falling(monkeypatch, [0.5, 0.9, 0.4, 0.1])
    lines: list[str] = []
    config = settings(tiny_model, trainer={"epochs": 9, "patience": 2})
    report = train(
        small_kb(),
        train_documents(),
        dev_documents(),
        tmp_path / "model",
        config,
        device="cpu",
        tell=lines.append,
    )
    assert [epoch.accuracy for epoch in report.epochs] == [0.5, 0.9, 0.4, 0.1]
    assert report.best.number == 2
    assert lines[-1] == "no better for 2 epochs: stopped early"
    assert names_in(tmp_path / "model") == LAYOUT


def test_lines_tell_of_the_data_and_of_each_epoch(tiny_model: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    config = settings(tiny_model)
    train(
        small_kb(),
        train_documents(),
        dev_documents(),
        tmp_path / "model",
        config,
        device="cpu",
        tell=lines.append,
    )
    assert lines[0] == "60 mentions: 60 of 12 of the 12 entities"
    assert [line.partition(":")[0] for line in lines[1:]] == ["epoch 1/2", "epoch 2/2"]
    for part in ("loss ", "dev accuracy ", "recall@4 ", "texts/s", "mining ", "training ", "evaluation "):
        assert part in lines[1]


def test_tensorboard_files_outlast_the_training(tiny_model: Path, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing import event_accumulator  # type: ignore[import-untyped]

    run(tiny_model, tmp_path / "model", trainer={"epochs": 3, "report_to": ["tensorboard"]})
    assert names_in(tmp_path / "model") == LAYOUT | {"logs"}
    events = event_accumulator.EventAccumulator(str(tmp_path / "model" / "logs"))
    events.Reload()
    assert {"train/loss", "eval/accuracy", "eval/recall@4"} <= set(events.Tags()["scalars"])
    assert [event.step for event in events.Scalars("eval/accuracy")] == [4, 8, 12]
    assert all(math.isfinite(event.value) for event in events.Scalars("train/loss"))
    assert "TENSORBOARD_LOGGING_DIR" not in os.environ


def test_an_unknown_place_for_figures_is_refused_before_any_work(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"trainer\.report_to names 'tensorbored', which transformers does not know; choose among .*tensorboard",
    ):
        run(tiny_model, tmp_path / "model", trainer={"report_to": ["tensorbored"]})
    with pytest.raises(
        InputError, match=r"names 'neptune', which is not installed; install it, or choose .*"
    ):
        run(tiny_model, tmp_path / "model", trainer={"report_to": ["neptune"]})
    assert not (tmp_path / "model").exists()


BLOCKED = """
import sys
sys.modules["faiss"] = sys.modules["datasets"] = None
from pathlib import Path
from training_world import run
report = run(Path(sys.argv[1]), Path(sys.argv[2]))
print(len(report.epochs), [name for name in ("faiss", "datasets") if sys.modules[name] is not None])
"""


def test_neither_faiss_nor_datasets_is_needed(tiny_model: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", BLOCKED, str(tiny_model), str(tmp_path / "model")]
    surroundings = os.environ | {
        "PYTHONPATH": str(Path(__file__).parents[1] / "worlds"),
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "2 []\n")
    assert names_in(tmp_path / "model") == LAYOUT
