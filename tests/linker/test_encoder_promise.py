"""Any encoder that keeps the promise can be linked with; one that breaks it is told so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
import pytest
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings, Encoder
from arborlink.entity import Entity
from arborlink.errors import InputError, ModelError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker

CORPUS = Corpus(
    [
        Document("d1", "the bark of old oak", (Mention("tree", 4, 8),)),
        Document("d2", "one bark by angry dog", (Mention("dog", 4, 8),)),
        Document("d3", "no mention here"),
    ]
)
KB = KnowledgeBase(
    [
        Entity("B1", "bark", description="what a dog says when it is angry"),
        Entity("B2", "bark", description="outside of an oak tree"),
    ]
)


class TwoTowers:
    """Words in context on one side, names and descriptions on the other, each with weights of its own."""

    fingerprint = "two towers of words"

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        return Embeddings.one_each(np.stack([_words(document.text) for document, _ in corpus.mentions]))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        texts = [f"{entity.name} {entity.description}" for entity in kb]
        return Embeddings.one_each(np.stack([2 * _words(text) for text in texts]))


def _words(text: str) -> NDArray[np.float32]:
    vector = np.zeros(4096, dtype=np.float32)
    for word in set(text.split()):
        vector[int.from_bytes(blake2b(word.encode(), digest_size=2).digest()) % 4096] = 1
    return vector


def test_two_towers_fit_without_a_word_about_them_in_the_linker() -> None:
    encoder = TwoTowers()
    assert isinstance(encoder, Encoder)
    result = Linker(encoder).link(CORPUS, KB, neighbours=1)
    assert [(link.mention, link.entity) for link in result.links] == [("tree", "B2"), ("dog", "B1")]
    assert result.settings["model"] == "two towers of words"
    # twice the words in common: bark, angry, dog
    assert result["dog"].affinity == 6


@dataclass(frozen=True)
class Fixed:
    """Gives what it was given."""

    mentions: Embeddings
    entities: Embeddings
    fingerprint: str = "fixed"

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        return self.mentions

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        return self.entities


def vectors(*rows: list[float]) -> NDArray[np.float32]:
    return np.array(rows, dtype=np.float32)


TWO = Embeddings.one_each(vectors([1, 0], [0, 1]))


def test_of_several_vectors_the_best_counts_and_an_entity_without_any_is_near_to_nobody() -> None:
    names = Embeddings(
        vectors([0.25, 0], [0, 0.5], [0.75, 0]), np.array([0, 1, 2], np.int32), np.array([0, 3, 3])
    )
    result = Linker(Fixed(TWO, names)).link(CORPUS, KB, candidates=2)
    assert [(link.entity, link.affinity, link.runner_up) for link in result.links] == [
        ("B1", 0.75, None),
        ("B1", 0.5, None),
    ]


def test_mentions_that_share_a_vector_share_a_fate() -> None:
    alike = Embeddings.one_each(vectors([1, 0]), np.zeros(2, np.int32))
    result = Linker(Fixed(alike, TWO)).link(CORPUS, KB, neighbours=1)
    assert [(link.entity, link.cluster) for link in result.links] == [("B1", 0), ("B1", 0)]


def test_no_mentions_nothing_to_link() -> None:
    with pytest.raises(InputError, match="the documents have no mentions: mark the spans to be linked"):
        Linker(Fixed(TWO, TWO)).link(Corpus([Document("d", "text")]), KB)


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        (Fixed(Embeddings.one_each(vectors([1, 0])), TWO), "gave vectors for 1 mentions; expected 2"),
        (
            Fixed(TWO, Embeddings.one_each(vectors([1, 0], [0, 1], [1, 1]))),
            "gave vectors for 3 entities; expected 2",
        ),
        (Fixed(TWO, Embeddings.one_each(vectors([1], [0]))), "have 2 dimensions and entity vectors 1"),
        (
            Fixed(Embeddings(TWO.vectors, np.array([0, 1, 1], np.int32), np.array([0, 1, 3])), TWO),
            "gave several vectors, or none, for a mention; expected one for each",
        ),
        (
            Fixed(Embeddings(TWO.vectors, np.array([0, 1], np.int32), np.array([0, 0, 2])), TWO),
            "gave several vectors, or none, for a mention",
        ),
        (
            Fixed(replace(TWO, vectors=vectors([1, 0], [np.nan, 1])), TWO),
            "vectors of mentions that hold NaN or infinity",
        ),
        (
            Fixed(TWO, replace(TWO, vectors=vectors([np.inf, -np.inf], [0, 1]))),
            "vectors of entities that hold NaN or infinity",
        ),
    ],
)
def test_a_broken_promise_is_told(encoder: Fixed, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Linker(encoder).link(CORPUS, KB)
