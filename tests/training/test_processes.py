"""Two processes train as one does; only the first of them writes and speaks."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
import torch
from killing import TRAINER, outcome, start
from training_world import dev_documents, run, settings, small_kb, train_documents, weights, without_times

from arborlink.training import TrainingReport
from arborlink.training.config_file import write_config

Sections = dict[str, Any]
# 60 mentions in 4 steps with what was mined for them: numbers of texts are even and odd. Without dropout, whose masks
# differ from process to process.
SECTIONS: Sections = {"encoder": {"dropout": 0.0}, "trainer": {"epochs": 3, "checkpoint_steps": 3}}
LAYOUT = {"README.md", "arborlink.json", "entity", "mention", "train.toml", "training.json"}


@pytest.fixture(scope="module")
def alone(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainingReport]:
    """What one process comes to."""
    folder = tmp_path_factory.mktemp("alone") / "model"
    return folder, run(tiny_model, folder, **SECTIONS)


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def start_two(
    base: Path,
    output: Path,
    sections: Sections,
    moment: tuple[str, int] | None = None,
    output_of_second: Path | None = None,
) -> list[BaseProcess]:
    """Two processes that find each other as those of a launcher do."""
    meeting = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    each = [meeting | {"RANK": str(number), "LOCAL_RANK": str(number)} for number in range(2)]
    outputs = [output, output_of_second or output]
    return [
        start(base, own, sections, moment, surroundings.items())
        for own, surroundings in zip(outputs, each, strict=True)
    ]


def statuses(processes: list[BaseProcess]) -> list[int | None]:
    for process in processes:
        process.join(60)
    for process in processes:
        process.kill()
    return [process.exitcode for process in processes]


def assert_alike(folder: Path, expected: tuple[Path, TrainingReport]) -> None:
    """Losses, figures and weights but for the order of sums."""
    report, _ = outcome(folder)
    one = without_times(expected[1])
    assert [step for step, _ in report["losses"]] == [step for step, _ in one["losses"]]
    assert [loss for _, loss in report["losses"]] == pytest.approx(
        [loss for _, loss in one["losses"]], rel=1e-5
    )
    for epoch, own in zip(report["epochs"], one["epochs"], strict=True):
        assert epoch["dev"] == own["dev"]
        assert epoch["n_sequences"] == own["n_sequences"]
    assert (report["best_epoch"], report["inference"]) == (one["best_epoch"], one["inference"])
    for tower in ("mention", "entity"):
        found, wanted = weights(folder / tower), weights(expected[0] / tower)
        assert all(torch.allclose(found[key], wanted[key], atol=2e-4) for key in wanted)


LAUNCHER = ["accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"]


def test_launched_twice_it_trains_as_one(
    tiny_model: Path, tmp_path: Path, alone: tuple[Path, TrainingReport]
) -> None:
    small_kb().write(tmp_path / "kb.jsonl")
    train_documents().write(tmp_path / "train.jsonl")
    dev_documents().write(tmp_path / "dev.jsonl")
    (tmp_path / "train.toml").write_text(write_config(settings(tiny_model, **SECTIONS)), encoding="utf-8")
    files = (
        "--kb kb.jsonl --train train.jsonl --dev dev.jsonl --config train.toml --output model --device cpu"
    )
    command = [
        sys.executable,
        "-m",
        *LAUNCHER,
        "--main_process_port",
        str(free_port()),
        "-m",
        "arborlink",
        "train",
    ]
    done = subprocess.run(
        [*command, *files.split()],
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Written to model; link with it") == 1
    assert [line.partition(":")[0] for line in done.stderr.splitlines() if line.startswith("epoch")] == [
        f"epoch {number}/3" for number in (1, 2, 3)
    ]
    assert {path.name for path in (tmp_path / "model").iterdir()} == LAYOUT
    assert_alike(tmp_path / "model", alone)


def test_two_processes_that_were_killed_go_on(
    tiny_model: Path, tmp_path: Path, alone: tuple[Path, TrainingReport]
) -> None:
    killed = start_two(tiny_model, tmp_path / "model", SECTIONS, (f"{TRAINER}.training_step", 8))
    assert statuses(killed) == [-signal.SIGKILL] * 2
    kept = sorted((tmp_path / "model" / "unfinished").glob("checkpoint-*"))
    assert [path.name for path in kept] == ["checkpoint-4", "checkpoint-6"]
    assert {path.name for path in kept[-1].glob("rng_state*")} == {"rng_state_0.pth", "rng_state_1.pth"}
    assert statuses(start_two(tiny_model, tmp_path / "model", SECTIONS)) == [0, 0]
    assert_alike(tmp_path / "model", alone)


@pytest.mark.parametrize(
    "sections",
    [
        {"encoder": {"towers": "one", "freeze_embeddings": True}, "objective": {"shared_negatives": False}},
        {"encoder": {"lora_rank": 2}, "trainer": {"chunk_tokens": 128, "accumulate": 3, "batch_size": 7}},
        {
            "encoder": {"entity_views": "names", "pooling": "span"},
            "objective": {"name": "in-batch", "loss": "paper"},
        },
        {
            "encoder": {"pooling": "span"},
            "objective": {"name_mentions": 0.15, "context_dropout": 0.2, "name_dropout": 0.2},
        },
    ],
    ids=[
        "one tower, frozen, own negatives",
        "adapters, chunks, steps added up",
        "names, span, in-batch",
        "names as mentions, masks",
    ],
)
def test_every_kind_of_training_is_shared_alike(tiny_model: Path, tmp_path: Path, sections: Sections) -> None:
    sections = sections | {"encoder": {"dropout": 0.0} | sections["encoder"]}
    report = run(tiny_model, tmp_path / "alone", **sections)
    assert statuses(start_two(tiny_model, tmp_path / "two", sections)) == [0, 0]
    found, _ = outcome(tmp_path / "two")
    assert [loss for _, loss in found["losses"]] == pytest.approx(
        [loss for _, loss in report.losses], rel=1e-4
    )
    assert [epoch["dev"] for epoch in found["epochs"]] == [epoch.dev for epoch in report.epochs]


def test_the_second_process_writes_its_random_state_alone(tiny_model: Path, tmp_path: Path) -> None:
    sections: Sections = {"trainer": {"epochs": 1, "checkpoint_steps": 3, "report_to": ["tensorboard"]}}
    folders = tmp_path / "first", tmp_path / "second"
    assert statuses(start_two(tiny_model, folders[0], sections, output_of_second=folders[1])) == [0, 0]
    assert {path.name for path in folders[0].iterdir()} == LAYOUT | {"logs"}
    written = {path.name for path in folders[1].rglob("*") if path.is_file()}
    assert written == {"rng_state_1.pth"}
