"""A model on disk: one or two towers that sentence-transformers can load, and ``arborlink.json`` beside them.

Towers are first written whole under temporary names. Only then does an earlier ``arborlink.json`` go away, the
towers take their places, and the new ``arborlink.json`` comes last: a folder with one is a complete model and one
without is none, whatever moment the writing was killed at. A hidden mark stands in the folder meanwhile, by which the
next writer knows the towers of a killed one as its own to replace.

A model may also join several (:mod:`arborlink.encoders.joined`): it then holds a model folder for each in place of
towers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from arborlink.encoders.fingerprint import model_fingerprint
from arborlink.encoders.joined_settings import JoinedSettings, settings_of
from arborlink.encoders.model_settings import INFERENCE_MODES, Inference, InferenceMode, ModelSettings
from arborlink.encoders.network import listening
from arborlink.encoders.views import EntityViews, Markers
from arborlink.encoders.weights import WEIGHTS_FILE, check_tower, sha256_of
from arborlink.errors import InputError, ModelError
from arborlink.files import partial_path, sync_folder, sync_tree, write_text

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = [
    "INFERENCE_MODES",
    "SETTINGS_FILE",
    "WEIGHTS_FILE",
    "Inference",
    "InferenceMode",
    "JoinedSettings",
    "ModelSettings",
    "check_weights",
    "is_model_folder",
    "read_settings",
    "read_towers",
    "towers_fingerprint",
    "write_inference",
    "write_settings",
    "write_towers",
]

SETTINGS_FILE = "arborlink.json"
_MENTION, _ENTITY, _SHARED = "mention", "entity", "tower"
_MARK = ".arborlink-model"


def is_model_folder(folder: Path) -> bool:
    """Whether there is a model that ArborLink saved, complete as far as can be seen from outside."""
    return (folder / SETTINGS_FILE).is_file()


def read_settings(folder: Path) -> ModelSettings | JoinedSettings:
    """What the model in a folder says about itself.

    Raises:
        ModelError: there is no model, or one of another version, or its settings are not in order.
    """
    path = folder / SETTINGS_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: not a model ArborLink saved: {error}") from error
    try:
        settings = settings_of(content)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    for name in settings.folders if isinstance(settings, JoinedSettings) else settings.towers:
        if not (folder / name).is_dir():
            raise ModelError(
                f"{path}: there is no folder {folder / name}; copy the model again, with all its folders"
            )
    if isinstance(settings, JoinedSettings):
        _check_parts(folder, settings)
    return settings


def read_towers(folder: Path) -> ModelSettings:
    """The same where towers of one model are asked for.

    Raises:
        ModelError: as above, or the model joins several.
    """
    settings = read_settings(folder)
    if isinstance(settings, JoinedSettings):
        parts = " or ".join(str(folder / name) for name in settings.folders)
        raise ModelError(f"{folder}: joins several models, and the towers of one are needed; name {parts}")
    return settings


def _check_parts(folder: Path, settings: JoinedSettings) -> None:
    for part in settings.parts:
        found = read_towers(folder / part.folder).fingerprint
        if found != part.fingerprint:
            raise ModelError(
                f"{folder / part.folder}: is not the model that was joined (fingerprint {found}, expected "
                f"{part.fingerprint}); join the models again"
            )


def check_weights(folder: Path, settings: ModelSettings | JoinedSettings) -> None:
    """Make sure that the towers' weights are those the model was saved with.

    Raises:
        ModelError: they are missing or others.
    """
    if isinstance(settings, JoinedSettings):
        for name in settings.folders:
            check_weights(folder / name, read_towers(folder / name))
    else:
        for tower, expected in settings.weights.items():
            check_tower(folder / tower, expected)


def write_inference(folder: Path, inference: Inference) -> None:
    """Let the model in a folder be linked in another way; it is replaced in one step.

    Raises:
        ModelError: there is no model, or one that is not in order.
        InputError: the folder cannot be written.
    """
    settings = replace(read_settings(folder), inference=inference)
    try:
        write_settings(folder, settings)
    except OSError as error:
        raise InputError(f"the model cannot be written: {error.strerror or error}", folder) from error


def towers_fingerprint(
    mention_tower: str, entity_tower: str, markers: Markers, entity_views: EntityViews
) -> str:
    """A name for two towers, by their own fingerprints, and the texts they read."""
    settings = f"towers 2 {mention_tower} {entity_tower} {markers} {entity_views}"
    return blake2b(settings.encode(), digest_size=12).hexdigest()


def write_towers(
    folder: Path,
    mention_tower: SentenceTransformer,
    entity_tower: SentenceTransformer,
    settings: ModelSettings,
) -> ModelSettings:
    """Save a model; an earlier one in the folder is replaced, other files there stay as they are.

    Killed at any point it leaves the earlier model, no model (a folder without ``arborlink.json``), or the new one.

    Args:
        folder: made if it is not there.
        mention_tower: reads mentions.
        entity_tower: reads entities; may be the same object, which is then saved once.
        settings: lengths, markers, views and inference; lengths are lowered to what a tower can read, and the names
            of the folders, the hashes of the weights and the fingerprint are filled in here.

    Returns:
        The settings as written.

    Raises:
        InputError: the folder cannot be written, or holds something else under a tower's name.
        ModelError: a tower has no weights of its own to save, such as one with adapters that were not merged.
    """
    is_shared = mention_tower is entity_tower
    names = (_SHARED, _SHARED) if is_shared else (_MENTION, _ENTITY)
    settings = replace(
        settings,
        mention_tower=names[0],
        entity_tower=names[1],
        mention_tokens=_at_most(settings.mention_tokens, mention_tower),
        entity_tokens=_at_most(settings.entity_tokens, entity_tower),
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_foreign(folder, names)
        with ExitStack() as stack:
            staged = {name: stack.enter_context(_staging(folder / name)) for name in settings.towers}
            # A shared tower reads both kinds of text; its own limit must not cut the longer.
            longest = max(settings.mention_tokens, settings.entity_tokens)
            stack.enter_context(_cut_at(mention_tower, longest if is_shared else settings.mention_tokens))
            stack.enter_context(_cut_at(entity_tower, longest if is_shared else settings.entity_tokens))
            towers = zip(names, (mention_tower, entity_tower), strict=True)
            weights = {name: _save(tower, staged[name]) for name, tower in dict(towers).items()}
            fingerprint = _fingerprint(mention_tower, entity_tower, settings)
            settings = replace(settings, weights=weights, fingerprint=fingerprint)
            ModelSettings.from_json(json.loads(json.dumps(settings.to_json())))  # who writes it must read it
            _publish(folder, staged, settings)
    except OSError as error:
        raise InputError(f"the model cannot be written: {error.strerror or error}", folder) from error
    return settings


def _publish(folder: Path, staged: Mapping[str, Path], settings: ModelSettings) -> None:
    from shutil import rmtree

    outdated = _own_names(folder)
    (folder / _MARK).touch()
    (folder / SETTINGS_FILE).unlink(missing_ok=True)
    sync_folder(folder)
    for name in outdated | staged.keys():
        if (folder / name).is_dir():
            rmtree(folder / name)
    for name, staging in staged.items():
        staging.rename(folder / name)
    sync_folder(folder)
    write_settings(folder, settings)
    (folder / _MARK).unlink()


def write_settings(folder: Path, settings: ModelSettings | JoinedSettings) -> None:
    """Write ``arborlink.json``: from now on there is a model in the folder."""
    with write_text(folder / SETTINGS_FILE) as stream:
        json.dump(settings.to_json(), stream, indent=2)
        stream.write("\n")


def _own_names(folder: Path) -> set[str]:
    """The tower folders that an earlier model, or a writer that was killed, has left there."""
    names = {_MENTION, _ENTITY, _SHARED}
    if (folder / _MARK).exists():
        return names
    try:
        settings = ModelSettings.from_json(json.loads((folder / SETTINGS_FILE).read_bytes()))
    except (OSError, ValueError, RecursionError, ModelError):
        return set()
    return names & set(settings.towers)


def _refuse_foreign(folder: Path, names: tuple[str, ...]) -> None:
    ours = _own_names(folder)
    for name in names:
        if name not in ours and os.path.lexists(folder / name):
            raise InputError(
                f"{name} is there and not of a model ArborLink saved; move it away or choose another folder",
                folder,
            )


@contextmanager
def _staging(path: Path) -> Iterator[Path]:
    """A folder beside ``path`` that is gone afterwards, unless it was renamed."""
    from shutil import rmtree

    staging = partial_path(path)
    staging.mkdir()
    try:
        yield staging
    finally:
        rmtree(staging, ignore_errors=True)


def _save(tower: SentenceTransformer, staging: Path) -> str:
    """Save a tower, bring it to disk, and return the hash of its weights."""
    with listening(show_bars=False):
        tower.save(str(staging), create_model_card=False)
    weights = staging / WEIGHTS_FILE
    if not weights.is_file():
        raise ModelError(
            f"a tower saved no {WEIGHTS_FILE}: a model keeps the weights of a whole network; merge adapters first"
        )
    sync_tree(staging)
    return sha256_of(weights)


def _at_most(n_tokens: int, tower: SentenceTransformer) -> int:
    """As many tokens as asked, or as the tower can read."""
    return min(n_tokens, int(tower.max_seq_length or n_tokens))


@contextmanager
def _cut_at(tower: SentenceTransformer, length: int) -> Iterator[None]:
    """With the length it was trained with as its own, so that sentence-transformers alone cuts texts alike."""
    before = tower.max_seq_length
    tower.max_seq_length = length
    try:
        yield
    finally:
        tower.max_seq_length = before


def _fingerprint(
    mention_tower: SentenceTransformer, entity_tower: SentenceTransformer, settings: ModelSettings
) -> str:
    mention = model_fingerprint(mention_tower, settings.mention_tokens)
    if mention_tower is entity_tower and settings.mention_tokens == settings.entity_tokens:
        entity = mention
    else:
        entity = model_fingerprint(entity_tower, settings.entity_tokens)
    return towers_fingerprint(mention, entity, settings.markers, settings.entity_views)
