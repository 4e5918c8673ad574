"""Pairs of a mention and an entity as token ids: each text is tokenised once, pairs are put together from arrays.

A pair is a row of text numbers: that of the mention, of the opening of its document, of the entity, and of each
passage about it. What a row lacks is -1 and takes no tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.sequences import Sequences, like_lengths, padded_length
from arborlink.errors import ModelError

Rows = NDArray[np.int64]
# The columns of a row; passages come last.
MENTION, OPENING, ENTITY, PASSAGES = 0, 1, 2, 3


@dataclass(frozen=True)
class PairChunk:
    """Some pairs padded to one length.

    Args:
        places: int64, shape (n,): which of the pairs that were asked for.
        ids: int32, shape (n, length), padded at the end.
        n_first: int64, shape (n,): tokens of the mention and the opening, those that close them included.
        n_all: int64, shape (n,): tokens of the pair.
    """

    places: Rows
    ids: NDArray[np.int32]
    n_first: Rows
    n_all: Rows


@dataclass(frozen=True)
class Joint:
    """How a tokenizer joins two texts, told by what it does with two letters.

    Args:
        n_before: special tokens before a text that stands alone.
        between: special tokens that stand between two texts besides those that close the first.
    """

    n_before: int
    between: tuple[int, ...]

    @classmethod
    def of(cls, tokenizer: Any) -> Joint:
        """Find it out.

        Raises:
            ModelError: pairs of this tokenizer are not the one text followed by the other.
        """
        plain = [list(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in ("a", "b")]
        first, second = (list(tokenizer(text)["input_ids"]) for text in ("a", "b"))
        pair = list(tokenizer("a", "b")["input_ids"])
        for n_before in range(len(first) - len(plain[0]) + 1):
            tail = second[n_before:]
            between = pair[len(first) : len(pair) - len(tail)]
            if (
                first[n_before : n_before + len(plain[0])] == plain[0]
                and tail[: len(plain[1])] == plain[1]
                and pair == [*first, *between, *tail]
            ):
                return cls(n_before, tuple(between))
        raise ModelError(
            "the tokenizer joins two texts in a way of its own; choose a base model whose pairs are the one text "
            "followed by the other, such as a BERT, RoBERTa or MPNet"
        )

    def as_next(self, texts: Sequences) -> Sequences:
        """Texts that were tokenised each on its own, ``[CLS] text [SEP]``, as they follow another text."""
        lengths = texts.lengths - self.n_before + len(self.between)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        tokens = np.empty(int(offsets[-1]), dtype=np.int32)
        place = np.arange(len(tokens)) - np.repeat(offsets[:-1], lengths)
        is_between = place < len(self.between)
        tokens[is_between] = np.array(self.between, dtype=np.int32)[place[is_between]]
        source = np.repeat(texts.offsets[:-1] + self.n_before - len(self.between), lengths) + place
        tokens[~is_between] = texts.tokens[source[~is_between]]
        return Sequences(tokens, offsets, texts.padding)


@dataclass(frozen=True)
class PairTexts:
    """The texts that pairs are made of, special tokens included.

    Args:
        mentions: token ids of mentions in their windows.
        openings: of the openings of documents, as they follow another text.
        entities: of entities, likewise.
        passages: of passages about entities, likewise.
        has_types: the network tells the two sides of a pair apart by token types.
    """

    mentions: Sequences
    openings: Sequences
    entities: Sequences
    passages: Sequences
    has_types: bool

    def lengths(self, rows: Rows) -> Rows:
        """Tokens of each pair; int64, shape (n_pairs,)."""
        n_all = np.zeros(len(rows), dtype=np.int64)
        for texts, own in self._parts(rows):
            n_all += _lengths(texts, own)
        return n_all

    def padded(self, rows: Rows, places: Rows) -> PairChunk:
        """The pairs at these places, padded to the longest of them.

        Args:
            rows: text numbers, shape (n_pairs, 3 + passages); -1 for none.
            places: which of them.
        """
        rows = rows[places]
        columns = np.arange(padded_length(self.lengths(rows)))
        ids = np.full((len(rows), len(columns)), self.mentions.padding, dtype=np.int32)
        n_all = np.zeros(len(rows), dtype=np.int64)
        n_first = n_all
        for number, (texts, own) in enumerate(self._parts(rows)):
            if number == ENTITY:
                n_first = n_all
            lengths = _lengths(texts, own)
            place = columns - n_all[:, None]
            is_there = (place >= 0) & (place < lengths[:, None])
            ids[is_there] = texts.tokens[(texts.offsets[own][:, None] + place)[is_there]]
            n_all = n_all + lengths
        return PairChunk(places, ids, n_first, n_all)

    def chunks(self, rows: Rows, max_tokens: int = 0, per_chunk: int = 0) -> list[PairChunk]:
        """The pairs in chunks of like length, longest first; see :meth:`Sequences.chunks`."""
        parts = like_lengths(self.lengths(rows), max_tokens, per_chunk)
        return [self.padded(rows, places) for places in parts]

    def _parts(self, rows: Rows) -> list[tuple[Sequences, Rows]]:
        """What each column is a number of."""
        first = (self.mentions, self.openings, self.entities)
        kinds = [*first, *[self.passages] * (rows.shape[1] - PASSAGES)]
        return [(texts, rows[:, column]) for column, texts in enumerate(kinds)]


def _lengths(texts: Sequences, own: Rows) -> Rows:
    # one more text, of no tokens, is where -1 looks
    found: Rows = np.append(texts.lengths, 0)[own]
    return found
