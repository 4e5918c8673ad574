"""The inner loop of :mod:`arborlink.reranking.passages`, apart because importing numba takes a while."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled

# What a word that one passage has said still counts in the next.
SAID = 0.5


@compiled
def choose(
    asked_offsets: NDArray[np.int64],
    asked: NDArray[np.int64],
    weights: NDArray[np.float64],
    items: NDArray[np.int32],
    first_passage: NDArray[np.int64],
    word_offsets: NDArray[np.int64],
    words: NDArray[np.int64],
    text_of_mention: NDArray[np.int32],
    text_of_passage: NDArray[np.int32],
    n_words: int,
    n: int,
) -> NDArray[np.int64]:
    """For each mention and entity the n passages whose words weigh most, -1 where there are no more.

    Args:
        asked_offsets: where the words of each mention begin, shape (n_mentions + 1,).
        asked: the words that each mention asks for, each once.
        weights: of these words.
        items: entities of each mention, shape (n_mentions, k); below 0 for none.
        first_passage: where the passages of each entity begin, shape (n_entities + 1,).
        word_offsets: where the words of each passage begin, shape (n_passages + 1,).
        words: the words of each passage, each once.
        text_of_mention: the text each mention stands in; -1 for one that no passage is from.
        text_of_passage: the text each passage is from; -1 for one that no mention stands in.
        n_words: how many words there are.
        n: passages to choose.

    Returns:
        int64, shape (n_mentions, k, n).
    """
    n_mentions, k = items.shape
    chosen = np.full((n_mentions, k, n), -1, dtype=np.int64)
    worth = np.zeros(n_words, dtype=np.float64)
    most = np.empty(len(text_of_passage), dtype=np.float64)  # what each passage weighs at most
    for mention in range(n_mentions):
        begin, end = asked_offsets[mention], asked_offsets[mention + 1]
        for place in range(k):
            entity = items[mention, place]
            if entity < 0:
                continue
            for number in range(begin, end):
                worth[asked[number]] = weights[number]
            start, stop = first_passage[entity], first_passage[entity + 1]
            for passage in range(start, stop):
                own = text_of_passage[passage]
                most[passage] = -1.0 if own >= 0 and own == text_of_mention[mention] else np.inf
            for slot in range(n):
                best, highest = -1, -1.0
                for passage in range(start, stop):
                    # words only lose worth: what weighed no more than the best before weighs no more now
                    if most[passage] <= highest:
                        continue
                    total = 0.0
                    for number in range(word_offsets[passage], word_offsets[passage + 1]):
                        total += worth[words[number]]
                    most[passage] = total
                    if total > highest:
                        best, highest = passage, total
                if best < 0:
                    break
                most[best] = -1.0
                chosen[mention, place, slot] = best
                for number in range(word_offsets[best], word_offsets[best + 1]):
                    worth[words[number]] *= SAID
        for number in range(begin, end):
            worth[asked[number]] = 0.0
    return chosen
