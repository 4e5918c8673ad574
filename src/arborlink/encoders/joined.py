"""Several trained models as one: an affinity is the weighted mean of those of its parts.

Models that were trained apart, on other bases or with other settings, make other mistakes. Here the vectors of the
parts stand side by side, each times the square root of its part's share, so that inner products are the weighted mean
of the parts' own: search, graph, votes and workspaces need not know. Each part reads with its own tokenizer, markers
and lengths.

Only towers are joined. The comparison of names has one share beside all of them together, as it has beside the towers
of one model (:mod:`arborlink.encoders.blended`): with a comparison in each part, every view of a name in one would be
crossed with every view in the others, and say the same.

:mod:`arborlink.encoders.joining` makes the folder of such a model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings, Texts
from arborlink.encoders.joined_settings import checked_shares, joined_fingerprint
from arborlink.encoders.side_by_side import (
    all_crossed,
    all_distinct,
    joined_texts,
    parted_texts,
    side_by_side,
)
from arborlink.encoders.towers import TowerEncoder
from arborlink.encoders.views import Markers
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels

# White space to Python, as the sign between towers and names, but another one: both may be in a text.
_BETWEEN = "\x1d"


class JoinedTowers:
    """The towers of several models side by side.

    An entity that has several views in some parts has each of them with each of the others' here: its affinity is
    then the mean of what is best in each part.

    Args:
        parts: the towers of each model, two or more.
        shares: of the parts in an affinity; above 0, with a sum of 1.

    Raises:
        InputError: the shares are not such.
    """

    def __init__(self, parts: Sequence[TowerEncoder], shares: Sequence[float]) -> None:
        self.parts = tuple(parts)
        self.shares = checked_shares(shares, len(self.parts))

    @property
    def markers(self) -> Markers:
        """The special tokens of the first part: who makes texts of other kinds, such as pairs, needs some."""
        return self.parts[0].markers

    @property
    def fingerprint(self) -> str:
        """Names the weights and settings that decide the vectors."""
        return joined_fingerprint([part.fingerprint for part in self.parts], self.shares)

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """One vector for each distinct tuple of windows."""
        return joined_embeddings([part.encode_mentions(corpus) for part in self.parts], self.shares)

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """One vector for each distinct tuple of texts; of all entities, whatever the documents."""
        return joined_embeddings([part.encode_entities(kb) for part in self.parts], self.shares)

    @property
    def entity_texts_need_corpus(self) -> bool:
        """An entity is read whatever the documents."""
        return False

    def mention_texts(self, corpus: Corpus) -> Texts:
        """The windows of each mention."""
        return _joined([part.mention_texts(corpus) for part in self.parts])

    def entity_texts(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Texts:
        """The texts of each entity; of all of them, whatever the documents."""
        return _joined([part.entity_texts(kb) for part in self.parts])

    def encode_mention_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of what :meth:`mention_texts` gives."""
        own, tuples = parted_texts(texts, len(self.parts), _BETWEEN)
        read = zip(self.parts, own, strict=True)
        return side_by_side([part.encode_mention_texts(each) for part, each in read], tuples, self.shares)

    def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of what :meth:`entity_texts` gives."""
        own, tuples = parted_texts(texts, len(self.parts), _BETWEEN)
        read = zip(self.parts, own, strict=True)
        return side_by_side([part.encode_entity_texts(each) for part, each in read], tuples, self.shares)


def joined_embeddings(parts: Sequence[Embeddings], shares: Sequence[float]) -> Embeddings:
    """Vectors whose affinities are the weighted mean of the parts'; every part has vectors of the same items."""
    columns, offsets = all_crossed(parts)
    tuples, rows = all_distinct(columns)
    return Embeddings(side_by_side([part.vectors for part in parts], tuples, shares), rows, offsets)


def _joined(parts: Sequence[Texts]) -> Texts:
    columns, offsets = all_crossed(parts)
    tuples, rows = all_distinct(columns)
    return Texts(joined_texts([part.texts for part in parts], tuples, _BETWEEN), rows, offsets)
