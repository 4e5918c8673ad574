"""Vectors of the knowledge base for documents that are linked without being kept: the workspace's own.

Two trained towers have all entities' vectors in the workspace. The untrained model encodes only names that some
mention is near to by spelling; a document that comes may be near to others. Their spelling is looked through as
linking does it, and a name that the workspace has no vector of is encoded once and remembered for a while.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings, Texts, TextualEncoder
from arborlink.encoders.lexical import lexical_vectors
from arborlink.encoders.names import NameEncoder
from arborlink.encoders.shortlist import shortlist
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.workspace.snapshot import Snapshot
from arborlink.workspace.vectors import VectorTable

# Vectors of names that the workspace does not have; a vector of the default has 2.5 kB.
MOST_REMEMBERED = 20_000


class EntityVectors(Protocol):
    """Gives the vectors of a knowledge base for some documents."""

    def of(self, corpus: Corpus, labels: Labels | None) -> Embeddings:
        """Vectors of all entities, in the order of the knowledge base."""
        ...


class AllVectors:
    """Vectors that do not depend on documents: those of the workspace, of the entities that are active.

    Args:
        snapshot: the version.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        known = snapshot.entity_embeddings
        if snapshot.is_active.all():
            self._held = known
            return
        kept = snapshot.is_active[known.item_of_view]
        counts = np.diff(known.offsets)[snapshot.is_active]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._held = Embeddings(known.vectors, known.rows[kept], offsets)

    def of(self, corpus: Corpus, labels: Labels | None) -> Embeddings:
        """The same for whatever documents."""
        return self._held


class NearVectors:
    """Vectors of the texts that an encoder would read of the entities for some documents.

    Args:
        snapshot: the version.
        encoder: reads texts that the workspace has no vector of.
        remembered: vectors of such texts.
    """

    def __init__(self, snapshot: Snapshot, encoder: TextualEncoder, remembered: Remembered) -> None:
        self._kb = snapshot.kb
        self._table = snapshot.entity_vectors
        self._encoder = encoder
        self._remembered = remembered
        inner = getattr(encoder, "encoder", encoder)
        self._index = (
            NameIndex(snapshot.kb, inner)
            if isinstance(inner, NameEncoder) and not inner.description_names
            else None
        )

    def of(self, corpus: Corpus, labels: Labels | None) -> Embeddings:
        """Those of texts that the documents are near to."""
        texts = (
            self._encoder.entity_texts(self._kb, corpus, labels)
            if self._index is None
            else self._index.near_to(corpus, labels)
        )
        return texts.encoded(self._vectors(self._table, texts.texts))

    def _vectors(self, table: VectorTable, texts: Sequence[str]) -> NDArray[np.float32]:
        grown, rows = table.with_texts(texts, self._encode)
        if grown is table:
            return table.vectors[rows]
        # only what is new is beside the table: all of it would be copied otherwise
        new = grown.segments[-1].vectors
        n_known = sum(len(segment.vectors) for segment in table.segments)
        found = np.empty((len(texts), new.shape[1]), dtype=np.float32)
        is_new = rows >= n_known
        found[is_new] = new[rows[is_new] - n_known]
        if not is_new.all():
            found[~is_new] = table.vectors[rows[~is_new]]
        return found

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._remembered.of(texts, self._encoder)


class NameIndex:
    """The spelling of all names of a knowledge base, to find those that documents are near to.

    Gives what :meth:`arborlink.encoders.names.NameEncoder.entity_texts` gives for the documents, without reading the
    names again.

    Args:
        kb: the knowledge base.
        encoder: whose texts they are.
    """

    def __init__(self, kb: KnowledgeBase, encoder: NameEncoder) -> None:
        self._encoder = encoder
        self._all = encoder.entity_texts(kb)
        self._spelling = lexical_vectors(self._all.texts)

    def near_to(self, corpus: Corpus, labels: Labels | None) -> Texts:
        """The names of each entity that a mention is near to by spelling."""
        found = self._encoder.mention_texts(corpus)
        names = Embeddings(self._spelling, self._all.rows, self._all.offsets)
        mentions = found.encoded(lexical_vectors(found.texts))
        kept = shortlist(mentions, names, self._encoder.shortlist, labels)
        place = np.full(len(self._all.texts), -1, dtype=np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        rows = place[self._all.rows]
        n_before = np.concatenate([[0], np.cumsum(rows >= 0)])
        return Texts(
            [self._all.texts[row] for row in kept.tolist()], rows[rows >= 0], n_before[self._all.offsets]
        )


class Remembered:
    """Vectors of the texts that were encoded last, so many at most."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    def of(self, texts: Sequence[str], encoder: TextualEncoder) -> NDArray[np.float32]:
        """Vectors of texts of entities, encoded where they are not known."""
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        unknown = [text for text in texts if text not in known]
        if unknown:
            fresh = encoder.encode_entity_texts(unknown)
            known.update(zip(unknown, (row.copy() for row in fresh), strict=True))
        with self._lock:
            for text in texts:
                self._vectors[text] = known[text]
                self._vectors.move_to_end(text)
            while len(self._vectors) > self._most:
                self._vectors.popitem(last=False)
        return np.stack([known[text] for text in texts])
