"""Labelled mentions vote for their entities: counted fast as the formula says, and heard by the linker."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.neighbourhood import Neighbourhood
from arborlink.search import Neighbours
from arborlink.voting import TEXT_VOTES, Examples, count_votes


def _literally(
    texts: list[tuple[int, float]], voters: list[tuple[int, float]], temperature: float
) -> list[tuple[int, float]]:
    """The formula of the module, entity by entity."""
    sums: dict[int, float] = {}
    for entity, affinity in texts:
        sums[entity] = sums.get(entity, 0.0) + TEXT_VOTES * math.exp(affinity / temperature)
    for entity, affinity in voters:
        sums[entity] = sums.get(entity, 0.0) + math.exp(affinity / temperature)
    found = [(entity, temperature * math.log(total)) for entity, total in sums.items()]
    return sorted(found, key=lambda each: (-each[1], each[0]))


_affinity = st.integers(-20, 20).map(lambda number: number / 20)


@given(
    texts=st.lists(_affinity, max_size=6),
    voters=st.lists(st.tuples(st.integers(0, 7), _affinity), max_size=8),
    temperature=st.sampled_from([0.05, 0.2, 1.0]),
    k=st.integers(1, 9),
    n_missing=st.integers(0, 3),
)
def test_votes_are_counted_as_the_formula_says(
    texts: list[float], voters: list[tuple[int, float]], temperature: float, k: int, n_missing: int
) -> None:
    missing = ([-1] * n_missing, [-np.inf] * n_missing)
    near = Neighbours(
        np.array([[*range(len(texts)), *missing[0]]], dtype=np.int32), np.array([[*texts, *missing[1]]])
    )
    examples = Neighbours(
        np.array([[*range(len(voters)), *missing[0]]], dtype=np.int32),
        np.array([[*(affinity for _, affinity in voters), *missing[1]]]),
    )
    entities = np.array([entity for entity, _ in voters], dtype=np.int32)
    found = count_votes(near, examples, entities, temperature, k)
    expected = _literally(list(enumerate(texts)), voters, temperature)[:k]
    n = len(expected)
    assert (found.items[0, n:] == -1).all()
    assert np.isneginf(found.affinities[0, n:]).all()
    assert found.affinities[0, :n] == pytest.approx([affinity for _, affinity in expected])
    # equal sums may come out in either order by a rounding: compare what is clearly apart
    for place, (entity, affinity) in enumerate(expected):
        if all(abs(affinity - other) > 1e-9 for item, other in expected if item != entity):
            assert found.items[0, place] == entity


def test_many_near_examples_outvote_one_that_is_a_little_nearer() -> None:
    texts = Neighbours(np.array([[0, 1]], np.int32), np.array([[0.1, 0.1]]))
    voters = Neighbours(np.arange(5, dtype=np.int32)[None], np.array([[0.80, 0.79, 0.79, 0.79, 0.79]]))
    found = count_votes(texts, voters, np.array([0, 1, 1, 1, 1], np.int32), 0.05, 2)
    assert found.items.tolist() == [[1, 0]]


def test_an_example_only_meets_whom_its_entity_may_meet() -> None:
    one = Embeddings.one_each(np.eye(2, dtype=np.float32)[:1])
    entities = Embeddings.one_each(np.array([[0.2, 0], [0.1, 0]], dtype=np.float32))
    examples = Examples(
        Embeddings.one_each(np.array([[0.9, 0]], dtype=np.float32)), np.array([1], dtype=np.int32)
    )
    drug, gene = frozenset(["drug"]), frozenset(["gene"])
    free = Neighbourhood.search(one, entities, 1, 0, examples=examples)
    bound = Neighbourhood.search(one, entities, 1, 0, examples=examples, labels=Labels([drug], [drug, gene]))
    assert free.near.items.tolist() == [[1]]
    assert bound.near.items.tolist() == [[0]]


class _ByLetter:
    """A mention is its text's letters; entities are told apart by theirs."""

    fingerprint = "by letter"

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        return Embeddings.one_each(_vectors([document.text_of(m) for document, m in corpus.mentions]))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        return Embeddings.one_each(_vectors([entity.name for entity in kb]))


def _vectors(texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    counts = np.array([[text.count(letter) for letter in "abcdef"] for text in texts], dtype=np.float32)
    lengths = np.sqrt((counts**2).sum(axis=1, keepdims=True))
    unit: np.ndarray[tuple[int, int], np.dtype[np.float32]] = np.divide(counts, lengths)
    return unit


def _documents(mentions: dict[str, str | None]) -> Corpus:
    return Corpus(
        Document(
            id=f"d-{text}",
            text=text,
            mentions=(Mention(id=text, start=0, end=len(text), entities=None if gold is None else (gold,)),),
        )
        for text, gold in mentions.items()
    )


@pytest.fixture
def kb() -> KnowledgeBase:
    return KnowledgeBase([Entity(id="A", name="aab"), Entity(id="B", name="bbc")])


def test_the_linker_listens_to_examples(kb: KnowledgeBase) -> None:
    linker = Linker(_ByLetter())
    corpus = _documents({"dde": None})
    told = linker.with_examples(_documents({"ddf": "B", "f": "unknown"}))
    assert linker.link(corpus, kb).links[0].entity == "A"  # equally far from both: the first
    result = told.link(corpus, kb)
    assert result.links[0].entity == "B"
    assert result.settings["n_examples"] == 2
    assert result.settings["model"] != linker.link(corpus, kb).settings["model"]
    assert linker.examples is None


def test_examples_of_another_knowledge_base_are_refused(kb: KnowledgeBase) -> None:
    linker = Linker(_ByLetter()).with_examples(_documents({"ddf": "elsewhere"}))
    with pytest.raises(InputError, match="none of the 1 mentions of the examples"):
        linker.link(_documents({"dde": None}), kb)
