"""Vectors and neighbour lists of the next version: what is new is encoded and searched, what was there is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoder import TextualEncoder
from arborlink.errors import InputError, ModelError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.workspace.list_growth import Searched, grown
from arborlink.workspace.snapshot import Snapshot


def with_vectors(after: Snapshot, n_documents: int, fresh: Sequence[int], linker: Linker) -> Snapshot:
    """Encode and search what has no vectors yet; entities that are not active lose theirs.

    Args:
        after: the next version, with vectors, rows and lists of what there was.
        n_documents: how many of the first documents are encoded.
        fresh: numbers of the entities that are not.
        linker: what encodes, and where to search.
    """
    encoder = textual(linker)
    labels = after.labels()
    before = after.entity_views
    after = _with_mention_rows(after, n_documents, encoder)
    after = _with_entity_rows(after, n_documents, fresh, encoder, labels)
    if not after.corpus.n_mentions:
        return after
    searched = Searched(
        after.mention_embeddings, after.entity_embeddings, labels, linker.device, linker.progress
    )
    return after.but(lists=grown(after.lists, searched, before))


def textual(linker: Linker) -> TextualEncoder:
    """The linker's encoder, if it tells the texts it reads.

    Raises:
        ModelError: it does not.
        InputError: the linker has examples that vote, which a workspace does not count.
    """
    if linker.examples is not None:
        raise InputError("a workspace links without examples; give it a linker that has none")
    if not isinstance(linker.encoder, TextualEncoder):
        raise ModelError(
            f"the encoder {type(linker.encoder).__name__} does not tell the texts it reads; a workspace needs that "
            "(arborlink.encoder.TextualEncoder) to encode each text once"
        )
    return linker.encoder


def _with_mention_rows(after: Snapshot, n_documents: int, encoder: TextualEncoder) -> Snapshot:
    new = after.documents[n_documents:]
    if not any(document.mentions for document in new):
        return after
    texts = encoder.mention_texts(Corpus(new))
    table, rows = after.mention_vectors.with_texts(texts.texts, encoder.encode_mention_texts)
    return after.but(
        mention_vectors=table, mention_rows=np.concatenate([after.mention_rows, rows[texts.rows]])
    )


def _with_entity_rows(
    after: Snapshot, n_documents: int, fresh: Sequence[int], encoder: TextualEncoder, labels: Labels | None
) -> Snapshot:
    if encoder.entity_texts_need_corpus:
        return _with_near_names(after, n_documents, fresh, encoder, labels)
    numbers = np.array(fresh, dtype=np.int64)
    if not len(numbers):
        if len(after.entity_offsets) == len(after.entities) + 1 and after.is_active.all():
            return after
        return _with_views(after, numbers, np.empty(0, np.int64), np.empty(0, np.int32))
    texts = encoder.entity_texts(KnowledgeBase(after.entities[number] for number in fresh))
    table, rows = after.entity_vectors.with_texts(texts.texts, encoder.encode_entity_texts)
    owners = np.repeat(numbers, np.diff(texts.offsets))
    return _with_views(after.but(entity_vectors=table), numbers, owners, rows[texts.rows])


def _with_near_names(
    after: Snapshot, n_documents: int, fresh: Sequence[int], encoder: TextualEncoder, labels: Labels | None
) -> Snapshot:
    """Names that are near to a mention: those of new mentions are added; with other entities all are chosen anew."""
    # without a new document or a fresh entity, one has gone; it may have mattered though it had no name near to any
    is_same_kb = not len(fresh) and n_documents < len(after.documents)
    corpus = Corpus(after.documents[n_documents:]) if is_same_kb else after.corpus
    if not corpus.n_mentions:
        kept = after.entity_offsets if is_same_kb else np.zeros(1, dtype=np.int64)
        n_missing = len(after.entities) + 1 - len(kept)
        return after.but(entity_offsets=np.concatenate([kept, np.full(n_missing, kept[-1])]))
    numbers = np.flatnonzero(after.is_active)
    if labels is not None:
        own = labels.of_queries[after.corpus.n_mentions - corpus.n_mentions :]
        labels = Labels(own, [labels.of_targets[number] for number in numbers.tolist()])
    texts = encoder.entity_texts(after.kb, corpus, labels)
    table, rows = after.entity_vectors.with_texts(texts.texts, encoder.encode_entity_texts)
    owners = np.repeat(numbers, np.diff(texts.offsets))
    rows = rows[texts.rows]
    if is_same_kb:
        both = np.unique(np.concatenate([after.entity_views.views, owners << 32 | rows]))
        owners, rows = both >> 32, (both & 0xFFFFFFFF).astype(np.int32)
    return _with_views(after.but(entity_vectors=table), numbers, owners, rows)


def _with_views(
    after: Snapshot, numbers: NDArray[np.int64], owners: NDArray[np.int64], rows: NDArray[np.int32]
) -> Snapshot:
    """The rows given for some entities, with those that the other active ones have."""
    known = after.entity_views
    is_kept = after.is_active.copy()
    is_kept[numbers] = False
    kept = is_kept[known.item_of_view]
    all_owners = np.concatenate([known.item_of_view[kept].astype(np.int64), owners])
    all_rows = np.concatenate([known.rows[kept], rows])
    order = np.argsort(all_owners, kind="stable")
    counts = np.bincount(all_owners, minlength=len(after.entities))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return after.but(entity_rows=all_rows[order].astype(np.int32), entity_offsets=offsets)
