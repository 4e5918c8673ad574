"""Windows with a part taken out: the context, so that the name must do, or the name, so that the context must."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.sequences import Sequences
from arborlink.encoders.views import Markers
from arborlink.errors import InputError


@dataclass(frozen=True)
class Masking:
    """Takes parts out of windows that are token ids already.

    A window whose markers were cut off stays as it is.

    Args:
        start: the id of the marker before a mention.
        end: the id of the one behind it.
        mask: the id that stands for a name that was taken out.
        n_before: tokens that the tokenizer puts before every text.
        n_after: tokens that it puts behind.
    """

    start: int
    end: int
    mask: int
    n_before: int
    n_after: int

    @classmethod
    def of(cls, tokenizer: Any, markers: Markers, names: bool = True) -> Masking:
        """As this tokenizer writes windows.

        Args:
            tokenizer: the mention tower's.
            markers: the special tokens.
            names: whether names are to be taken out.

        Raises:
            InputError: names are, and the tokenizer has neither a mask nor an unknown token.
        """
        known = (tokenizer.mask_token_id, tokenizer.unk_token_id)
        mask = next((id_ for id_ in known if id_ is not None), None)
        if mask is None and names:
            raise InputError(
                "the base model has neither a mask nor an unknown token for a mention's words; set "
                "objective.name_dropout to 0, or choose another encoder.base"
            )
        start, end = tokenizer.convert_tokens_to_ids([markers.start, markers.end])
        ids = tokenizer(f"{markers.start} {markers.end}")["input_ids"]
        return cls(start, end, -1 if mask is None else mask, ids.index(start), len(ids) - 1 - ids.index(end))

    def without_context(self, texts: Sequences, rows: NDArray[np.int64]) -> Sequences:
        """These windows cut down to the marked mention."""
        texts = texts.taken(rows)
        place, first, last, length = self._places(texts)
        is_own = (place < self.n_before) | (place >= length - self.n_after)
        return _kept(texts, texts.tokens, is_own | ((first <= place) & (place <= last)) | (last < 0))

    def without_name(self, texts: Sequences, rows: NDArray[np.int64]) -> Sequences:
        """These windows with one mask token between the markers."""
        texts = texts.taken(rows)
        place, first, last, _ = self._places(texts)
        is_inside = (first < place) & (place < last)
        tokens = np.where(is_inside, np.int32(self.mask), texts.tokens)
        return _kept(texts, tokens, ~is_inside | (place == first + 1))

    def _places(self, texts: Sequences) -> tuple[NDArray[np.int64], ...]:
        """Of each token: its place in its text, the places of the markers there, the text's length.

        Both markers are at -1 where one is missing.
        """
        owner = np.repeat(np.arange(len(texts)), texts.lengths)
        place = np.arange(len(texts.tokens)) - texts.offsets[owner]
        markers = np.full((2, len(texts)), -1, dtype=np.int64)
        for own, id_ in zip(markers, (self.start, self.end), strict=True):
            is_marker = texts.tokens == id_
            own[owner[is_marker]] = place[is_marker]
        markers[:, markers.min(axis=0, initial=0) < 0] = -1
        return place, markers[0][owner], markers[1][owner], texts.lengths[owner]


def _kept(texts: Sequences, tokens: NDArray[np.int32], is_kept: NDArray[np.bool_]) -> Sequences:
    """The texts with these tokens, but only those that are kept."""
    n_kept = np.concatenate([[0], np.cumsum(is_kept)]).astype(np.int64)
    return Sequences(tokens[is_kept], n_kept[texts.offsets], texts.padding)
