"""Token ids of many texts, kept as one array and padded only as far as a batch needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.text_encoder import as_unicode
from arborlink.progress import progress_bar

# Lengths are rounded up to a multiple of this: matrix units like it, and few shapes occur.
_MULTIPLE = 8
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

    def taken(self, rows: NDArray[np.int64]) -> Sequences:
        """These texts alone, in this order."""
        lengths = self.lengths[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.repeat(self.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Sequences(self.tokens[places], offsets, self.padding)

    def since(self, first: int) -> Sequences:
        """The texts from number ``first`` on."""
        offsets = self.offsets[first:]
        return Sequences(self.tokens[offsets[0] :], offsets - offsets[0], self.padding)

    def joined(self, *others: Sequences) -> Sequences:
        """These texts, then those of the others."""
        each = [self, *others]
        lengths = np.concatenate([texts.lengths for texts in each])
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Sequences(np.concatenate([texts.tokens for texts in each]), offsets, self.padding)

    def padded(self, rows: NDArray[np.int64]) -> Chunk:
        """These texts, padded to the longest of them."""
        lengths = self.lengths[rows]
        columns = np.arange(padded_length(lengths))
        mask = columns < lengths[:, None]
        ids = np.full(mask.shape, self.padding, dtype=np.int64)
        ids[mask] = self.tokens[(self.offsets[rows][:, None] + columns)[mask]]
        return Chunk(rows, ids, mask.astype(np.int64))

    def chunks(self, rows: NDArray[np.int64], max_tokens: int = 0, per_chunk: int = 0) -> list[Chunk]:
        """These texts in chunks of like length, longest first, so that little is spent on padding.

        Args:
            rows: which texts.
            max_tokens: how many tokens a chunk may hold, padding included; 0 sets no limit.
            per_chunk: what a chunk costs besides its tokens, in tokens: many small ones keep an accelerator waiting.
        """
        return [self.padded(rows[own]) for own in like_lengths(self.lengths[rows], max_tokens, per_chunk)]


def padded_length(lengths: NDArray[np.int64]) -> int:
    """The length that texts of these lengths are padded to."""
    return -(-max(1, int(lengths.max(initial=1))) // _MULTIPLE) * _MULTIPLE


def like_lengths(
    lengths: NDArray[np.int64], max_tokens: int = 0, per_chunk: int = 0
) -> list[NDArray[np.int64]]:
    """Places of texts of like length, longest first; arguments as those of :meth:`Sequences.chunks`."""
    classes = -(-np.maximum(1, lengths) // _MULTIPLE) * _MULTIPLE
    order = np.argsort(-classes, kind="stable")
    classes = classes[order]
    parts: list[NDArray[np.int64]] = []
    for start, stop in pairwise(_cheapest_cuts(classes, per_chunk)):
        step = max(1, max_tokens // int(classes[start])) if max_tokens else stop - start
        parts += [order[place : min(stop, place + step)] for place in range(start, stop, step)]
    return parts


def _cheapest_cuts(classes: NDArray[np.int64], per_chunk: int) -> list[int]:
    """Where to cut texts of descending length classes so that padded tokens and chunks cost least; 0 and n included.

    One class after the other: the best way to cut what comes before it is known by then.
    """
    if not len(classes):
        return [0]
    bounds = [0, *(np.flatnonzero(np.diff(classes)) + 1).tolist(), len(classes)]
    best: list[tuple[int, list[int]]] = [(0, [0])]
    for stop in range(1, len(bounds)):
        ways = (
            (
                best[start][0] + (bounds[stop] - bounds[start]) * int(classes[bounds[start]]) + per_chunk,
                [*best[start][1], bounds[stop]],
            )
            for start in range(stop)
        )
        best.append(min(ways))
    return best[-1][1]
