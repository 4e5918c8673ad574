"""Token ids of many texts, kept as one array and padded only as far as a batch needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.text_encoder import as_unicode
from arborlink.progress import progress_bar

# Lengths are rounded up to a multiple of this: matrix units like it, and few shapes occur.
_MULTIPLE = 8
# Texts of one length class that are worth a batch of their own; fewer are padded into the next longer class.
_FEWEST = 256
# Texts tokenised between two steps of the progress bar.
_PIECE = 16384


@dataclass(frozen=True)
class Chunk:
    """Some texts padded to one length.

    Args:
        rows: int64, shape (n,): which texts.
        ids: int64, shape (n, length), padded at the end.
        mask: int64, the same shape, 1 where there is a token.
    """

    rows: NDArray[np.int64]
    ids: NDArray[np.int64]
    mask: NDArray[np.int64]


@dataclass(frozen=True)
class Sequences:
    """Token ids of texts, special tokens included.

    Args:
        tokens: int32, the ids of text 0, then those of text 1, and so on.
        offsets: int64, shape (n_texts + 1,).
        padding: the id that fills up.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    padding: int

    @classmethod
    def of(
        cls, texts: Sequence[str], tokenizer: Any, max_length: int, what: str, progress: bool | None = None
    ) -> Sequences:
        """Tokenise the texts, each cut to ``max_length`` tokens."""
        ids: list[NDArray[np.int32]] = []
        with progress_bar(f"Tokenising {what}", len(texts), progress) as advance:
            for start in range(0, len(texts), _PIECE):
                piece = [as_unicode(text) for text in texts[start : start + _PIECE]]
                found = tokenizer(piece, truncation=True, max_length=max_length)["input_ids"]
                ids += [np.array(own, dtype=np.int32) for own in found]
                advance(len(piece))
        lengths = np.array([len(own) for own in ids], dtype=np.int64)
        tokens = np.concatenate(ids) if ids else np.empty(0, dtype=np.int32)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(tokens, offsets, int(tokenizer.pad_token_id or 0))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each text; int64, shape (n_texts,)."""
        return np.diff(self.offsets)

    def padded(self, rows: NDArray[np.int64]) -> Chunk:
        """These texts, padded to the longest of them."""
        lengths = self.lengths[rows]
        width = -(-max(1, int(lengths.max(initial=1))) // _MULTIPLE) * _MULTIPLE
        columns = np.arange(width)
        mask = columns < lengths[:, None]
        places = np.minimum(self.offsets[rows][:, None] + columns, max(0, len(self.tokens) - 1))
        ids = np.where(mask, self.tokens[places], self.padding).astype(np.int64)
        return Chunk(rows, ids, mask.astype(np.int64))

    def chunks(self, rows: NDArray[np.int64], max_tokens: int = 0) -> list[Chunk]:
        """These texts in chunks of like length, longest first.

        Args:
            rows: which texts.
            max_tokens: how many tokens a chunk may hold, padding included; 0 sets no limit.
        """
        classes = -(-self.lengths[rows] // _MULTIPLE) * _MULTIPLE
        order = np.argsort(-classes, kind="stable")
        rows, classes = rows[order], classes[order]
        chunks: list[Chunk] = []
        start = 0
        while start < len(rows):
            # up to the end of this length class, or as far as makes it worth a chunk
            stop = max(int(np.searchsorted(-classes, -classes[start], side="right")), start + _FEWEST)
            if max_tokens:
                stop = min(stop, start + max(1, max_tokens // max(1, int(classes[start]))))
            chunks.append(self.padded(rows[start:stop]))
            start = stop
        return chunks
