"""The weights of a saved tower, and whether they are those it was saved with."""

from __future__ import annotations

from hashlib import file_digest
from pathlib import Path

from arborlink.encoders.packed_model.tower_file import DELTA_FILE, is_packed
from arborlink.errors import ModelError

WEIGHTS_FILE = "model.safetensors"


def check_tower(tower: Path, expected: str) -> None:
    """Make sure that a tower's weights have this SHA-256.

    Raises:
        ModelError: they are missing or others.
    """
    check_weights_file(tower / (DELTA_FILE if is_packed(tower) else WEIGHTS_FILE), expected, "model")


def check_weights_file(path: Path, expected: str, owner: str, otherwise: str = "") -> None:
    """Make sure that a file of weights has this SHA-256.

    Args:
        path: the file.
        expected: the digits.
        owner: what the weights are of, for the message.
        otherwise: what can be done besides copying the model again.

    Raises:
        ModelError: it is missing or another.
    """
    try:
        found = sha256_of(path)
    except OSError as error:
        raise ModelError(
            f"{path}: the weights cannot be read: {error.strerror}; copy the model again"
        ) from error
    if found != expected:
        raise ModelError(
            f"{path}: the weights are not those the {owner} was saved with (SHA-256 {found[:12]}…, expected "
            f"{expected[:12]}…); copy the model again{otherwise}"
        )


def sha256_of(path: Path) -> str:
    """The digits of a file's SHA-256."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
