"""Two entities of one name whose descriptions say which is meant, and an encoder with affinities given by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings
from arborlink.encoders.model_folder import Inference
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker


class GivenEncoder:
    """What a mention says is near to the entities as the table has it, and to what says the same.

    Args:
        near: affinities to the entities in their order, by what mentions say.
    """

    fingerprint = "given"

    def __init__(self, near: Mapping[str, Sequence[float]]) -> None:
        self.near = dict(near)

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        places = {said: place for place, said in enumerate(self.near)}
        own = [places[document.text_of(mention)] for document, mention in corpus.mentions]
        return Embeddings.one_each(np.eye(len(places), dtype=np.float32)[own])

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        return Embeddings.one_each(np.array(list(self.near.values()), dtype=np.float32).T.copy())


@pytest.fixture
def mercury() -> KnowledgeBase:
    """A planet, a metal and a god of one name; what tells them apart is in what they are said to be."""
    return KnowledgeBase(
        [
            Entity("planet", "Mercury", description="Smallest planet, whose orbit lies nearest to our sun."),
            Entity("metal", "Mercury", description="Liquid metal, once in every glass thermometer."),
            Entity("god", "Mercury", description="Messenger of Rome with wings on his shoes."),
        ]
    )


@pytest.fixture
def thermometer() -> Corpus:
    """One document with one mention, which is the metal."""
    text = "He broke the thermometer: glass and mercury ran over the floor"
    start = text.index("mercury")
    return Corpus([Document("d", text, (Mention("m", start, start + 7),))])


@pytest.fixture
def linker() -> Linker:
    """To it mercury is a planet first, a metal if not, and hardly a god."""
    near = {"mercury": (0.8, 0.7, 0.3), "Mercury": (0.9, 0.2, 0.1)}
    return Linker(GivenEncoder(near), progress=False, defaults=Inference("independent", 0))
