"""Trainings in processes of their own that end by SIGKILL at a chosen moment."""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable
from multiprocessing.process import BaseProcess
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from training_world import run

# Loaded once, in a process that every training is then forked from.
PRELOADED = [
    "pytest",
    "numba.typed.typedlist",
    "sentence_transformers",
    "torch.distributed",
    "transformers.models.bert.modeling_bert",
    "arborlink.partition",
    "arborlink.search",
    "arborlink.training.adapting",
    "arborlink.training.trainer",
]
TRAINER = "arborlink.training.trainer:ArborTrainer"


def kill_before(moment: str, nth: int, put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Let this process die as soon as a function (``module:class.method``) is called for the nth time."""
    holder, _, name = moment.rpartition(".") if "." in moment.partition(":")[2] else moment.rpartition(":")
    owner = resolve_name(holder)
    original = owner.__dict__[name]
    calls = iter(range(1, nth + 1))

    @functools.wraps(original)
    def counting(*arguments: Any, **options: Any) -> Any:
        if next(calls) == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **options)

    put(owner, name, counting)


def training(
    base: Path,
    output: Path,
    sections: dict[str, Any],
    moment: tuple[str, int] | None = None,
    surroundings: Iterable[tuple[str, str]] = (),
) -> None:
    """What such a process does: train, or go on, until it ends or is killed."""
    import torch

    os.environ.update(surroundings)
    torch.set_num_threads(1)  # sums must not depend on how many others are at work
    if moment is not None:
        kill_before(*moment)
    run(base, output, resume=True, **sections)


def start(
    base: Path,
    output: Path,
    sections: dict[str, Any],
    moment: tuple[str, int] | None = None,
    surroundings: Iterable[tuple[str, str]] = (),
) -> BaseProcess:
    """Begin a training in a process of its own, or go on with it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=training, args=(base, output, sections, moment, tuple(surroundings)))
    process.start()
    return process


def outcome(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What a training came to: its report without times, and the bytes of its weights."""
    report: dict[str, Any] = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    for epoch in report["epochs"]:
        del epoch["seconds"]
    return report, {path.parent.name: path.read_bytes() for path in folder.glob("*/model.safetensors")}
