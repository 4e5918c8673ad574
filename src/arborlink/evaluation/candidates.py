"""The entities that were considered for each mention, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.lookup import entity_number, mention_number
from arborlink.evaluation.metrics import NOT_FOUND
from arborlink.formats.json_fields import kind_of, read_json_lines
from arborlink.formats.problems import Problems
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result import Candidate

Fields = Mapping[str, object]


@dataclass(frozen=True)
class Candidates:
    """Candidate lists of different lengths, one after the other.

    Args:
        entity: (sum of the lengths,) int64, numbers of entities in the knowledge base.
        n_each: (n,) int64, length of each mention's list (0 without one), aligned with ``Corpus.mentions``.
        asked: how many were asked for, where that is known: a shorter list then had no more to offer.
    """

    entity: NDArray[np.int64]
    n_each: NDArray[np.int64]
    asked: int | None = None

    @classmethod
    def from_lists(cls, lists: Iterable[Sequence[int]], asked: int | None = None) -> Candidates:
        """Candidates from one list of entity numbers a mention, in the order of ``Corpus.mentions``."""
        arrays = [np.asarray(numbers, np.int64) for numbers in lists]
        flat = np.concatenate(arrays) if arrays else np.empty(0, np.int64)
        return cls(flat, np.array([len(array) for array in arrays], np.int64), asked)

    @classmethod
    def of(
        cls,
        result: Mapping[str, Sequence[Candidate]],
        corpus: Corpus,
        kb: KnowledgeBase,
        asked: int | None = None,
    ) -> Candidates:
        """The candidates of a result in memory, ``Result.candidates``."""
        lists: list[Sequence[int]] = [()] * corpus.n_mentions
        for mention, given in result.items():
            fields = {
                "mention": mention,
                "entities": [candidate.entity for candidate in given],
                "affinities": [float(candidate.affinity) for candidate in given],
            }
            try:
                lists[mention_number(fields, corpus)] = _entities(fields, kb)
            except InputError as error:
                raise InputError(f"the candidates of {mention!r}: {error.message}") from error
        return cls.from_lists(lists, asked)

    @classmethod
    def read(
        cls,
        path: str | Path,
        corpus: Corpus,
        kb: KnowledgeBase,
        problems: Problems | None = None,
        asked: int | None = None,
    ) -> Candidates:
        """Read ``{"mention", "entities", "affinities"?}`` lines, plain or gzip.

        Args:
            path: the file.
            corpus: the documents that were linked.
            kb: the knowledge base they were linked to.
            problems: what to do about a list that cannot be used; without it the first one is raised.
            asked: how many were asked for, if known.
        """
        problems = problems or Problems()
        lists: list[Sequence[int]] = [()] * corpus.n_mentions
        line_of: dict[int, int] = {}
        file = Path(path)
        for line, fields in read_json_lines(file, problems):
            try:
                number = _mention(fields, corpus, line_of)
                lists[number] = _entities(fields, kb)
                line_of[number] = line
            except InputError as error:
                problems.found(error.at(file, line))
        return cls.from_lists(lists, asked)

    def depth(self, among: NDArray[np.bool_]) -> int:
        """The largest cut-off every list can answer for.

        That is the number asked for; where it is not known, the length of the shortest list that is not empty.
        """
        if self.asked is not None:
            return self.asked if among.any() else 0
        lengths = self.n_each[among & (self.n_each > 0)]
        return int(lengths.min()) if len(lengths) else 0

    def ranks(self, gold: Gold) -> NDArray[np.int64]:
        """(n,) int64, place from 0 of each mention's first right candidate, ``NOT_FOUND`` without one."""
        mention = np.repeat(np.arange(len(self.n_each)), self.n_each)
        starts = np.cumsum(self.n_each) - self.n_each
        place = np.arange(len(self.entity)) - starts[mention]
        right = gold.is_right(mention, self.entity)
        ranks = np.full(len(self.n_each), NOT_FOUND, np.int64)
        np.minimum.at(ranks, mention[right], place[right])
        return ranks


def _mention(fields: Fields, corpus: Corpus, line_of: Mapping[int, int]) -> int:
    number = mention_number(fields, corpus)
    if number in line_of:
        raise InputError(
            f"mention {fields['mention']!r} has candidates on line {line_of[number]} already; "
            "expected one list a mention"
        )
    return number


def _entities(fields: Fields, kb: KnowledgeBase) -> list[int]:
    if "entities" not in fields:
        raise InputError('the field "entities" is missing; expected a list of entity ids, best first')
    given = fields["entities"]
    if not isinstance(given, list):
        raise InputError(f'"entities" is {kind_of(given)}; expected a list of entity ids, best first')
    numbers = [entity_number(entity_id, kb, "entities") for entity_id in given]
    if len(set(numbers)) != len(numbers):
        repeated = next(id_ for place, id_ in enumerate(given) if id_ in given[:place])
        raise InputError(f"entity {repeated!r} stands twice among the candidates; expected each once")
    _check_affinities(fields, len(numbers))
    return numbers


def _check_affinities(fields: Fields, n: int) -> None:
    """Affinities are not scored, but a list that is not best first would give wrong recall without a sign."""
    affinities = fields.get("affinities")
    if affinities is None:
        return
    if not isinstance(affinities, list) or len(affinities) != n:
        raise InputError(f'"affinities" does not hold one number for each of the {n} candidates')
    if not all(isinstance(affinity, int | float) for affinity in affinities):
        raise InputError('"affinities" holds something that is not a number')
    for place in range(1, n):
        if affinities[place] > affinities[place - 1]:
            raise InputError(
                f"the affinities rise from {affinities[place - 1]} to {affinities[place]} "
                f"at candidate {place + 1}; expected the best first"
            )
