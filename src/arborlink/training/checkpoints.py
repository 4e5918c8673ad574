"""What a training keeps on disk while it runs: checkpoints that were written to the end, and the best weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from arborlink.files import partial_path
from arborlink.training.course import COURSE_FILE, Epoch


def complete_checkpoints(folder: Path) -> list[Path]:
    """Checkpoints that were written to the end, oldest first."""
    found = [path for path in folder.glob("checkpoint-*") if (path / COURSE_FILE).is_file()]
    return sorted(found, key=lambda path: int(path.name.rpartition("-")[2]))


def remove_incomplete(folder: Path) -> None:
    """Remove what a killed run left half written."""
    complete = complete_checkpoints(folder)
    for path in folder.glob("checkpoint-*"):
        if path not in complete:
            shutil.rmtree(path)


def keep_weights(towers: torch.nn.Module, folder: Path, epoch: Epoch) -> None:
    """Write the weights after an epoch that is the best so far."""
    path = _weights_path(folder, epoch)
    partial = partial_path(path)
    save_file({key: value.contiguous() for key, value in towers.state_dict().items()}, partial)
    partial.replace(path)


def load_weights(towers: torch.nn.Module, folder: Path, epoch: Epoch) -> None:
    """Go back to the weights after this epoch."""
    towers.load_state_dict(load_file(_weights_path(folder, epoch)))


def forget_others(folder: Path, epoch: Epoch) -> None:
    """Remove weights that were once the best; only when a checkpoint knows of these better ones."""
    for path in folder.glob("best-*.safetensors"):
        if path != _weights_path(folder, epoch):
            path.unlink(missing_ok=True)


def _weights_path(folder: Path, epoch: Epoch) -> Path:
    return folder / f"best-{epoch.number}.safetensors"
