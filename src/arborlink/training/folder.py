"""A model's folder while the model is being trained."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from arborlink.encoders.model_folder import is_model_folder
from arborlink.errors import InputError
from arborlink.files import partial_path, write_text
from arborlink.training.config import TrainingConfig
from arborlink.training.config_file import write_config

CONFIG_FILE = "train.toml"
REPORT_FILE = "training.json"
CARD_FILE = "README.md"
# Checkpoints, the best weights so far and what the run began with; gone when the model is there.
UNFINISHED = "unfinished"
_IDENTITY_FILE = "identity.json"


def check_folder(output: Path, resume: bool) -> None:
    """Make sure that a training may write here.

    Raises:
        InputError: something else is there, or a training that is not to be resumed.
    """
    if output.exists() and not output.is_dir():
        raise InputError("is a file; name a folder for the model", output)
    is_unfinished = (output / UNFINISHED).is_dir()
    if is_unfinished and not resume:
        raise InputError(
            "holds a training that was not finished; --resume goes on with it, or name another folder", output
        )
    if is_model_folder(output) and not is_unfinished:
        raise InputError("holds a model already; name another folder, or remove it first", output)
    if output.is_dir() and not is_unfinished and any(output.iterdir()):
        raise InputError("is not empty and holds no training of ours; name another folder", output)


def begin(output: Path, config: TrainingConfig, data: str, sizes: dict[str, int]) -> dict[str, int]:
    """Lay the folder out, or make sure that a run is resumed with the settings and data that it began with.

    Args:
        output: the model's folder.
        config: all settings.
        data: the fingerprint of the data.
        sizes: what was chosen for this run by the memory that is free just now.

    Returns:
        The sizes that the run began with.

    Raises:
        InputError: they are others, and the figures of such a run would mean nothing.
    """
    from arborlink.training.checkpoints import remove_incomplete

    folder = output / UNFINISHED
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _IDENTITY_FILE
    now: dict[str, Any] = {"config": config.model_dump(), "data": data, "sizes": sizes}
    if path.is_file():
        before = json.loads(path.read_text(encoding="utf-8"))
        _check_same(output, before, now)
        sizes = before["sizes"]
    else:
        with write_text(path) as stream:
            json.dump(now, stream, indent=1)
    remove_incomplete(folder)
    with write_text(output / CONFIG_FILE) as stream:
        stream.write(write_config(config))
    return sizes


def clear(output: Path) -> None:
    """Remove the checkpoints when the model is there.

    They lose their name first: what a killed process leaves of them is no training that could be resumed.
    """
    removed = partial_path(output / UNFINISHED)
    (output / UNFINISHED).rename(removed)
    shutil.rmtree(removed)


def _check_same(output: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    changed = [
        f"{section}.{key}"
        for section, settings in now["config"].items()
        for key, value in settings.items()
        if before["config"].get(section, {}).get(key) != value
    ]
    if before["data"] != now["data"]:
        changed.append("the documents or the knowledge base")
    if changed:
        raise InputError(
            f"the run in {output} began with other settings ({', '.join(changed)}); resume it with the same ones, or "
            "train into another folder"
        )
