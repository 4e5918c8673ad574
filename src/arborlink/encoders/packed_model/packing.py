"""From a model folder to a packed one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arborlink.encoders import embedded
from arborlink.encoders.fingerprint import model_fingerprint, network_settings, vocabulary
from arborlink.encoders.model_folder import (
    JoinedSettings,
    ModelSettings,
    check_weights,
    is_model_folder,
    read_settings,
    read_towers,
    towers_fingerprint,
    write_settings,
)
from arborlink.encoders.network import load_network
from arborlink.encoders.packed_model.differences import Arrays, Bits, differences
from arborlink.encoders.packed_model.tower_file import DELTA_FILE, PackedTower, is_packed
from arborlink.encoders.packed_model.unpacking import arrays_of, base_network, load_packed, module_classes
from arborlink.errors import InputError, ModelError
from arborlink.files import partial_path, sync_folder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MOST_BYTES = 25_000_000
# Tried in this order. The layers keep their bits for longest: every text goes through all of them.
LADDER = tuple(
    Bits(*bits)
    for bits in ((8, 8), (8, 6), (8, 5), (8, 4), (7, 4), (6, 4), (5, 4), (5, 3), (4, 3), (3, 3), (2, 2))
)
# Beside the towers: what was trained and how, for readers.
ABOUT = ("README.md", "train.toml")
_RESERVED_BYTES = 1 << 15  # for arborlink.json and what is added when the towers are there
Finish = Callable[[Path, "Packed"], None]


@dataclass(frozen=True, slots=True)
class Packed:
    """A model that was packed.

    Args:
        settings: as written beside the towers.
        bits: of the differences.
        n_bytes: of all files of the folder.
    """

    settings: ModelSettings
    bits: Bits
    n_bytes: int


def pack_model(
    source: Path,
    target: Path,
    *,
    most_bytes: int = MOST_BYTES,
    ladder: Sequence[Bits] = LADDER,
    finish: Finish | None = None,
) -> Packed:
    """Pack a model that was trained from the embedded base model.

    Args:
        source: the model's folder.
        target: folder for the packed one. A packed model there is replaced; anything else is not.
        most_bytes: size that all files of the folder together must not exceed.
        ladder: numbers of bits to try, best first; the first that fits is taken.
        finish: is given the complete model in a folder of its own, and what is known of it, before it takes the place
            of another; may add files, or refuse it by raising.

    Raises:
        ModelError: the model is none of ours, joins several, is damaged, was trained from another base, or does not
            fit.
        InputError: ``target`` is in use, or cannot be written.
    """
    settings = read_towers(source)
    check_weights(source, settings)
    _check_target(source, target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        staging = partial_path(target)
        staging.mkdir()
        try:
            packed = _pack(source, staging, settings, most_bytes, ladder)
            if finish is not None:
                finish(staging, packed)
                packed = replace(packed, n_bytes=_size(staging))
            _check_size(source, packed, most_bytes)
            if target.exists():
                shutil.rmtree(target)
            staging.rename(target)
            sync_folder(target.parent)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        raise InputError(f"the packed model cannot be written: {error.strerror or error}", target) from error
    return packed


def _check_target(source: Path, target: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError("is a file; name a folder for the packed model", target)
    if target.samefile(source):
        raise InputError("is the model itself; name another folder for the packed one", target)
    if not _holds_packed(target) and any(target.iterdir()):
        raise InputError("is not empty and holds no packed model; name another folder", target)


def _holds_packed(folder: Path) -> bool:
    if not is_model_folder(folder):
        return False
    settings = read_settings(folder)
    if isinstance(settings, JoinedSettings):
        return False  # more than a packed model, even if its parts are packed
    return all(is_packed(folder / name) for name in settings.towers)


def _pack(
    source: Path, staging: Path, settings: ModelSettings, most_bytes: int, ladder: Sequence[Bits]
) -> Packed:
    import torch

    base = base_network()
    towers = {
        name: load_network(source / name, str(source / name), "cpu", torch.float32)
        for name in settings.towers
    }
    for name in ABOUT:
        if (source / name).is_file():
            shutil.copyfile(source / name, staging / name)
    room = most_bytes - _size(staging) - _RESERVED_BYTES
    bits, contents = _smallest(source, settings, arrays_of(base), towers, room, ladder)
    weights: dict[str, str] = {}
    for name, content in contents.items():
        (staging / name).mkdir()
        (staging / name / DELTA_FILE).write_bytes(content)
        weights[name] = sha256(content).hexdigest()
    made = {name: load_packed(staging / name, "cpu", torch.float32) for name in towers}
    for name, network in made.items():
        _check_same(source / name, towers[name], network)
    fingerprint = towers_fingerprint(
        model_fingerprint(made[settings.mention_tower], settings.mention_tokens),
        model_fingerprint(made[settings.entity_tower], settings.entity_tokens),
        settings.markers,
        settings.entity_views,
    )
    settings = replace(settings, weights=weights, fingerprint=fingerprint)
    write_settings(staging, settings)
    return Packed(settings, bits, _size(staging))


def _smallest(
    source: Path,
    settings: ModelSettings,
    base: Arrays,
    towers: dict[str, SentenceTransformer],
    room: int,
    ladder: Sequence[Bits],
) -> tuple[Bits, dict[str, bytes]]:
    """The first of the ladder that fits, and what each tower's file then holds."""
    size = 0
    for bits in ladder:
        contents = {
            name: _content(source / name, settings, base, network, bits) for name, network in towers.items()
        }
        size = sum(map(len, contents.values()))
        if size <= room:
            return bits, contents
    raise ModelError(
        f"{source}: packed at {ladder[-1]}, it still has {size:,} bytes, and there is room for {room:,}; train one "
        "tower instead of two, or leave the embeddings as they are (encoder.freeze_embeddings)"
    )


def _check_size(source: Path, packed: Packed, most_bytes: int) -> None:
    if packed.n_bytes > most_bytes:
        raise ModelError(
            f"{source}: packed at {packed.bits}, with all its files, it has {packed.n_bytes:,} bytes; expected at "
            f"most {most_bytes:,}"
        )


def _content(
    tower: Path, settings: ModelSettings, base: Arrays, network: SentenceTransformer, bits: Bits
) -> bytes:
    try:
        tensors = differences(base, arrays_of(network), bits)
    except ValueError as error:
        raise ModelError(
            f"{tower}: was not trained from the embedded base model, or is damaged: {error}"
        ) from error
    modules = tuple(_described(tower, module) for module in list(network.children())[1:])
    length = int(network.max_seq_length or 0)
    return PackedTower(embedded.WEIGHTS_SHA256, settings.markers, modules, length, tensors).to_bytes()


def _described(tower: Path, module: Any) -> tuple[str, dict[str, Any]]:
    classes = module_classes()
    kind = type(module).__name__
    known: Any = classes.get(kind)
    if known is not type(module):
        raise ModelError(
            f"{tower}: has a module {kind}, which cannot be packed; expected {', '.join(classes)}"
        )
    return kind, module.get_config_dict()


def _check_same(tower: Path, source: SentenceTransformer, made: SentenceTransformer) -> None:
    """Make sure that all but the weights is as it was: it is not stored, but taken from the base model."""
    for what, ours, theirs in (
        ("modules", repr(made), repr(source)),
        ("length", made.max_seq_length, source.max_seq_length),
        ("settings", network_settings(made, training=False), network_settings(source, training=False)),
        ("vocabulary", vocabulary(made.tokenizer), vocabulary(source.tokenizer)),
    ):
        if ours != theirs:
            raise ModelError(
                f"{tower}: its {what} is not that of the embedded base model with markers; only models trained from "
                "it can be packed"
            )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
