"""Look-up and BM25, against their definitions."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from arborlink.entity import Entity
from arborlink.experiments.baselines import Bm25, LookUp
from arborlink.experiments.data_sets import open_data_set

ENTITIES = [
    Entity("a", "red house", aliases=("House, red",), description="a house that is red"),
    Entity("b", "Blue House"),
    Entity("c", "green tree", description="beside the house"),
    Entity("d", "blue house", aliases=("sky",)),
]
# the texts of each entity: every name, and the first name with the description
TEXTS = [
    ["red house", "house red", "red house a house that is red"],
    ["blue house"],
    ["green tree", "green tree beside the house"],
    ["blue house", "sky"],
]


def literal_bm25(query: str) -> list[float]:
    """The best score of each entity's texts."""
    bags = [Counter(text.split()) for texts in TEXTS for text in texts]
    mean = sum(sum(bag.values()) for bag in bags) / len(bags)

    def score(text: str) -> float:
        bag, total = Counter(text.split()), 0.0
        for word in set(query.split()):
            having = sum(word in other for other in bags)
            rarity = math.log(1 + (len(bags) - having + 0.5) / (having + 0.5))
            often = bag[word]
            total += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * sum(bag.values()) / mean))
        return total

    return [max(map(score, texts)) for texts in TEXTS]


@pytest.mark.parametrize("query", ["house", "red house", "blue sky house", "tree unknown", "the green house"])
def test_bm25_is_its_formula(query: str) -> None:
    ranking = Bm25()
    ranking.index(ENTITIES)
    places, scores = ranking.rank(query, 10)
    expected = literal_bm25(query)
    best = sorted((place for place, score in enumerate(expected) if score), key=lambda p: (-expected[p], p))
    assert places.tolist() == best
    assert scores.tolist() == pytest.approx([expected[place] for place in best])


def test_bm25_cuts_equal_scores_by_order() -> None:
    ranking = Bm25()
    ranking.index([Entity(str(i), "same name") for i in range(5)])
    assert ranking.rank("name", 2)[0].tolist() == [0, 1]
    assert ranking.rank("other", 2)[0].tolist() == []


def test_look_up_finds_all_that_bear_the_name() -> None:
    looking = LookUp()
    looking.index(ENTITIES)
    assert looking.rank("BLUE house", 5)[0].tolist() == [1, 3]
    assert looking.rank("BLUE house", 1)[0].tolist() == [1]
    assert looking.rank("house", 5)[0].tolist() == []


@pytest.mark.parametrize("name", ["wikis", "bc5cdr", "medmentions"])
def test_a_mention_is_only_offered_what_it_may_meet(data_folder: Path, name: str) -> None:
    split = open_data_set(name, data_folder).split("test")
    found = LookUp().find(split, 64, 8)
    assert found.hood.others.items.shape == (split.corpus.n_mentions, 0)
    for number, (document, mention) in enumerate(split.corpus.mentions):
        offered = [split.kb.entities[place] for place in found.hood.near.items[number] if place >= 0]
        string = document.text_of(mention)
        expected = [
            entity
            for entity in split.kb
            if string in entity.names and (not split.by_type or set(entity.types) & set(mention.types))
        ]
        assert offered == expected
    assert np.isneginf(found.hood.near.affinities[found.hood.near.items < 0]).all()
