"""Linking without a model: exact look-up of the mention's string, and BM25. Neither knows mentions' neighbours."""

from __future__ import annotations

import math
import re
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.entity import Entity
from arborlink.experiments.data_sets import Split
from arborlink.experiments.models import Found
from arborlink.knowledge_base import KnowledgeBase
from arborlink.neighbourhood import Neighbourhood
from arborlink.search import Neighbours
from arborlink.voting import Examples

_WORD = re.compile(r"\w+")
# Words of a description that BM25 reads.
_DESCRIPTION_WORDS = 256
_K1, _B = 1.2, 0.75
Ranked = tuple[NDArray[np.int64], NDArray[np.float64]]


class Baseline(ABC):
    """Ranks entities for a mention's string; strings that occur often are looked up once."""

    @abstractmethod
    def index(self, entities: Sequence[Entity]) -> None:
        """Get to know the entities that may be asked for."""

    @abstractmethod
    def rank(self, string: str, n: int) -> Ranked:
        """Up to n entities, by their place in what was indexed, best first, and their scores."""

    def find(self, split: Split, n_near: int, n_others: int) -> Found:
        """The nearest entities of every mention; no neighbouring mentions."""
        start = time.perf_counter()
        strings = [document.text_of(mention) for document, mention in split.corpus.mentions]
        n_near = min(n_near, len(split.kb))
        near = Neighbours.none_yet(len(strings), n_near)
        everyone = np.arange(len(strings), dtype=np.int64)
        labels = split.labels
        for members, allowed in labels.meetings() if labels is not None else [(everyone, None)]:
            places = np.arange(len(split.kb)) if allowed is None else allowed
            self.index([split.kb.entities[place] for place in places.tolist()])
            self._fill(near, members, strings, places)
        nobody = Neighbours.none_yet(len(strings), 0)
        return Found(
            split, Neighbourhood(near, nobody, len(split.kb)), {"search": time.perf_counter() - start}
        )

    def examples(self, corpus: Corpus, kb: KnowledgeBase) -> Examples | None:
        """Without vectors nobody can tell who is near enough to vote."""
        return None

    def _fill(
        self,
        near: Neighbours,
        members: NDArray[np.int64],
        strings: list[str],
        places: NDArray[np.int64],
    ) -> None:
        by_string: dict[str, list[int]] = {}
        for number in members.tolist():
            by_string.setdefault(strings[number], []).append(number)
        for string, numbers in by_string.items():
            entities, scores = self.rank(string, near.items.shape[1])
            near.items[numbers, : len(entities)] = places[entities]
            near.affinities[numbers, : len(entities)] = scores


class LookUp(Baseline):
    """The entities that bear the string as a name, whatever the case, in the knowledge base's order."""

    def index(self, entities: Sequence[Entity]) -> None:
        """Note who bears which name."""
        self._bearers: dict[str, list[int]] = {}
        for number, entity in enumerate(entities):
            for name in {name.casefold() for name in entity.names}:
                self._bearers.setdefault(name, []).append(number)

    def rank(self, string: str, n: int) -> Ranked:
        """Those who bear it, all alike."""
        found = np.array(self._bearers.get(string.casefold(), [])[:n], dtype=np.int64)
        return found, np.ones(len(found))


class Bm25(Baseline):
    """The mention's words against each name, and against name and description; the best of an entity's texts counts.

    Names are texts of their own because an entity with many of them would be a long text, and BM25 holds length
    against it.

    References:
        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; k1 = 1.2, b = 0.75.
    """

    def index(self, entities: Sequence[Entity]) -> None:
        """Count words: for each of them which texts have it, and how much that counts for."""
        texts = [(number, text) for number, entity in enumerate(entities) for text in _texts_of(entity)]
        self._owner = np.array([number for number, _ in texts], dtype=np.int64)
        counts = [Counter(words) for _, words in texts]
        lengths = np.array([len(words) for _, words in texts], dtype=np.float64)
        penalty = _K1 * (1 - _B + _B * lengths / max(1.0, float(lengths.mean())))
        postings: dict[str, tuple[list[int], list[int]]] = {}
        for number, own in enumerate(counts):
            for word, count in own.items():
                places, times = postings.setdefault(word, ([], []))
                places.append(number)
                times.append(count)
        self._postings: dict[str, Ranked] = {}
        for word, (listed, counted) in postings.items():
            which, often = np.array(listed, dtype=np.int64), np.array(counted, dtype=np.float64)
            rarity = math.log(1 + (len(texts) - len(which) + 0.5) / (len(which) + 0.5))
            self._postings[word] = which, rarity * often * (_K1 + 1) / (often + penalty[which])

    def rank(self, string: str, n: int) -> Ranked:
        """Those with the highest sums, equal ones in the knowledge base's order."""
        found = [self._postings[word] for word in sorted(set(_words(string))) if word in self._postings]
        if not found:
            return np.empty(0, dtype=np.int64), np.empty(0)
        texts, place = np.unique(np.concatenate([each for each, _ in found]), return_inverse=True)
        weights = np.concatenate([score for _, score in found])
        of_texts = np.bincount(place, weights=weights).astype(np.float64)
        # texts of an entity follow each other
        first = np.flatnonzero(np.diff(self._owner[texts], prepend=-1))
        who, scores = self._owner[texts[first]], np.maximum.reduceat(of_texts, first)
        if len(scores) > n:  # all that reach the n-th score, so that equal ones are told apart by order alone
            reached = np.flatnonzero(scores >= np.partition(scores, -n)[-n])
            who, scores = who[reached], scores[reached]
        order = np.argsort(-scores, kind="stable")[:n]
        return who[order], scores[order]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _texts_of(entity: Entity) -> list[list[str]]:
    names = [_words(name) for name in entity.names]
    described = _words(entity.description)[:_DESCRIPTION_WORDS]
    return [*names, names[0] + described] if described else names
