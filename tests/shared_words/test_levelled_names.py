"""Names that have all words of a mention are equally near; well-known entities are a little nearer."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings
from arborlink.encoders.lexical import folded_words
from arborlink.encoders.name_part import NamePart
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.search import Neighbours
from arborlink.shared_words import SharedWords
from arborlink.shared_words.names import Names
from arborlink.shared_words.shared_words import WELL_KNOWN

WORDS = ["Jon", "jon", "Snow", "snow", "Sea", "été"]
name = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
bracketed = st.tuples(name, st.sampled_from(["", "", " (Jon)", " (of the Sea)", "(snow)"])).map("".join)
said = st.lists(st.sampled_from([*WORDS, "the", ",", "'s"]), max_size=10).map(" ".join)


@st.composite
def knowledge_bases(draw: st.DrawFn) -> KnowledgeBase:
    described = draw(
        st.lists(st.tuples(bracketed, st.lists(bracketed, max_size=2), said), min_size=1, max_size=6)
    )
    return KnowledgeBase(
        Entity(f"E{number}", own, tuple(aliases), description)
        for number, (own, aliases, description) in enumerate(described)
    )


def bare(own: str) -> str:
    return re.sub(r"\s*\([^()]*\)$", "", own)


class Twin:
    """Every name at every place of every text."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.names = [[bare(own) for own in entity.names] for entity in kb]
        self.texts = [re.findall(r"\w+", entity.description) for entity in kb]

    def named_in(self, text: list[str]) -> set[int]:
        found, place = set(), 0
        while place < len(text):
            begin = {
                entity: max(
                    (len(words) for words in self.spelt(entity) if text[place:][: len(words)] == words),
                    default=0,
                )
                for entity in range(len(self.names))
            }
            longest = max(begin.values())
            found |= {entity for entity, length in begin.items() if length == longest > 0}
            place += max(1, longest)
        return found

    def spelt(self, entity: int) -> list[list[str]]:
        return [re.findall(r"\w+", own) for own in self.names[entity]]

    def n_naming(self, entity: int) -> int:
        return sum(entity in self.named_in(text) for page, text in enumerate(self.texts) if page != entity)

    def holds(self, mention: str, entity: int) -> bool:
        words = folded_words(mention).split()
        for own in self.names[entity]:
            has = folded_words(own).split()
            if any(has[place:][: len(words)] == words for place in range(len(has))):
                return True
        return False


@settings(deadline=None, max_examples=300)
@given(kb=knowledge_bases(), mention=name)
def test_names_against_a_literal_twin(kb: KnowledgeBase, mention: str) -> None:
    names, twin = Names.of(kb, progress=False), Twin(kb)
    everyone = range(len(kb))
    assert names.n_naming.tolist() == [twin.n_naming(entity) for entity in everyone]
    held = names.hold(folded_words(mention), [*everyone, -1])
    assert held == [*(twin.holds(mention, entity) for entity in everyone), False]


def test_a_longer_name_is_no_shorter_one() -> None:
    kb = KnowledgeBase(
        [
            Entity("long", "Jon Snow", description="Jon Snow is no Jon."),
            Entity("short", "Jon (given name)", description="Many are called so."),
            Entity("page", "Wall", description="Jon Snow and jon stood there. Jon Snow left."),
            Entity("other", "Sea", description="Jon and the Wall"),
        ]
    )
    # what says so twice counts once, the entity's own description not at all, another case is another word
    assert Names.of(kb, progress=False).n_naming.tolist() == [1, 2, 1, 0]


def affinity_by_hand(mentions: Embeddings, entities: Embeddings, width: int, i: int, j: int) -> float:
    vector = mentions.vectors[mentions.rows[i]][-width:].astype(np.float64)
    rows = entities.rows[entities.offsets[j] : entities.offsets[j + 1]]
    return max([0.0, *(float(entities.vectors[row][-width:] @ vector) for row in rows)])


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 10**6), width=st.integers(1, 5), held=st.sampled_from([1, 3, 1 << 14]))
def test_the_part_of_names_is_the_product_of_the_last_numbers(seed: int, width: int, held: int) -> None:
    chance = np.random.default_rng(seed)
    mentions = Embeddings.one_each(chance.normal(size=(4, 5)).astype(np.float32))
    counts = chance.integers(0, 4, size=5)
    entities = Embeddings(
        chance.normal(size=(6, 5)).astype(np.float32),
        chance.integers(0, 6, size=counts.sum()).astype(np.int32),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )
    pairs = chance.integers(0, [[4], [5]], size=(2, int(chance.integers(0, 12))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arborlink.encoders.name_part._HELD", held)
        found = NamePart(mentions, entities, width).affinities(*pairs)
    expected = [affinity_by_hand(mentions, entities, width, i, j) for i, j in pairs.T.tolist()]
    assert found.tolist() == pytest.approx(expected, abs=1e-5)


@settings(deadline=None, max_examples=100)
@given(kb=knowledge_bases(), texts=st.lists(name, min_size=1, max_size=3), seed=st.integers(0, 10**6))
def test_the_order_is_that_of_affinity_level_and_evidence(
    kb: KnowledgeBase, texts: list[str], seed: int
) -> None:
    chance = np.random.default_rng(seed)
    corpus = Corpus(
        Document(f"d{n}", text, (Mention(f"m{n}", 0, len(text)),)) for n, text in enumerate(texts)
    )
    mentions = Embeddings.one_each(chance.uniform(0, 1, size=(len(texts), 3)).astype(np.float32))
    entities = Embeddings.one_each(chance.uniform(0, 1, size=(len(kb), 3)).astype(np.float32))
    affinities = mentions.vectors.astype(np.float64) @ entities.vectors.astype(np.float64).T
    items: NDArray[np.int32] = np.argsort(-affinities, axis=1, kind="stable").astype(np.int32)
    near = Neighbours(items, np.take_along_axis(affinities, items.astype(np.int64), axis=1))
    words, share = SharedWords(0.3, progress=False), 0.3
    found = words.rerank(corpus, kb, near, NamePart(mentions, entities, 2))
    evidence, twin = words.evidence(corpus, kb, items), Twin(kb)
    for row, text in enumerate(texts):
        by_names = {e: affinity_by_hand(mentions, entities, 2, row, e) for e in range(len(kb))}
        held = [e for e in by_names if twin.holds(text, e)]
        most = max((by_names[e] for e in held), default=0.0)
        value = {}
        for place, entity in enumerate(items[row].tolist()):
            level = most - by_names[entity] if entity in held else 0.0
            known = WELL_KNOWN * math.log1p(twin.n_naming(entity))
            value[entity] = near.affinities[row, place] + level + share * evidence[row, place] + known
        order = [value[entity] for entity in found.items[row].tolist()]
        assert all(one >= other - 1e-5 for one, other in pairwise(order))
    assert np.array_equal(found.affinities, near.affinities)
    assert np.array_equal(np.sort(found.items), np.sort(items))


def test_without_a_part_of_names_nothing_is_levelled() -> None:
    kb = KnowledgeBase([Entity("A", "Jon"), Entity("B", "Jon Snow")])
    corpus = Corpus([Document("d", "Jon", (Mention("m", 0, 3),))])
    near = Neighbours(np.array([[0, 1]], np.int32), np.array([[0.875, 0.625]]))
    words = SharedWords(0.4, progress=False)
    assert words.rerank(corpus, kb, near).items.tolist() == [[0, 1]]
    # all that B lacks to A is what the names make of it, and a little more
    mention = Embeddings.one_each(np.array([[1.0, 1.0]], np.float32))
    entities = Embeddings.one_each(np.array([[0.375, 0.5], [0.5, 0.125]], np.float32))
    assert words.rerank(corpus, kb, near, NamePart(mention, entities, 1)).items.tolist() == [[1, 0]]
    # where names are all there is, they are equal, and equal ones stay as they were
    assert words.rerank(corpus, kb, near, NamePart(mention, entities, 2)).items.tolist() == [[0, 1]]
