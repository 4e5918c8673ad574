"""What a training learns from: one data set, or several of which each keeps to its own knowledge base."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document
from arborlink.experiments.data_sets import DataSet
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.type_labels import type_labels

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Documents, knowledge base, and who may meet whom.

    Args:
        kb: all entities; those of several data sets have the data set's name before their id.
        train: documents to learn from.
        dev: documents that choose the epoch.
        train_labels: which entities the mentions of ``train`` may meet; ``None``: all.
        dev_labels: likewise for ``dev``.
        scopes: the data set of each mention of ``train`` and of each entity, as numbers; ``None`` for a single one.
    """

    kb: KnowledgeBase
    train: Corpus
    dev: Corpus
    train_labels: Labels | None
    dev_labels: Labels | None
    scopes: tuple[Integers, Integers] | None = None

    @classmethod
    def of(cls, parts: Sequence[tuple[DataSet, tuple[str, ...]]]) -> TrainingData:
        """Gather the given splits of data sets, and the dev split of each.

        Every mention only meets entities of its own data set, by the labels it has there: types are not touched,
        since the entity tower reads them.
        """
        if len(parts) == 1:
            data_set, splits = parts[0]
            kb = data_set.kb(*splits, "dev")
            train, dev = data_set.corpus(*splits), data_set.corpus("dev")
            if not data_set.by_type:
                return cls(kb, train, dev, None, None)
            return cls(kb, train, dev, type_labels(train, kb), type_labels(dev, kb))
        return _together([(data_set.name, cls.of([(data_set, splits)])) for data_set, splits in parts])


def _together(parts: list[tuple[str, TrainingData]]) -> TrainingData:
    train_of_mentions, dev_of_mentions, of_entities = [], [], []
    for name, own in parts:
        train, dev, entities = _scoped(name, own)
        train_of_mentions += train
        dev_of_mentions += dev
        of_entities += entities
    return TrainingData(
        KnowledgeBase(replace(entity, id=f"{name}:{entity.id}") for name, own in parts for entity in own.kb),
        Corpus(_named(name, document) for name, own in parts for document in own.train),
        Corpus(_named(name, document) for name, own in parts for document in own.dev),
        Labels(train_of_mentions, of_entities),
        Labels(dev_of_mentions, of_entities),
        (_numbered([own.train.n_mentions for _, own in parts]), _numbered([len(own.kb) for _, own in parts])),
    )


def _numbered(sizes: list[int]) -> Integers:
    return np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)


def _scoped(name: str, own: TrainingData) -> tuple[list[frozenset[str]], ...]:
    """Labels of train mentions, dev mentions and entities that no other data set has.

    What has no label meets everything, so here it gets all labels of its own data set.
    """
    nothing: frozenset[str] = frozenset()
    sides: list[Iterable[frozenset[str]]] = [
        [nothing] * own.train.n_mentions if own.train_labels is None else own.train_labels.of_queries,
        [nothing] * own.dev.n_mentions if own.dev_labels is None else own.dev_labels.of_queries,
        [nothing] * len(own.kb) if own.train_labels is None else own.train_labels.of_targets,
    ]
    known = {label for side in sides for labels in side for label in labels}
    every = frozenset(f"{name}/{label}" for label in known) or frozenset([name])
    scoped: dict[frozenset[str], frozenset[str]] = {nothing: every}
    found = []
    for side in sides:
        for labels in side:
            if labels not in scoped:
                scoped[labels] = frozenset(f"{name}/{label}" for label in labels)
        found.append([scoped[labels] for labels in side])
    return tuple(found)


def _named(name: str, document: Document) -> Document:
    mentions = tuple(
        replace(
            mention,
            id=f"{name}:{mention.id}",
            entities=mention.entities and tuple(f"{name}:{id_}" for id_ in mention.entities),
        )
        for mention in document.mentions
    )
    return replace(document, id=f"{name}:{document.id}", mentions=mentions)
