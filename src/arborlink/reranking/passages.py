"""The passages about an entity that say most about a mention: evidence that its name and first words do not show.

A description may be a whole page, of which a network reads the first words; and what documents call an entity may
stand in no knowledge base, but in labelled documents. Both are cut into passages, and for each mention and entity
those are read that share most with the mention: its string and the words of it, the opening of its document, and what
stands around it; rare words count more. What one passage has said counts half in the next, so that two of them say
different things.

Labelled mentions give a passage each, their window. Those of the mention's own document are left out: they would give
the answer away (:class:`~arborlink.voting.OwnDocuments`).
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoders.lexical import folded_words
from arborlink.encoders.views import Markers
from arborlink.knowledge_base import KnowledgeBase
from arborlink.voting import OwnDocuments, known_entities

Integers = NDArray[np.int64]
# What the words of a mention weigh, against those around it: its string as a whole and its words where a labelled
# mention has them, its words anywhere, those of the opening of its document.
_STRING, _IN_MENTION, _MENTION, _OPENING, _AROUND = 4.0, 4.0, 4.0, 2.0, 1.0
# Words of an opening that are asked for.
_OPENING_WORDS = 12
# Signs around the mention that are asked for, on each side.
_NEAR = 300
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")


@dataclass(frozen=True)
class Passages:
    """Passages of some entities, and the words each is known by.

    Args:
        texts: the passages, those of entity 0, then those of entity 1, and so on.
        first: int64, shape (n_entities + 1,): where the passages of each entity begin.
        example: int64, shape (n_passages,): the number of the labelled mention that gives the passage; -1 for one of
            a description.
        number_of_word: all words that passages are known by, numbered.
        words: int64: the words of passage 0, each once, then those of passage 1, and so on.
        offsets: int64, shape (n_passages + 1,): where the words of each passage begin.
    """

    texts: list[str]
    first: Integers
    example: Integers
    number_of_word: dict[str, int]
    words: Integers
    offsets: Integers

    @classmethod
    def of(
        cls,
        kb: KnowledgeBase,
        wanted: Integers,
        n_words: int,
        n_shown: int = 0,
        examples: Corpus | None = None,
        windows: Sequence[str] = (),
        markers: Markers | None = None,
    ) -> Passages:
        """Cut the descriptions of some entities, and gather what labelled documents say of them.

        Args:
            kb: the knowledge base.
            wanted: numbers of the entities; the others get no passage.
            n_words: words of a passage of a description.
            n_shown: words of an entity that are read anyway: names, types and the first words of the description.
            examples: labelled documents.
            windows: each of their mentions in its window.
            markers: the special tokens in the windows, which are no words.
        """
        marks = () if markers is None else markers.all
        said: dict[int, list[tuple[int, str]]] = {int(number): [] for number in np.sort(wanted)}
        if examples is not None:
            known = known_entities(examples, kb).tolist()
            for number, (document, mention) in enumerate(examples.mentions):
                if known[number] in said:
                    said[known[number]].append((number, document.text[mention.start : mention.end]))
        texts: list[str] = []
        numbers: list[int] = []
        words = _Words()
        n_passages = np.zeros(len(kb), dtype=np.int64)
        for entity, mentioned in said.items():
            own, before = kb.entities[entity], len(texts)
            named = sum(len(part.split()) for part in (*own.names, *own.types))
            for passage in pieces(own.description, n_words, max(0, n_shown - named)):
                texts.append(passage)
                numbers.append(-1)
                words.add(folded_words(passage).split())
            for number, string in mentioned:
                texts.append(windows[number])
                numbers.append(number)
                plain = " ".join(word for word in windows[number].split() if word not in marks)
                words.add([*folded_words(plain).split(), *(key for key, _ in mention_words(string))])
            n_passages[entity] = len(texts) - before
        first = np.concatenate([[0], np.cumsum(n_passages)]).astype(np.int64)
        return cls(texts, first, np.array(numbers, dtype=np.int64), *words.gathered())

    def choose(
        self,
        corpus: Corpus,
        mentions: Integers,
        items: NDArray[np.int32],
        n: int,
        examples: Corpus | None = None,
    ) -> Integers:
        """The n passages of each entity that say most about each mention.

        Args:
            corpus: the documents.
            mentions: numbers of mentions, shape (m,).
            items: entities of each of them, shape (m, k); below 0 for none.
            n: passages.
            examples: the labelled documents that the passages were gathered from.

        Returns:
            Numbers of passages, best first, shape (m, k, n); -1 where there are no more. Of equals the first comes
            first.
        """
        from arborlink.reranking._choosing import choose  # imports numba

        rarity = _rarity(self.words, len(self.number_of_word), len(self.texts))
        asked, weights, counts = _asked(corpus, mentions, self.number_of_word, rarity)
        of_mentions = np.full(len(mentions), -1, dtype=np.int32)
        of_passages = np.full(len(self.texts), -1, dtype=np.int32)
        if examples is not None:
            own = OwnDocuments.of(corpus, examples)
            of_mentions = own.of_mentions[mentions]
            is_example = self.example >= 0
            of_passages[is_example] = own.of_examples[self.example[is_example]]
        chosen: Integers = choose(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            asked,
            weights,
            np.ascontiguousarray(items, dtype=np.int32),
            self.first,
            self.offsets,
            self.words,
            of_mentions,
            of_passages,
            len(self.number_of_word),
            n,
        )
        return chosen


def pieces(text: str, n_words: int, n_shown: int = 0) -> list[str]:
    """A text in pieces of whole sentences of at most so many words together; longer sentences are cut.

    Args:
        text: the text.
        n_words: most words of a piece.
        n_shown: words at the beginning that are left out, up to the end of the sentence before.

    Example:
        >>> pieces("One two. Three. Four five six seven.", 3)
        ['One two. Three.', 'Four five six', 'seven.']
    """
    found: list[list[str]] = []
    n_before = 0
    for sentence in _SENTENCE_END.split(text):
        words = sentence.split()
        n_before += len(words)
        if n_before <= n_shown:
            continue
        if found and len(found[-1]) + len(words) <= n_words:
            found[-1] += words
            continue
        found += [words[start : start + n_words] for start in range(0, len(words), n_words)]
    return [" ".join(words) for words in found]


def mention_words(string: str) -> Iterator[tuple[str, float]]:
    """What a mention is known by beside its words as such, and what each weighs: no word contains a blank."""
    folded = folded_words(string)
    yield f"= {folded}", _STRING
    for word in dict.fromkeys(folded.split()):
        yield f"in {word}", _IN_MENTION


def query(text: str, start: int, end: int) -> dict[str, float]:
    """The words that a mention asks for, and what each weighs before its rarity.

    Args:
        text: of the document.
        start: where the mention begins.
        end: where it ends.
    """
    string = text[start:end]
    around = f"{text[max(0, start - _NEAR) : start]} {text[end : end + _NEAR]}"
    found = dict.fromkeys(folded_words(around).split(), _AROUND)
    opening = folded_words(text[:_NEAR]).split()[:_OPENING_WORDS]
    found |= dict.fromkeys(opening, _OPENING)
    found |= dict.fromkeys(folded_words(string).split(), _MENTION)
    return found | dict(mention_words(string))


def _asked(
    corpus: Corpus, mentions: Integers, number_of_word: dict[str, int], rarity: NDArray[np.float64]
) -> tuple[Integers, NDArray[np.float64], list[int]]:
    """The words of all mentions one after the other, what each weighs, and how many each mention has."""
    all_mentions = list(corpus.mentions)
    asked: list[int] = []
    weights: list[float] = []
    counts: list[int] = []
    for number in mentions.tolist():
        document, mention = all_mentions[number]
        before = len(asked)
        for word, weight in query(document.text, mention.start, mention.end).items():
            if (known := number_of_word.get(word)) is not None:
                asked.append(known)
                weights.append(weight)
        counts.append(len(asked) - before)
    numbers = np.array(asked, dtype=np.int64)
    return numbers, np.array(weights, dtype=np.float64) * rarity[numbers], counts


class _Words:
    """The words of passages as numbers: as strings they would take ten times the memory."""

    def __init__(self) -> None:
        self._number_of_word: dict[str, int] = {}
        self._numbers = array("q")
        self._counts = array("q")

    def add(self, words: Iterable[str]) -> None:
        """Number the words of the next passage, each once."""
        # sums of floats must not depend on the order that a set happens to have
        known, each = self._number_of_word, sorted(set(words))
        self._numbers.extend([known.setdefault(word, len(known)) for word in each])
        self._counts.append(len(each))

    def gathered(self) -> tuple[dict[str, int], Integers, Integers]:
        """The number of each word, the words of all passages, and where those of each begin."""
        offsets = np.concatenate([[0], np.cumsum(np.array(self._counts, dtype=np.int64))])
        return self._number_of_word, np.array(self._numbers, dtype=np.int64), offsets.astype(np.int64)


def _rarity(words: Integers, n_words: int, n_passages: int) -> NDArray[np.float64]:
    """The logarithm of how many passages there are for each that has the word."""
    counts = np.bincount(words, minlength=n_words)
    return np.log1p(n_passages / np.maximum(1, counts)) / math.log(2)
