"""Embeddings kept on disk, text by text, so that nothing is ever encoded twice.

A store is a folder of segments. Each holds the keys of some texts (a hash of the text) and their vectors, is
written under a temporary name and renamed when whole: a killed run loses at most the piece it was working on, and
two runs at once do not disturb each other. Vectors are kept as float16, and a text that was just encoded is rounded
alike, so that a first and a second run give the same links.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def default_cache_folder() -> Path:
    """``$ARBORLINK_CACHE``, else ``arborlink`` in the user's cache folder."""
    if configured := os.environ.get("ARBORLINK_CACHE"):
        return Path(configured)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arborlink"


def text_keys(texts: Sequence[str]) -> NDArray[np.uint64]:
    """A 128-bit hash for each text; uint64, shape (len(texts), 2)."""
    digests = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts
    )
    return np.frombuffer(digests, dtype="<u8").reshape(-1, 2)


class EmbeddingStore:
    """The vectors of one model's texts.

    Args:
        folder: where the segments are; made when the first one is written.
        dimension: length of the vectors; a segment of another length is not read.
    """

    def __init__(self, folder: Path, dimension: int) -> None:
        self.folder = folder
        self.dimension = dimension

    def fill(self, keys: NDArray[np.uint64], vectors: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Copy the vectors of known keys into the rows of ``vectors``; return which rows were filled."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        filled = np.zeros(len(keys), dtype=bool)
        if not len(keys) or not self.folder.is_dir():
            return filled
        # Sorted by the first half of the hash; the second half confirms a match.
        order = np.argsort(keys[:, 0], kind="stable")
        wanted = keys[order]
        for segment in sorted(self.folder.glob("*.safetensors")):
            try:
                content = load_file(segment)
            except (OSError, SafetensorError):
                continue  # removed by another process, or damaged: its texts are encoded again
            kept = content["keys"]
            if content["vectors"].shape != (len(kept), self.dimension):
                continue
            place = np.minimum(np.searchsorted(wanted[:, 0], kept[:, 0]), len(wanted) - 1)
            match = (wanted[place] == kept).all(axis=1)
            rows = order[place[match]]
            vectors[rows] = content["vectors"][match]
            filled[rows] = True
            if filled.all():
                break
        return filled

    def add(self, keys: NDArray[np.uint64], vectors: NDArray[np.float16]) -> None:
        """Write one more segment; it is there whole or not at all."""
        from safetensors.numpy import save_file

        self.folder.mkdir(parents=True, exist_ok=True)
        name = uuid.uuid4().hex
        partial = self.folder / f".{name}.partial"
        try:
            save_file({"keys": np.ascontiguousarray(keys), "vectors": np.ascontiguousarray(vectors)}, partial)
            partial.replace(self.folder / f"{name}.safetensors")
        finally:
            partial.unlink(missing_ok=True)
