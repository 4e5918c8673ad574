"""Vectors by text: a text is encoded once and keeps its row for good."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.cache import text_keys
from arborlink.errors import ModelError

# Rows that are always worth copying to have a file less.
_SMALL = 1024

EncodeTexts = Callable[[Sequence[str]], NDArray[np.float32]]


class Segment:
    """Vectors of consecutive rows, in a file of their own that is read when they are first needed.

    Args:
        read: gives ``keys``, the hashes of the texts, uint64, shape (n, 2), and ``vectors``, float32, shape
            (n, dimension).
        file: the name of the file, once there is one.
    """

    def __init__(self, read: Callable[[], Mapping[str, NDArray[Any]]], file: str | None = None) -> None:
        self._read = read
        self.file = file

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Keys and vectors by name, for a file."""
        return self._read()

    @property
    def keys(self) -> NDArray[np.uint64]:
        """Hashes of the texts."""
        return self.arrays["keys"]

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Their vectors."""
        return self.arrays["vectors"]

    @classmethod
    def of(cls, keys: NDArray[np.uint64], vectors: NDArray[np.float32]) -> Segment:
        """A segment that is in no file yet."""
        return cls(lambda: {"keys": keys, "vectors": vectors})

    @classmethod
    def joined(cls, segments: Sequence[Segment]) -> Segment:
        """Several segments as one that is in no file yet."""
        return cls.of(
            np.concatenate([segment.keys for segment in segments]),
            np.concatenate([segment.vectors for segment in segments]),
        )


@dataclass(frozen=True)
class VectorTable:
    """The vectors of all texts of one side, mentions or entities, as an immutable list of segments."""

    segments: tuple[Segment, ...] = ()

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """All rows, shape (n_rows, dimension)."""
        if not self.segments:
            return np.empty((0, 0), dtype=np.float32)
        if len(self.segments) == 1:
            return self.segments[0].vectors
        return np.concatenate([segment.vectors for segment in self.segments])

    @cached_property
    def _rows(self) -> dict[bytes, int]:
        keys = [key.tobytes() for segment in self.segments for key in segment.keys]
        return {key: row for row, key in enumerate(keys)}

    def with_texts(self, texts: Sequence[str], encode: EncodeTexts) -> tuple[VectorTable, NDArray[np.int32]]:
        """The table with rows for all the texts, and the row of each; only unknown texts are encoded.

        Raises:
            ModelError: the encoder gives vectors of another number or length, or such as are not finite.
        """
        keys = text_keys(texts)
        known = dict(self._rows)
        missing: list[int] = []
        rows = np.empty(len(texts), dtype=np.int32)
        for place, key in enumerate(keys):
            row = known.setdefault(key.tobytes(), len(known))
            rows[place] = row
            if row == len(self._rows) + len(missing):
                missing.append(place)
        if not missing:
            return self, rows
        vectors = np.ascontiguousarray(encode([texts[place] for place in missing]), dtype=np.float32)
        self._check(vectors, len(missing))
        return VectorTable((*self.segments, Segment.of(keys[missing], vectors))), rows

    def tidied(self) -> VectorTable:
        """The same rows, new segments joined with old ones that are not much larger: few files, little copying."""
        segments = list(self.segments)
        while len(segments) > 1 and segments[-1].file is None:
            if len(segments[-2].keys) > max(_SMALL, 2 * len(segments[-1].keys)):
                break
            segments[-2:] = [Segment.joined(segments[-2:])]
        return self if len(segments) == len(self.segments) else VectorTable(tuple(segments))

    def _check(self, vectors: NDArray[np.float32], n_expected: int) -> None:
        if vectors.ndim != 2 or len(vectors) != n_expected:
            raise ModelError(
                f"the encoder gave vectors of shape {vectors.shape} for {n_expected} texts; expected one for each"
            )
        with np.errstate(invalid="ignore", over="ignore"):
            is_finite = np.isfinite(vectors.sum(axis=1)).all()
        if not is_finite:
            raise ModelError("the encoder gave vectors that hold NaN or infinity; its weights may be damaged")
        if self.segments and vectors.shape[1] != self.segments[0].vectors.shape[1]:
            raise ModelError(
                f"the encoder gave vectors of {vectors.shape[1]} dimensions; those of the workspace have "
                f"{self.segments[0].vectors.shape[1]}"
            )
