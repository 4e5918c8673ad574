"""Strings to vectors with a transformer: batches of like length, every text once, everything kept on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.cache import EmbeddingStore, text_keys
from arborlink.encoders.fingerprint import model_fingerprint
from arborlink.errors import ModelError
from arborlink.progress import Advance, progress_bar

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

# Tokens in a batch. On a CPU the activations should stay in the cache; an accelerator wants to be filled.
_CPU_TOKENS, _ACCELERATOR_TOKENS = 1024, 65536
# Texts between two writes to disk: some seconds of work on a CPU.
_PIECE = 8192


class TextEncoder:
    """A sentence-transformers model, run on each distinct text once.

    Prompts that a model may define are not put before the texts.

    Args:
        model: the model, on its device.
        name: what to call it in messages.
        max_length: tokens of a text that count, special tokens included; the rest is cut off.
        cache: folder for the embedding store; ``None`` keeps nothing.
        progress: show a bar; ``None`` shows it on a terminal only.
    """

    def __init__(
        self,
        model: SentenceTransformer,
        name: str,
        max_length: int | None = None,
        cache: Path | None = None,
        progress: bool | None = None,
    ) -> None:
        if not callable(getattr(model, "tokenizer", None)):
            raise ModelError(f"model {name!r} does not read text with a transformer; choose one that does")
        self.model = model.eval()
        self.name = name
        self.max_length = max_length or int(model.max_seq_length or 512)
        self.progress = progress
        self.fingerprint = model_fingerprint(model, self.max_length)
        dimension = model.get_embedding_dimension()
        if dimension is None:
            raise ModelError(f"model {name!r} does not say how long its vectors are")
        self.dimension = int(dimension)
        self._store = None if cache is None else EmbeddingStore(cache / self.fingerprint, self.dimension)
        self.n_encoded = 0

    @property
    def tokenizer(self) -> Any:
        """The model's tokenizer."""
        return self.model.tokenizer

    @property
    def device(self) -> str:
        """Where the model runs."""
        return str(self.model.device)

    @property
    def ignores_case(self) -> bool:
        """Whether upper and lower case give the same tokens."""
        return bool(self.tokenizer("Aa Bb")["input_ids"] == self.tokenizer("aa bb")["input_ids"])

    def encode(self, texts: Sequence[str], what: str) -> NDArray[np.float32]:
        """Vectors of the texts, float32, shape (len(texts), dimension).

        Args:
            texts: distinct strings; a repeated one is encoded again.
            what: names them on the progress bar.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        keys = text_keys(texts)
        missing = np.arange(len(texts))
        if self._store is not None:
            missing = np.flatnonzero(~self._store.fill(keys, vectors))
        with progress_bar(f"Encoding {what}", len(missing), self.progress) as advance:
            for piece in self._pieces([texts[row] for row in missing.tolist()]):
                rows = missing[piece]
                fresh = self._encode_piece([texts[row] for row in rows.tolist()], advance)
                vectors[rows] = fresh
                self.n_encoded += len(rows)
                if self._store is not None:
                    self._store.add(keys[rows], fresh)
        return vectors

    def _pieces(self, texts: Sequence[str]) -> Iterator[NDArray[np.int64]]:
        """Positions of the texts in pieces worth a write, long texts first: the bar then never runs late."""
        order = np.argsort([-len(text) for text in texts], kind="stable")
        for start in range(0, len(order), _PIECE):
            yield order[start : start + _PIECE]

    def _encode_piece(self, texts: Sequence[str], advance: Advance) -> NDArray[np.float16]:
        """Vectors of the texts; a text in which the tokenizer finds no token at all is near to nothing."""
        readable = [as_unicode(text) for text in texts]
        ids = self.tokenizer(readable, truncation=True, max_length=self.max_length)["input_ids"]
        order = sorted((row for row in range(len(ids)) if ids[row]), key=lambda row: -len(ids[row]))
        budget = _CPU_TOKENS if self.model.device.type == "cpu" else _ACCELERATOR_TOKENS
        out = np.zeros((len(texts), self.dimension), dtype=np.float16)
        advance(len(ids) - len(order))
        position = 0
        while position < len(order):
            batch = order[position : position + max(1, budget // len(ids[order[position]]))]
            position += len(batch)
            out[batch] = self._encode_batch([ids[row] for row in batch])
            advance(len(batch))
        return out

    def _encode_batch(self, ids: list[list[int]]) -> NDArray[np.float16]:
        import torch

        with torch.inference_mode():
            features = {key: value.to(self.model.device) for key, value in self._pad(ids).items()}
            exact = self.model(features)["sentence_embedding"].float().cpu().numpy()
        with np.errstate(over="ignore"):  # told below
            vectors: NDArray[np.float16] = exact.astype(np.float16)
        if not np.isfinite(vectors).all():
            raise ModelError(
                f"model {self.name!r} makes vectors that are not finite numbers of half precision; its weights may "
                "be damaged"
            )
        return vectors

    def _pad(self, ids: list[list[int]]) -> dict[str, Any]:
        import torch

        length = len(ids[0])
        lengths = np.array([len(row) for row in ids])
        mask = np.arange(length) < lengths[:, None]
        padded = np.full((len(ids), length), self.tokenizer.pad_token_id or 0, dtype=np.int64)
        padded[mask] = np.concatenate([np.asarray(row, dtype=np.int64) for row in ids])
        return {
            "input_ids": torch.from_numpy(padded),
            "attention_mask": torch.from_numpy(mask.astype(np.int64)),
        }


def as_unicode(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair: JSON can hold them, tokenizers cannot."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
