"""What the linker asks of an encoder, and the vectors it gets back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Vectors, and which of them stand for which item.

    An item (a mention or an entity) may have several vectors, one for each of its names, say; its affinity to
    another item is then that of the best pair. Items may share vectors: equal strings are encoded once. An item
    without any vector is near to nothing.

    Args:
        vectors: float32, shape (n_rows, dimension).
        rows: int32, shape (n_views,): the vectors of item 0, then those of item 1, and so on.
        offsets: int64, shape (n_items + 1,): item i owns ``rows[offsets[i]:offsets[i + 1]]``.
    """

    vectors: NDArray[np.float32]
    rows: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def one_each(cls, vectors: NDArray[np.float32], rows: NDArray[np.int32] | None = None) -> Embeddings:
        """One vector for each item: vector ``rows[i]`` for item i, vector i if ``rows`` is not given."""
        rows = np.arange(len(vectors), dtype=np.int32) if rows is None else rows
        return cls(vectors, rows, np.arange(len(rows) + 1, dtype=np.int64))

    @property
    def n_items(self) -> int:
        """How many mentions or entities the vectors stand for."""
        return len(self.offsets) - 1

    @property
    def item_of_view(self) -> NDArray[np.int32]:
        """For each entry of ``rows``, the item it belongs to; int32, shape (n_views,)."""
        return np.repeat(np.arange(self.n_items, dtype=np.int32), np.diff(self.offsets))

    @property
    def views(self) -> NDArray[np.int64]:
        """For each entry of ``rows`` one number: the item in the upper half, the row in the lower."""
        return (self.item_of_view.astype(np.int64) << 32) | self.rows.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Texts:
    """What an encoder reads of each item: :class:`Embeddings` with texts where the vectors will be.

    Args:
        texts: distinct strings.
        rows: int32, shape (n_views,): the texts of item 0, then those of item 1, and so on.
        offsets: int64, shape (n_items + 1,): item i owns ``rows[offsets[i]:offsets[i + 1]]``.
    """

    texts: list[str]
    rows: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def one_each(cls, texts: list[str], rows: NDArray[np.int32]) -> Texts:
        """One text for each item: text ``rows[i]`` for item i."""
        return cls(texts, rows, np.arange(len(rows) + 1, dtype=np.int64))

    def encoded(self, vectors: NDArray[np.float32]) -> Embeddings:
        """The same with a vector for each text."""
        return Embeddings(vectors, self.rows, self.offsets)


@runtime_checkable
class Encoder(Protocol):
    """Turns mentions and entities into vectors whose inner product is their affinity.

    Mentions get exactly one vector each, entities any number. ``fingerprint`` changes whenever the vectors could.
    """

    @property
    def fingerprint(self) -> str:
        """Names the weights and settings that decide the vectors."""
        ...

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """Vectors of ``corpus.mentions``, in their order, one for each."""
        ...

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """Vectors of ``kb.entities``, in their order.

        Args:
            kb: the knowledge base.
            corpus: the documents that will be linked, if known: an encoder may then spare itself those views of an
                entity that none of their mentions can be near to.
            labels: which mentions of the corpus may meet which entities, if not all may: a mention must not lose
                the entities it may meet to nearer ones it may not.
        """
        ...


@runtime_checkable
class TextualEncoder(Encoder, Protocol):
    """An encoder that tells the texts it reads, so that who keeps vectors never needs to encode a text twice.

    ``encode_mentions`` must give what ``mention_texts`` and ``encode_mention_texts`` give together, and so for
    entities. The texts of a mention depend on its own document alone.
    """

    @property
    def entity_texts_need_corpus(self) -> bool:
        """Whether ``entity_texts`` leaves out texts that no mention of the corpus is near to.

        Then each mention keeps its own: the texts for two corpora together are those for one and those for the other.
        """
        ...

    def mention_texts(self, corpus: Corpus) -> Texts:
        """One text for each of ``corpus.mentions``, in their order."""
        ...

    def entity_texts(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Texts:
        """The texts of ``kb.entities``, in their order; arguments as those of ``encode_entities``."""
        ...

    def encode_mention_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts of mentions, shape (len(texts), dimension)."""
        ...

    def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts of entities, shape (len(texts), dimension)."""
        ...
