"""``delta.safetensors``: a packed tower, all of it in one file.

Its tensors are those of :mod:`~arborlink.encoders.packed_model.differences`. Its metadata is one entry,
``arborlink``, a JSON object: equal towers make equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.views import Markers
from arborlink.errors import ModelError

DELTA_FILE = "delta.safetensors"
VERSION = 1
_ENTRY = "arborlink"


def is_packed(tower: Path) -> bool:
    """Whether the folder of a tower holds a packed one."""
    return (tower / DELTA_FILE).is_file()


@dataclass(frozen=True, eq=False, slots=True)
class PackedTower:
    """A tower as a difference to its base.

    Args:
        base: SHA-256 of the base model's weights.
        markers: special tokens that the vocabulary has beside the base's.
        modules: class name and settings of each module behind the transformer.
        max_length: tokens of a text that the tower reads.
        tensors: the differences.
    """

    base: str
    markers: Markers
    modules: tuple[tuple[str, Mapping[str, Any]], ...]
    max_length: int
    tensors: Mapping[str, NDArray[Any]]

    def to_bytes(self) -> bytes:
        """The content of the file."""
        from safetensors.numpy import save

        about = {
            "version": VERSION,
            "base": self.base,
            "markers": list(self.markers.all),
            "modules": [[kind, dict(settings)] for kind, settings in self.modules],
            "max_length": self.max_length,
        }
        content: bytes = save(
            {name: np.ascontiguousarray(self.tensors[name]) for name in sorted(self.tensors)},
            metadata={_ENTRY: json.dumps(about, sort_keys=True)},
        )
        return content

    @classmethod
    def read(cls, path: Path) -> PackedTower:
        """Read a file.

        Raises:
            ModelError: it cannot be read, is damaged, or is of another version.
        """
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="np") as stream:
                metadata = stream.metadata() or {}
                tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118  not a mapping
        except (OSError, SafetensorError) as error:
            raise ModelError(
                f"{path}: the packed tower cannot be read: {error}; copy the model again"
            ) from error
        try:
            return cls._of(json.loads(metadata[_ENTRY]), tensors)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ModelError(
                f"{path}: not a tower that ArborLink packed ({error}); copy the model again"
            ) from error
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from error

    @classmethod
    def _of(cls, about: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> PackedTower:
        if about["version"] != VERSION:
            raise ModelError(
                f"packed as version {about['version']}, but this ArborLink reads version {VERSION}"
            )
        start, end, title = map(str, about["markers"])
        modules = tuple((str(kind), dict(settings)) for kind, settings in about["modules"])
        return cls(str(about["base"]), Markers(start, end, title), modules, int(about["max_length"]), tensors)
