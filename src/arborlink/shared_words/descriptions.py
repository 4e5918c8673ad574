"""The words of all descriptions, and what each of them counts for where it stands."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.lexical import folded_words
from arborlink.knowledge_base import KnowledgeBase
from arborlink.progress import progress_bar

_K1, _B = 1.2, 0.75
# Words by which a description is known again in a document; two texts that share as many are hardly two.
OPENING = 12


@dataclass(frozen=True, eq=False)
class Descriptions:
    """The words of every entity's description, numbered, with their weights by BM25.

    References:
        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; k1 = 1.2, b = 0.75.

    Args:
        number_of: words to numbers.
        words: int32: distinct words of entity e, ascending: ``words[offsets[e]:offsets[e + 1]]``.
        weights: float64, the same shape: what each of them counts for in that description.
        offsets: int64, shape (n_entities + 1,).
        openings: the first words of a description, to the entities whose descriptions begin so.
        rarest: what a word counts for that no other description has, in one of mean length.
    """

    number_of: dict[str, int]
    words: NDArray[np.int32]
    weights: NDArray[np.float64]
    offsets: NDArray[np.int64]
    openings: dict[tuple[int, ...], list[int]]
    rarest: float

    @classmethod
    def of(cls, kb: KnowledgeBase, progress: bool | None = None) -> Descriptions:
        """Count the words of a knowledge base; those of many descriptions, and those of long ones, count less."""
        number_of: dict[str, int] = {}
        openings: dict[tuple[int, ...], list[int]] = {}
        words, times, sizes, lengths = array("i"), array("i"), array("q"), array("q")
        with progress_bar("Reading descriptions", len(kb), progress) as advance:
            for entity, own in enumerate(kb):
                said = [
                    number_of.setdefault(word, len(number_of))
                    for word in folded_words(own.description).split()
                ]
                if len(said) >= OPENING:
                    openings.setdefault(tuple(said[:OPENING]), []).append(entity)
                counted = sorted(Counter(said).items())
                words.extend(word for word, _ in counted)
                times.extend(count for _, count in counted)
                sizes.append(len(counted))
                lengths.append(len(said))
                advance(1)
        which, often = np.array(words, dtype=np.int32), np.array(times, dtype=np.float64)
        offsets = np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))])
        weights = _weights(which, often, np.diff(offsets), np.array(lengths, dtype=np.float64))
        n_texts = len(lengths) - lengths.count(0)
        rarest = float(_rarity(np.ones(1), n_texts)[0]) if n_texts else 0.0
        return cls(number_of, which, weights, offsets, openings, rarest)

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The numbers of words; -1 for those that no description has."""
        return [self.number_of.get(word, -1) for word in words]

    def beginning_in(self, said: list[int]) -> set[int]:
        """The entities whose descriptions begin somewhere in a text, given as numbers of words."""
        if not self.openings:
            return set()
        starts = range(len(said) - OPENING + 1)
        runs = (tuple(said[start : start + OPENING]) for start in starts)
        return {entity for run in runs for entity in self.openings.get(run, ())}


def _weights(
    words: NDArray[np.int32],
    often: NDArray[np.float64],
    sizes: NDArray[np.int64],
    lengths: NDArray[np.float64],
) -> NDArray[np.float64]:
    """What each word of each description counts for; entities without a description are no texts."""
    is_text = lengths > 0
    if not is_text.any():
        return np.zeros(0)
    penalty = _K1 * (1 - _B + _B * lengths / lengths[is_text].mean())
    rarity = _rarity(np.bincount(words).astype(np.float64), int(is_text.sum()))
    found: NDArray[np.float64] = rarity[words] * often * (_K1 + 1) / (often + np.repeat(penalty, sizes))
    return found


def _rarity(n_having: NDArray[np.float64], n_texts: int) -> NDArray[np.float64]:
    """How much it says that a text has a word which so many texts have."""
    found: NDArray[np.float64] = np.log(1 + (n_texts - n_having + 0.5) / (n_having + 0.5))
    return found
