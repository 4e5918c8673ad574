"""Embeddings kept on disk, text by text, so that nothing is ever encoded twice.

A store is a folder of segments. Each holds the keys of some texts (a hash of the text), their vectors and a checksum
of both, is written under a temporary name and renamed when whole: a killed run loses at most the piece it was
working on, and two runs at once do not disturb each other. Vectors are kept as float16, and a text that was just
encoded is rounded alike, so that a first and a second run give the same links.
"""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arborlink.errors import InputError

_SUFFIX = ".safetensors"


def default_cache_folder() -> Path:
    """``$ARBORLINK_CACHE``, else ``arborlink`` in the user's cache folder.

    Raises:
        InputError: neither is set and the user has no home.
    """
    if configured := os.environ.get("ARBORLINK_CACHE"):
        return Path(configured)
    if users := os.environ.get("XDG_CACHE_HOME"):
        return Path(users) / "arborlink"
    try:
        return Path.home() / ".cache" / "arborlink"
    except RuntimeError as error:
        raise InputError(
            "this user has no home folder to keep embeddings in; set $ARBORLINK_CACHE to a folder, or keep none "
            "with --no-cache"
        ) from error


def text_keys(texts: Sequence[str]) -> NDArray[np.uint64]:
    """A 128-bit hash for each text; uint64, shape (len(texts), 2)."""
    digests = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts
    )
    return np.frombuffer(digests, dtype="<u8").reshape(-1, 2)


class EmbeddingStore:
    """The vectors of one model's texts.

    A folder that cannot be read or written is no reason to stop: what is not found there is encoded again, and the
    first piece that cannot be written ends the writing, with a warning.

    Args:
        folder: where the segments are; made when the first one is written.
        dimension: length of the vectors; a segment of another length is not read.
    """

    def __init__(self, folder: Path, dimension: int) -> None:
        self.folder = folder
        self.dimension = dimension
        self._is_writable = True

    def fill(self, keys: NDArray[np.uint64], vectors: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Copy the vectors of known keys into the rows of ``vectors``; return which rows were filled."""
        filled = np.zeros(len(keys), dtype=bool)
        if not len(keys):
            return filled
        # Sorted by the first half of the hash; the second half confirms a match.
        order = np.argsort(keys[:, 0], kind="stable")
        wanted = keys[order]
        for segment in self._segments():
            places, found = self._find(segment, wanted)
            vectors[order[places]] = found
            filled[order[places]] = True
            if filled.all():
                break
        return filled

    def add(self, keys: NDArray[np.uint64], vectors: NDArray[np.float16]) -> None:
        """Write one more segment; it is there whole or not at all. Warns once if it cannot be written."""
        if not self._is_writable:
            return
        try:
            self._write(keys, vectors)
        except OSError as error:
            self._is_writable = False
            warnings.warn(
                f"{self.folder}: embeddings cannot be kept: {error.strerror or error}; going on without, so the "
                "next run encodes these texts again",
                RuntimeWarning,
                stacklevel=2,
            )

    def _segments(self) -> list[Path]:
        try:
            return sorted(self.folder.glob(f"*{_SUFFIX}"))
        except OSError:
            return []

    def _find(
        self, segment: Path, wanted: NDArray[np.uint64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float16]]:
        """The places in ``wanted`` that a segment answers, and their vectors.

        Nothing comes of a segment that is gone, damaged, or not one of this store's: its texts are encoded again.
        Vectors are only read where a key matches, so that a large store costs a small run little.
        """
        from safetensors import SafetensorError, safe_open

        nothing = np.empty(0, dtype=np.intp), np.empty((0, self.dimension), dtype=np.float16)
        try:
            with safe_open(segment, framework="numpy") as content:
                keys = content.get_tensor("keys")
                if keys.dtype != np.uint64 or keys.ndim != 2 or keys.shape[1] != 2:
                    return nothing
                place = np.minimum(np.searchsorted(wanted[:, 0], keys[:, 0]), len(wanted) - 1)
                is_match = (wanted[place] == keys).all(axis=1)
                if not is_match.any():
                    return nothing
                vectors, checksum = content.get_tensor("vectors"), content.get_tensor("checksum")
        except (OSError, SafetensorError):
            return nothing
        is_ours = vectors.dtype == np.float16 and vectors.shape == (len(keys), self.dimension)
        if not is_ours or not np.array_equal(checksum, _checksum(keys, vectors)):
            return nothing
        return place[is_match], vectors[is_match]

    def _write(self, keys: NDArray[np.uint64], vectors: NDArray[np.float16]) -> None:
        from safetensors.numpy import save

        keys, vectors = np.ascontiguousarray(keys), np.ascontiguousarray(vectors)
        content = save({"keys": keys, "vectors": vectors, "checksum": _checksum(keys, vectors)})
        self.folder.mkdir(parents=True, exist_ok=True)
        name = uuid.uuid4().hex
        partial = self.folder / f".{name}.partial"
        try:
            with partial.open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(self.folder / f"{name}{_SUFFIX}")
        finally:
            partial.unlink(missing_ok=True)


def _checksum(keys: NDArray[np.uint64], vectors: NDArray[np.float16]) -> NDArray[np.uint8]:
    digest = blake2b(keys.tobytes(), digest_size=16)
    digest.update(vectors.tobytes())
    return np.frombuffer(digest.digest(), dtype=np.uint8)
