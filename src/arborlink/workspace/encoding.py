"""Vectors and neighbour lists of the next version: what is new is encoded and searched, what was there is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoder import TextualEncoder
from arborlink.errors import ModelError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.workspace.lists import Searched, grown
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
    before = after.entity_embeddings
    after = _with_mention_rows(after, n_documents, encoder)
    after = _with_entity_rows(after, fresh, encoder, labels)
    if not after.corpus.n_mentions:
        return after
    searched = Searched(
        after.mention_embeddings, after.entity_embeddings, labels, linker.device, linker.progress
    )
    return replace(after, lists=grown(after.lists, searched, before))


def textual(linker: Linker) -> TextualEncoder:
    """The linker's encoder, if it tells the texts it reads.

    Raises:
        ModelError: it does not.
    """
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
    return replace(
        after, mention_vectors=table, mention_rows=np.concatenate([after.mention_rows, rows[texts.rows]])
    )


def _with_entity_rows(
    after: Snapshot, fresh: Sequence[int], encoder: TextualEncoder, labels: Labels | None
) -> Snapshot:
    if encoder.entity_texts_need_corpus:
        # which names are near to the mentions may be another matter now: all entities are asked again
        numbers = np.flatnonzero(after.is_active)
        if not after.corpus.n_mentions:
            return replace(after, entity_offsets=np.zeros(len(after.entities) + 1, dtype=np.int64))
        if labels is not None and len(numbers) < len(after.entities):
            labels = replace(labels, of_targets=[labels.of_targets[number] for number in numbers.tolist()])
        texts = encoder.entity_texts(after.kb, after.corpus, labels)
    else:
        numbers = np.array(fresh, dtype=np.int64)
        if not len(numbers):
            return _with_views(after, numbers, np.empty(0, np.int64), np.empty(0, np.int32))
        texts = encoder.entity_texts(KnowledgeBase(after.entities[number] for number in fresh))
    table, rows = after.entity_vectors.with_texts(texts.texts, encoder.encode_entity_texts)
    owners = np.repeat(numbers, np.diff(texts.offsets))
    return _with_views(replace(after, entity_vectors=table), numbers, owners, rows[texts.rows])


def _with_views(
    after: Snapshot, numbers: NDArray[np.int64], owners: NDArray[np.int64], rows: NDArray[np.int32]
) -> Snapshot:
    """The rows given for some entities, with those that the other active ones have."""
    known = after.entity_embeddings
    is_kept = after.is_active.copy()
    is_kept[numbers] = False
    kept = is_kept[known.item_of_view]
    all_owners = np.concatenate([known.item_of_view[kept].astype(np.int64), owners])
    all_rows = np.concatenate([known.rows[kept], rows])
    order = np.argsort(all_owners, kind="stable")
    counts = np.bincount(all_owners, minlength=len(after.entities))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return replace(after, entity_rows=all_rows[order].astype(np.int32), entity_offsets=offsets)
