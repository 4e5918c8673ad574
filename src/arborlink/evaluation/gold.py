"""The gold labels of a corpus, seen from a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.knowledge_base import KnowledgeBase

Label = tuple[str, ...] | None


@dataclass(frozen=True)
class Gold:
    """Gold labels as arrays, aligned with ``Corpus.mentions``; build it with ``Gold.of``.

    Every mention is exactly one of unlabelled, NIL of unknown cluster, linkable, outside the knowledge base.

    Args:
        labels: the gold ids of each mention after the id map, each id once, sorted.
        unlabelled: (n,) bool, no label at all.
        nil_unknown: (n,) bool, known to be outside every knowledge base, cluster unknown.
        linkable: (n,) bool, at least one of the gold ids is in the knowledge base.
        outside: (n,) bool, labelled with ids none of which is in the knowledge base.
        composite: (n,) bool, labelled with several ids.
        cluster: (n,) int64, number of the gold cluster, -1 where it is not known. Equal sets of ids make
            a cluster, so a composite mention shares one only with mentions of exactly the same ids.
        document: (n,) int64, number of the document.
        n_replaced: how many mentions had an id replaced by the id map.
        n_entities: size of the knowledge base.
        pairs: sorted int64, ``mention * n_entities + entity`` of every right answer.
    """

    labels: tuple[Label, ...]
    unlabelled: NDArray[np.bool_]
    nil_unknown: NDArray[np.bool_]
    linkable: NDArray[np.bool_]
    outside: NDArray[np.bool_]
    composite: NDArray[np.bool_]
    cluster: NDArray[np.int64]
    document: NDArray[np.int64]
    n_replaced: int
    n_entities: int
    pairs: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus, kb: KnowledgeBase, id_map: Mapping[str, str] | None = None) -> Gold:
        """Sort the mentions of a corpus by what its labels mean for a knowledge base."""
        given = [mention.entities for _, mention in corpus.mentions]
        labels = tuple(current_label(label, id_map) for label in given)
        in_kb = [[kb.index[id_] for id_ in label or () if id_ in kb.index] for label in labels]
        linkable = np.array([bool(numbers) for numbers in in_kb], bool)
        unlabelled = np.array([label is None for label in labels], bool)
        nil_unknown = np.array([label == () for label in labels], bool)
        n_each = [len(document.mentions) for document in corpus]
        return cls(
            labels=labels,
            unlabelled=unlabelled,
            nil_unknown=nil_unknown,
            linkable=linkable,
            outside=~(linkable | unlabelled | nil_unknown),
            composite=np.array([label is not None and len(label) > 1 for label in labels], bool),
            cluster=_cluster_numbers(labels),
            document=np.repeat(np.arange(len(n_each), dtype=np.int64), n_each),
            n_replaced=_n_replaced(given, id_map or {}),
            n_entities=len(kb),
            pairs=_pairs(in_kb, len(kb)),
        )

    @property
    def nil(self) -> NDArray[np.bool_]:
        """(n,) bool, known to have no entity in the knowledge base, cluster known or not."""
        return self.outside | self.nil_unknown

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """(n,) bool, anything is known of the mention."""
        return ~self.unlabelled

    def is_right(self, mention: NDArray[np.int64], entity: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each entity (number, -1 for none) is a right answer for the mention at the same place."""
        return np.isin(mention * self.n_entities + entity, self.pairs) & (entity >= 0)

    def any_id_in(self, ids: set[str]) -> NDArray[np.bool_]:
        """(n,) bool, whether one of the mention's gold ids is among ``ids``."""
        return np.array([label is not None and not ids.isdisjoint(label) for label in self.labels], bool)


def current_label(label: Label, id_map: Mapping[str, str] | None) -> Label:
    """The label with retired ids replaced, each id once, sorted."""
    if not label:
        return label
    return tuple(sorted({id_map.get(id_, id_) for id_ in label} if id_map else set(label)))


def gold_ids(corpus: Corpus, id_map: Mapping[str, str] | None = None) -> set[str]:
    """Every gold id that occurs in a corpus, after the id map."""
    return {id_ for _, mention in corpus.mentions for id_ in current_label(mention.entities, id_map) or ()}


def _cluster_numbers(labels: tuple[Label, ...]) -> NDArray[np.int64]:
    numbers: dict[tuple[str, ...], int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) if label else -1 for label in labels], np.int64)


def _n_replaced(given: list[Label], id_map: Mapping[str, str]) -> int:
    return sum(any(id_map.get(id_, id_) != id_ for id_ in label or ()) for label in given)


def _pairs(in_kb: list[list[int]], n_entities: int) -> NDArray[np.int64]:
    pairs = [mention * n_entities + entity for mention, numbers in enumerate(in_kb) for entity in numbers]
    return np.sort(np.array(pairs, np.int64))
