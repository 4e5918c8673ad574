"""What was predicted for each mention: its entity and its cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.errors import InputError
from arborlink.evaluation.folder import links_file
from arborlink.evaluation.lookup import entity_number, mention_number
from arborlink.evaluation.said import Said, answer_of, probability_of
from arborlink.formats.json_fields import identifier, read_json_lines
from arborlink.formats.problems import Problems
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result import Answer, Result

Fields = Mapping[str, object]


@dataclass(frozen=True)
class Predictions:
    """Links as arrays, aligned with ``Corpus.mentions``.

    Args:
        entity: (n,) int64, number of the predicted entity in the knowledge base; -1 where there is none.
        cluster: (n,) int64, number of the cluster the links name, from 0; -1 where they name none.
        predicted: (n,) bool, whether the mention has a link at all.
        said: how sure the links are; ``None`` where no link tells.
    """

    entity: NDArray[np.int64]
    cluster: NDArray[np.int64]
    predicted: NDArray[np.bool_]
    said: Said | None = None

    def __post_init__(self) -> None:
        if self.entity.ndim != 1 or not self.entity.shape == self.cluster.shape == self.predicted.shape:
            raise InputError(
                f"predictions have {self.entity.shape} entities, {self.cluster.shape} clusters and "
                f"{self.predicted.shape} marks; expected one of each for every mention"
            )

    @classmethod
    def of(cls, result: Result, corpus: Corpus, kb: KnowledgeBase) -> Predictions:
        """The links of a result in memory; it must be of these documents and this knowledge base."""
        if [link.mention for link in result.links] != [mention.id for _, mention in corpus.mentions]:
            raise InputError("the result is not of these documents: their mentions differ")
        entity = [-1 if link.entity is None else kb.index.get(link.entity, -2) for link in result.links]
        if -2 in entity:
            unknown = result.links[entity.index(-2)]
            raise InputError(
                f"the result links {unknown.mention!r} to {unknown.entity!r}, which this KB lacks"
            )
        cluster = [link.cluster for link in result.links]
        said = Said.of(
            ((number, link.probability, link.answer) for number, link in enumerate(result.links)), len(entity)
        )
        return cls(
            np.array(entity, np.int64), np.array(cluster, np.int64), np.ones(len(entity), dtype=bool), said
        )

    @classmethod
    def read(
        cls, path: str | Path, corpus: Corpus, kb: KnowledgeBase, problems: Problems | None = None
    ) -> Predictions:
        """Read a links file or the links of a result folder.

        Args:
            path: JSON Lines, plain or gzip, or a folder written by ``arborlink link``.
            corpus: the documents that were linked.
            kb: the knowledge base they were linked to.
            problems: what to do about a link that cannot be used; without it the first one is raised.
        """
        problems = problems or Problems()
        n = corpus.n_mentions
        entity, cluster = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
        line_of = np.zeros(n, np.int64)
        cluster_numbers: dict[str, int] = {}
        sure: list[tuple[int, float | None, Answer | None]] = []
        file = links_file(Path(path))
        for line, fields in read_json_lines(file, problems):
            try:
                number = _mention(fields, corpus, line_of)
                entity_found = _entity(fields, kb)
                name = _cluster_name(fields)
                probability, answer = probability_of(fields), answer_of(fields)
            except InputError as error:
                problems.found(error.at(file, line))
                continue
            entity[number] = entity_found
            cluster[number] = -1 if name is None else cluster_numbers.setdefault(name, len(cluster_numbers))
            sure.append((number, probability, answer))
            line_of[number] = line
        return cls(entity, cluster, line_of > 0, Said.of(sure, n))

    @cached_property
    def cluster_labels(self) -> NDArray[np.int64]:
        """(n,) int64, a cluster for every mention.

        A linked mention whose link names no cluster joins its entity's; every other one stands alone.
        """
        labels = self.cluster.copy()
        if not len(labels):
            return labels
        own = int(labels.max()) + 1
        linked = self.entity >= 0
        cluster_of_entity = own + np.arange(int(self.entity.max()) + 1)
        named = linked & (self.cluster >= 0)
        cluster_of_entity[self.entity[named]] = self.cluster[named]
        to_entity = linked & (self.cluster < 0)
        labels[to_entity] = cluster_of_entity[self.entity[to_entity]]
        alone = labels < 0
        labels[alone] = own + len(cluster_of_entity) + np.flatnonzero(alone)
        return labels

    @property
    def n_clusters_discovered(self) -> int:
        """How many of the clusters the links name hold no linked mention."""
        linked = self.entity >= 0
        named = self.cluster >= 0
        return len(np.setdiff1d(self.cluster[named & ~linked], self.cluster[named & linked]))


def _mention(fields: Fields, corpus: Corpus, line_of: NDArray[np.int64]) -> int:
    number = mention_number(fields, corpus)
    document, mention = corpus.mentions[number]
    if line_of[number]:
        raise InputError(
            f"mention {mention.id!r} has a link on line {line_of[number]} already; expected one a mention"
        )
    _check_span(fields, document, mention)
    return number


def _check_span(fields: Fields, document: Document, mention: Mention) -> None:
    """Ids given by position still match after an edit of the documents; the span then does not."""
    for field, gold in (("document", document.id), ("start", mention.start), ("end", mention.end)):
        found = fields.get(field, gold)
        if found != gold:
            raise InputError(
                f"mention {mention.id!r} has {field} {found!r} here but {gold!r} in the gold documents; "
                "give the documents that were linked"
            )


def _entity(fields: Fields, kb: KnowledgeBase) -> int:
    if "entity" not in fields:
        raise InputError('the link has no "entity"; expected an id, or null for no entity')
    value = fields["entity"]
    return -1 if value is None else entity_number(value, kb, "entity")


def _cluster_name(fields: Fields) -> str | None:
    name = fields.get("cluster")
    return None if name is None else identifier(name, "cluster")
