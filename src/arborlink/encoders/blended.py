"""Two opinions in one vector: what trained towers make of a mention in its context, and what its string alone says.

Towers know the entities they were trained on; of others they know too little to do without the spelling of names. So
a vector is two parts side by side, weighted such that inner products are the weighted mean of the two affinities:
``(1 - share) · towers + share · names``. The second part is that of :class:`~arborlink.encoders.names.NameEncoder`
and needs no training. Of an entity with several names the nearest counts; one whose names are all unlike the
mention's string gets 0 for them, not less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings, Encoder, Texts
from arborlink.encoders.joined import JoinedTowers
from arborlink.encoders.names import NameEncoder
from arborlink.encoders.side_by_side import (
    crossed,
    distinct_pairs,
    joined_texts,
    parted_texts,
    side_by_side,
)
from arborlink.encoders.towers import TowerEncoder
from arborlink.encoders.views import Markers
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels

# White space to Python: no text that either encoder reads has it.
_BETWEEN = "\x1f"


class BlendedEncoder:
    """Towers and names side by side.

    Args:
        towers: reads mentions in context, and entities; of one model, or of several joined.
        names: compares strings.
        share: of the names in an affinity, more than 0 and less than 1.
    """

    def __init__(self, towers: TowerEncoder | JoinedTowers, names: NameEncoder, share: float) -> None:
        if not 0 < share < 1:
            raise ValueError(f"the share of names is {share}; it must lie between 0 and 1")
        self.towers = towers
        self.names = names
        self.share = share

    @property
    def markers(self) -> Markers:
        """The special tokens of the towers."""
        return self.towers.markers

    @property
    def fingerprint(self) -> str:
        """Names the weights and settings that decide the vectors."""
        settings = f"blended 1 {self.towers.fingerprint} {self.names.fingerprint} {self.share}"
        return blake2b(settings.encode(), digest_size=12).hexdigest()

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """One vector for each distinct pair of window and string."""
        return blended_mentions(
            self.towers.encode_mentions(corpus), self.names.encode_mentions(corpus), self.share
        )

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """A vector of each entity's text, and one with each of its names that a mention of ``corpus`` is near to."""
        return blended_entities(
            self.towers.encode_entities(kb), self.names.encode_entities(kb, corpus, labels), self.share
        )

    @property
    def entity_texts_need_corpus(self) -> bool:
        """Whether names are encoded only if a mention is near to them by spelling."""
        return self.names.entity_texts_need_corpus

    def mention_texts(self, corpus: Corpus) -> Texts:
        """The window of each mention and its string."""
        towers, names = self.towers.mention_texts(corpus), self.names.mention_texts(corpus)
        pairs, rows = distinct_pairs(towers.rows, names.rows)
        return Texts.one_each(joined_texts((towers.texts, names.texts), pairs, _BETWEEN), rows)

    def entity_texts(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Texts:
        """The text of each entity, alone and with each of its names."""
        towers, names = self.towers.entity_texts(kb), self.names.entity_texts(kb, corpus, labels)
        views, offsets = crossed(towers, names, or_nothing=True)
        pairs, rows = distinct_pairs(*views)
        return Texts(joined_texts((towers.texts, names.texts), pairs, _BETWEEN), rows, offsets)

    def encode_mention_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of what :meth:`mention_texts` gives."""
        (windows, strings), pairs = parted_texts(texts, 2, _BETWEEN)
        towers, names = self.towers.encode_mention_texts(windows), self.names.encode_mention_texts(strings)
        return _side_by_side(towers, names, pairs, self.share)

    def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of what :meth:`entity_texts` gives."""
        (read, strings), pairs = parted_texts(texts, 2, _BETWEEN)
        towers, names = self.towers.encode_entity_texts(read), self.names.encode_entity_texts(strings)
        return _side_by_side(towers, names, pairs, self.share)


@dataclass(frozen=True)
class NamesBeside:
    """The part of names of some mentions and entities, to be put beside the vectors that towers in training make.

    Args:
        mentions: vectors of the mentions' strings.
        entities: vectors of the entities' names.
        share: of the names in an affinity.
    """

    mentions: Embeddings
    entities: Embeddings
    share: float

    @classmethod
    def of(
        cls, names: Encoder, share: float, corpus: Corpus, kb: KnowledgeBase, labels: Labels | None
    ) -> NamesBeside:
        """Encode them; ``labels`` say which mentions may meet which entities."""
        return cls(names.encode_mentions(corpus), names.encode_entities(kb, corpus, labels), share)

    def beside(self, mentions: Embeddings, entities: Embeddings) -> tuple[Embeddings, Embeddings]:
        """Vectors of both kinds side by side."""
        return (
            blended_mentions(mentions, self.mentions, self.share),
            blended_entities(entities, self.entities, self.share),
        )


def blended_mentions(towers: Embeddings, names: Embeddings, share: float) -> Embeddings:
    """Vectors whose inner products are the weighted mean of both; each item has one vector in either."""
    pairs, rows = distinct_pairs(towers.rows, names.rows)
    return Embeddings.one_each(_side_by_side(towers.vectors, names.vectors, pairs, share), rows)


def blended_entities(towers: Embeddings, names: Embeddings, share: float) -> Embeddings:
    """The same for items with any number of vectors: each of the one with each of the other, and with none."""
    views, offsets = crossed(towers, names, or_nothing=True)
    pairs, rows = distinct_pairs(*views)
    return Embeddings(_side_by_side(towers.vectors, names.vectors, pairs, share), rows, offsets)


def _side_by_side(
    towers: NDArray[np.float32], names: NDArray[np.float32], pairs: NDArray[np.int64], share: float
) -> NDArray[np.float32]:
    return side_by_side((towers, names), pairs, (1 - share, share))
