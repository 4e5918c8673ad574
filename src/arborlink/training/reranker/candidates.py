"""Whom a training mention is compared with: its own entity, and the nearest wrong ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold
from arborlink.files import partial_path
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.type_labels import labels_of


@dataclass(frozen=True)
class Candidates:
    """The mentions that are learned from, and their candidates.

    Args:
        mentions: int64, shape (n,): their numbers in the documents.
        items: int32, shape (n, k): the gold entity first, then wrong ones, the nearest first; -1 for none.
    """

    mentions: NDArray[np.int64]
    items: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.mentions)

    @property
    def n_pairs(self) -> int:
        """Pairs of an epoch."""
        return int((self.items >= 0).sum())

    @classmethod
    def of(cls, corpus: Corpus, kb: KnowledgeBase, near: NDArray[np.int32], k: int) -> Candidates:
        """Of what was found for every mention of labelled documents.

        Args:
            corpus: the documents.
            kb: the knowledge base.
            near: the nearest entities of each of ``corpus.mentions``, shape (n_mentions, any number); -1 for none.
            k: candidates of each mention, its own entity included.

        Raises:
            InputError: no mention is labelled with exactly one entity of the knowledge base.
        """
        mentions, own = _labelled(corpus, kb)
        return cls(mentions, with_gold(own, near[mentions], _same_text(kb), k))

    def drawn(self, n: int, seed: int) -> Candidates:
        """Those of n mentions, drawn by seed, in the order they had; all for 0, or where there are no more."""
        if not 0 < n < len(self):
            return self
        own = np.sort(np.random.default_rng(seed).choice(len(self), n, replace=False))
        return Candidates(self.mentions[own], self.items[own])

    def write(self, path: Path) -> None:
        """Keep them, whole or not at all."""
        partial = partial_path(path)
        save_file({"mentions": self.mentions, "items": np.ascontiguousarray(self.items)}, partial)
        partial.replace(path)

    @classmethod
    def read(cls, path: Path) -> Candidates:
        """Read what :meth:`write` wrote."""
        content = load_file(path)
        return cls(content["mentions"], content["items"])


def mine(linker: Linker, kb: KnowledgeBase, corpus: Corpus, k: int) -> Candidates:
    """Search the candidates of every mention that is labelled with exactly one entity of the knowledge base.

    The linker's labelled examples vote, each about documents that are not its own.

    Args:
        linker: whose towers search; its re-ranker, if it has one, is not asked.
        kb: the knowledge base.
        corpus: labelled documents.
        k: candidates of each mention, its own entity included.

    Raises:
        InputError: nothing can be learned from these documents.
    """
    _labelled(corpus, kb)  # nothing is searched for documents that teach nothing
    labels = labels_of(corpus, kb, is_asked=False) if linker.defaults.by_type else None
    near = linker.with_reranker(None).neighbourhood(corpus, kb, k, 0, labels=labels).near
    return Candidates.of(corpus, kb, near.items, k)


def with_gold(
    gold: NDArray[np.int32], near: NDArray[np.int32], alike: NDArray[np.int64], k: int
) -> NDArray[np.int32]:
    """The gold entity of each mention before the nearest others that differ from it.

    Args:
        gold: shape (n,).
        near: entities, nearest first, shape (n, any number); -1 for none.
        alike: shape (n_entities,): equal numbers for entities that a reader cannot tell apart. Such a twin of the
            gold entity is no negative.
        k: how many, the gold one included.
    """
    is_wrong = (near >= 0) & (alike[near] != alike[gold][:, None])
    order = np.argsort(~is_wrong, axis=1, kind="stable")[:, : k - 1]
    wrong = np.where(
        np.take_along_axis(is_wrong, order, axis=1), np.take_along_axis(near, order, axis=1), np.int32(-1)
    )
    return np.concatenate([gold[:, None], wrong], axis=1)


def _labelled(corpus: Corpus, kb: KnowledgeBase) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The mentions with exactly one gold entity in the knowledge base, and that entity."""
    gold = Gold.of(corpus, kb)
    mentions = np.flatnonzero(gold.linkable & ~gold.composite)
    if not len(mentions):
        raise InputError(
            f"none of the {corpus.n_mentions:,} mentions of the training documents is labelled with exactly one "
            "entity of the knowledge base; give the knowledge base they were labelled with"
        )
    own = gold.pairs[np.searchsorted(gold.pairs, mentions * len(kb))] - mentions * len(kb)
    return mentions, own.astype(np.int32)


def _same_text(kb: KnowledgeBase) -> NDArray[np.int64]:
    """Equal numbers for entities that differ in their ids alone."""
    seen: dict[tuple[object, ...], int] = {}
    return np.array(
        [
            seen.setdefault((entity.names, entity.types, entity.description), len(seen))
            for entity in kb.entities
        ],
        dtype=np.int64,
    )
