"""A second look at the nearest entities that needs no training: whose description shares the words around a mention.

Towers read the first words of a description, and make one vector of all that a mention's context says. Which words
stand near a mention and which in a description is evidence that both leave out, where knowledge bases describe their
entities at length. So is how many descriptions name an entity. And where several have the mention's words in their
names, how much else stands there says nothing of who is meant.
"""

from __future__ import annotations

import math
import operator
from array import array
from itertools import accumulate, islice

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoders.lexical import folded_words
from arborlink.encoders.name_part import NamePart
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.reranking import rerank
from arborlink.search import Neighbours
from arborlink.shared_words.descriptions import Descriptions
from arborlink.shared_words.names import Names

N_LOOKED = 512
WINDOW = 64
# Words away from a mention at which one counts half.
HALF_WAY = 4
# Rare words that the best has to share with a mention for evidence to count half.
ENOUGH = 2
# What is added to an affinity where e times as many descriptions name an entity.
WELL_KNOWN = 0.02
# Signs of a word and what stands beside it, at the most that matters: windows are cut before words are told apart.
_SIGNS_OF_WORD = 24


class SharedWords:
    """Gives the nearest entities of each mention a new order; see ``docs/shared_words.md``.

    Args:
        share: what is added to the affinity of an entity that shares all it could with the words around the mention;
            others get as much less as they share less.
        n: nearest entities of each mention that are looked at.
        window: words on each side of a mention that count, beside its own; the farther away, the less.
        progress: show bars; ``None`` shows them on a terminal only.

    Raises:
        InputError: a share that is no finite number or not above 0, less than 1 entity, a negative window.
    """

    def __init__(
        self, share: float, n: int = N_LOOKED, window: int = WINDOW, progress: bool | None = None
    ) -> None:
        self.share = float(share)
        self.n = operator.index(n)
        self.window = operator.index(window)
        self.progress = progress
        if not (math.isfinite(self.share) and self.share > 0):
            raise InputError(f"the share of shared words is {share}; expected a number above 0, such as 0.4")
        if self.n < 1:
            raise InputError(f"shared words look at {n} entities of each mention; expected at least 1")
        if self.window < 0:
            raise InputError(f"the window of shared words is {window}; expected 0 or more")
        self._known: tuple[KnowledgeBase, Descriptions, Names] | None = None

    @property
    def name(self) -> str:
        """Names the settings that decide the order."""
        name = f"shared-words-{repr(self.share).removesuffix('.0')}"
        return name if (self.n, self.window) == (N_LOOKED, WINDOW) else f"{name}-{self.n}-{self.window}"

    def rerank(
        self, corpus: Corpus, kb: KnowledgeBase, near: Neighbours, named: NamePart | None = None
    ) -> Neighbours:
        """Give the first ``n`` entities of each mention a new order; affinities stay where they are.

        Args:
            corpus: the documents.
            kb: the knowledge base.
            near: the nearest entities of each of ``corpus.mentions``.
            named: what names have made of the affinities beside towers; ``None`` levels nothing.
        """
        items = near.items[:, : self.n]
        _, names = self._of(kb)
        known = np.log1p(np.append(names.n_naming, 0))[items]  # the last is where -1 looks
        more = self.share * self.evidence(corpus, kb, items) + WELL_KNOWN * known
        if named is not None:
            more += self._levelled(corpus, names, items, named)
        return rerank(near, more, weight=1.0, temperature=1.0)

    def _levelled(
        self, corpus: Corpus, names: Names, items: NDArray[np.int32], named: NamePart
    ) -> NDArray[np.float64]:
        """What entities with all words of a mention in a name lack to the one of them whose name is nearest."""
        strings = [folded_words(document.text_of(mention)) for document, mention in corpus.mentions]
        held = np.zeros(items.shape, dtype=bool)
        for row, (words, own) in enumerate(zip(strings, items.tolist(), strict=True)):
            if words:
                held[row] = names.hold(words, own)
        rows, places = np.nonzero(held & (held.sum(axis=1, keepdims=True) > 1))
        values = named.affinities(rows, items[rows, places].astype(np.int64))
        most = np.zeros(len(items))
        np.maximum.at(most, rows, values)
        lacking = np.zeros(items.shape)
        # as affinities are, so that equal ones stay as they were whatever machine multiplied
        lacking[rows, places] = np.round(most[rows] - values, 6)
        return lacking

    def evidence(self, corpus: Corpus, kb: KnowledgeBase, items: NDArray[np.int32]) -> NDArray[np.float64]:
        """How much some entities share with the words around each mention.

        What each shares is compared with what the best of them shares, and a little more: where the best has no more
        than two rare words in common with the mention, not even it gets more than one half. A description that begins
        in the mention's own document shares all words with it and counts for nothing: a page seldom links to itself.

        Args:
            corpus: the documents.
            kb: the knowledge base.
            items: numbers of entities, shape (n_mentions, k), a row for each of ``corpus.mentions``; below 0 for
                none.

        Returns:
            From 0 to below 1, the same shape.
        """
        from arborlink.shared_words._sums_kernel import shared_sums  # imports numba

        descriptions, _ = self._of(kb)
        asked, counts, sizes = array("i"), array("d"), array("q")
        of_own_page = np.zeros(items.shape, dtype=bool)
        start = 0
        for document in corpus:
            if not document.mentions:
                continue
            stop = start + len(document.mentions)
            own = descriptions.beginning_in(descriptions.numbers(folded_words(document.text).split()))
            if own:
                of_own_page[start:stop] = np.isin(items[start:stop], list(own))
            for mention in document.mentions:
                around = sorted(self._around(document, mention, descriptions).items())
                asked.extend(word for word, _ in around)
                counts.extend(count for _, count in around)
                sizes.append(len(around))
            start = stop
        sums = shared_sums(
            items,
            np.array(asked, dtype=np.int32),
            np.array(counts, dtype=np.float64),
            np.array([0, *accumulate(sizes)], dtype=np.int64),
            descriptions.words,
            descriptions.weights,
            descriptions.offsets,
        )
        sums[of_own_page] = 0.0
        most = sums.max(axis=1, initial=0.0, keepdims=True)
        np.divide(sums, most + ENOUGH * descriptions.rarest, out=sums, where=most > 0)
        return sums

    def _around(self, document: Document, mention: Mention, descriptions: Descriptions) -> dict[int, float]:
        """The words of the mention and those on both sides of it, and what each counts where it is nearest.

        A word that the mention cuts is no word of theirs.
        """
        signs = self.window * _SIGNS_OF_WORD
        before = folded_words(document.text[max(0, mention.start - signs) : mention.start]).split()
        after = folded_words(document.text[mention.end : mention.end + signs]).split()
        own = folded_words(document.text_of(mention)).split()
        found = dict.fromkeys(descriptions.numbers(own), 1.0)
        for side in (reversed(before), iter(after)):
            for away, word in enumerate(descriptions.numbers(islice(side, self.window)), start=1):
                count = 1 / (1 + away / HALF_WAY)
                found[word] = max(count, found.get(word, 0.0))
        found.pop(-1, None)
        return found

    def _of(self, kb: KnowledgeBase) -> tuple[Descriptions, Names]:
        """Those of the last knowledge base are kept: the next documents mostly have the same."""
        if self._known is None or self._known[0] is not kb:
            self._known = kb, Descriptions.of(kb, self.progress), Names.of(kb, self.progress)
        return self._known[1:]
