"""The folder of a model that joins several: a model folder for each, copied, and ``arborlink.json`` to name them.

It is written whole under another name first: whatever moment the writing is killed at, there is the joined model or
none. A part is a complete model, so that it can be linked with, or trained on, for itself.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from math import fsum
from pathlib import Path

from arborlink.encoders.joined_settings import JoinedSettings, Part, checked_shares, joined_fingerprint
from arborlink.encoders.model_folder import (
    SETTINGS_FILE,
    Inference,
    ModelSettings,
    check_weights,
    is_model_folder,
    read_settings,
    write_settings,
)
from arborlink.errors import InputError, ModelError
from arborlink.files import partial_path, sync_folder, sync_tree

# What a part brings beside towers and settings: what was trained and how, for readers.
_ABOUT = ("README.md", "train.toml")


def join_models(
    models: Sequence[str | Path],
    output: str | Path,
    *,
    shares: Sequence[float] | None = None,
    name_share: float | None = None,
    sameness: float | None = None,
    description_names: bool | None = None,
    detour: float | None = None,
    inference: Inference | None = None,
) -> JoinedSettings:
    """Make one model of several; they are copied, and stay as they are.

    What is not given is taken from the first model. The temperature is the weighted mean of the models', which is
    exact where they are equal.

    Args:
        models: folders of models that ArborLink trained, two or more; packed ones may be among them.
        output: folder for the joined model, new or empty.
        shares: of each model in the affinity of all towers, above 0, with a sum of 1; ``None`` for equal ones.
        name_share: share of the comparison of names in an affinity, beside all towers together.
        sameness: share, in that, of whether two names are the same.
        description_names: in that, mention strings that an entity's description has are names of it too.
        detour: what is taken off the affinity of two mentions.
        inference: how the joined vectors are linked. No threshold of a part is quite right for the whole.

    Returns:
        The settings as written.

    Raises:
        InputError: shares or settings that do not fit, too few models, a folder without one, the same model twice,
            or an output that is in use or cannot be written.
        ModelError: a model is damaged.
    """
    chosen = checked_shares(shares, len(models))
    folders, output = [Path(model) for model in models], Path(output)
    parts = [part_settings(folder) for folder in folders]
    _check_together(folders, parts)
    if os.path.lexists(output) and not (output.is_dir() and not any(output.iterdir())):
        raise InputError("is there and no empty folder; name another one for the joined model", output)
    first, prints = parts[0], [part.fingerprint for part in parts]
    share = first.name_share if name_share is None else name_share
    described = bool(share) and first.description_names
    settings = JoinedSettings(
        parts=tuple(Part(f"part-{n}", *each) for n, each in enumerate(zip(chosen, prints, strict=True), 1)),
        inference=first.inference if inference is None else inference,
        temperature=_mean([part.temperature for part in parts], chosen),
        name_share=share,
        sameness=(first.sameness if share else 0.0) if sameness is None else sameness,
        description_names=described if description_names is None else description_names,
        detour=first.detour if detour is None else detour,
        fingerprint=joined_fingerprint(prints, chosen),
    )
    _check_settings(settings)
    for folder, part in zip(folders, parts, strict=True):
        check_weights(folder, part)
    try:
        _write(output, folders, parts, settings)
    except OSError as error:
        raise InputError(f"the joined model cannot be written: {error.strerror or error}", output) from error
    return settings


def part_settings(folder: Path) -> ModelSettings:
    """What a model that is to be joined says about itself.

    Raises:
        InputError: the folder holds no model that ArborLink trained, or one that joins several.
        ModelError: the settings are not in order.
    """
    if not is_model_folder(folder):
        raise InputError(
            "holds no model of `arborlink train`, and only such can be joined; the comparison of names has its share "
            "in the whole (name_share)",
            folder,
        )
    settings = read_settings(folder)
    if isinstance(settings, JoinedSettings):
        own = " ".join(str(folder / name) for name in settings.folders)
        raise InputError(f"joins several models itself; name them instead: {own}", folder)
    return settings


def _check_together(folders: Sequence[Path], parts: Sequence[ModelSettings]) -> None:
    known: dict[str, Path] = {}
    by_name: list[Path] = []
    for folder, part in zip(folders, parts, strict=True):
        if part.fingerprint in known:
            raise InputError(
                f"is the same model as {known[part.fingerprint]}, with which it would be joined to no effect; name "
                "another one",
                folder,
            )
        known[part.fingerprint] = folder
        if part.entity_views == "names":
            by_name.append(folder)
    if len(by_name) > 1:
        raise InputError(
            f"has a vector for each name of an entity, as {by_name[0]} has; together they would have one for each "
            "pair of names, which is too many. One of the joined models may be such",
            by_name[1],
        )


def _check_settings(settings: JoinedSettings) -> None:
    try:
        JoinedSettings.from_json(json.loads(json.dumps(settings.to_json())))  # who writes it must read it
    except ModelError as error:
        raise InputError(str(error)) from error
    if settings.name_share:
        return
    for name, value in (
        ("sameness", settings.sameness),
        ("description_names", settings.description_names),
    ):
        if value:
            raise InputError(
                f"{name} is {str(value).lower()}, but name_share is 0, so that names are not compared; raise it or "
                f"leave out {name}"
            )


def _mean(values: Sequence[float], shares: Sequence[float]) -> float:
    if len(set(values)) == 1:
        return values[0]  # to the last digit
    return fsum(value * share for value, share in zip(values, shares, strict=True))


def _write(
    output: Path, folders: Sequence[Path], parts: Sequence[ModelSettings], settings: JoinedSettings
) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    staging = partial_path(output)
    try:
        staging.mkdir()
        for folder, part, own in zip(folders, parts, settings.parts, strict=True):
            (staging / own.folder).mkdir()
            for name in (*part.towers, *_ABOUT, SETTINGS_FILE):
                _copy(folder / name, staging / own.folder / name)
        write_settings(staging, settings)
        sync_tree(staging)
        if output.is_dir():
            output.rmdir()
        staging.rename(output)
        sync_folder(output.parent)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    """The content alone: rights and times are those of new files, so that a copy of what is read-only is not."""
    if source.is_dir():
        target.mkdir()
        for path in source.iterdir():
            _copy(path, target / path.name)
    elif source.exists():
        shutil.copyfile(source, target)
