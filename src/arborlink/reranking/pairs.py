"""Pairs of a mention and an entity as token ids: each text is tokenised once, pairs are put together from arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.sequences import Sequences, like_lengths, padded_length
from arborlink.errors import ModelError

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class PairChunk:
    """Some pairs padded to one length.

    Args:
        places: int64, shape (n,): which of the pairs that were asked for.
        ids: int32, shape (n, length), padded at the end.
        n_first: int64, shape (n,): tokens of the mention, those that close it included.
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


@dataclass(frozen=True)
class PairTexts:
    """The texts that pairs are made of.

    Args:
        mentions: token ids of mentions, special tokens included.
        entities: token ids of entities as the second of a pair, special tokens included.
        has_types: the network tells the texts of a pair apart by token types.
    """

    mentions: Sequences
    entities: Sequences
    has_types: bool

    @classmethod
    def of(cls, mentions: Sequences, entities: Sequences, joint: Joint, has_types: bool) -> PairTexts:
        """From texts that were tokenised each on its own: ``[CLS] mention [SEP]`` and ``[CLS] entity [SEP]``."""
        return cls(mentions, _as_second(entities, joint), has_types)

    def lengths(self, mention_rows: Rows, entity_rows: Rows) -> Rows:
        """Tokens of each pair; int64, shape (n_pairs,)."""
        return self.mentions.lengths[mention_rows] + self.entities.lengths[entity_rows]

    def padded(self, mention_rows: Rows, entity_rows: Rows, places: Rows) -> PairChunk:
        """The pairs at these places, padded to the longest of them."""
        mention_rows, entity_rows = mention_rows[places], entity_rows[places]
        n_first = self.mentions.lengths[mention_rows]
        n_all = n_first + self.entities.lengths[entity_rows]
        columns = np.arange(padded_length(n_all))
        in_first = columns < n_first[:, None]
        in_second = (columns < n_all[:, None]) & ~in_first
        ids = np.full(in_first.shape, self.mentions.padding, dtype=np.int32)
        ids[in_first] = self.mentions.tokens[
            (self.mentions.offsets[mention_rows][:, None] + columns)[in_first]
        ]
        starts = self.entities.offsets[entity_rows] - n_first
        ids[in_second] = self.entities.tokens[(starts[:, None] + columns)[in_second]]
        return PairChunk(places, ids, n_first, n_all)

    def chunks(
        self, mention_rows: Rows, entity_rows: Rows, max_tokens: int = 0, per_chunk: int = 0
    ) -> list[PairChunk]:
        """The pairs in chunks of like length, longest first; see :meth:`Sequences.chunks`."""
        parts = like_lengths(self.lengths(mention_rows, entity_rows), max_tokens, per_chunk)
        return [self.padded(mention_rows, entity_rows, places) for places in parts]


def _as_second(texts: Sequences, joint: Joint) -> Sequences:
    """Other special tokens before each text."""
    lengths = texts.lengths - joint.n_before + len(joint.between)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = np.empty(int(offsets[-1]), dtype=np.int32)
    place = np.arange(len(tokens)) - np.repeat(offsets[:-1], lengths)
    is_between = place < len(joint.between)
    tokens[is_between] = np.array(joint.between, dtype=np.int32)[place[is_between]]
    source = np.repeat(texts.offsets[:-1] + joint.n_before - len(joint.between), lengths) + place
    tokens[~is_between] = texts.tokens[source[~is_between]]
    return Sequences(tokens, offsets, texts.padding)
