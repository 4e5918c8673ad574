"""Linking with affinities given by hand: an encoder whose inner products are exactly the numbers of a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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
from arborlink.result import Result

LinkGiven = Callable[..., Result]


class GivenEncoder:
    """Vectors with a dimension for each mention (met by entities) and one for each pair of mentions.

    Args:
        to_entities: affinities, one row for each mention, one column for each entity.
        pairs: affinities of pairs of mentions, by their numbers; the others are 0.
    """

    fingerprint = "given"

    def __init__(
        self, to_entities: Sequence[Sequence[float]], pairs: Mapping[tuple[int, int], float]
    ) -> None:
        self.to_entities = np.array(to_entities, dtype=np.float32)
        self.pairs = pairs

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        n = len(self.to_entities)
        vectors = np.zeros((n, n + len(self.pairs)), dtype=np.float32)
        vectors[:, :n] = np.eye(n)
        for place, ((one, other), affinity) in enumerate(self.pairs.items(), start=n):
            vectors[one, place], vectors[other, place] = 1, affinity
        return Embeddings.one_each(vectors)

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        n, n_entities = self.to_entities.shape
        vectors = np.zeros((n_entities, n + len(self.pairs)), dtype=np.float32)
        vectors[:, :n] = self.to_entities.T
        return Embeddings.one_each(vectors)


def _world(
    mentions: Sequence[str], entities: Sequence[str], types: Mapping[str, tuple[str, ...]]
) -> tuple[Corpus, KnowledgeBase]:
    """A document for each mention, which says its own id; entity ``A`` is named ``name of A``."""
    documents = [
        Document(f"about-{id_}", f"Say {id_}!", (Mention(id_, 4, 4 + len(id_), types.get(id_, ())),))
        for id_ in mentions
    ]
    kb = KnowledgeBase(Entity(id_, f"name of {id_}", types=types.get(id_, ())) for id_ in entities)
    return Corpus(documents), kb


@pytest.fixture
def link_given() -> LinkGiven:
    """``link_given("xyz", "AC", [[...], ...], {(0, 1): 0.9}, inference="directed", ...)``.

    ``types`` gives the types of mentions and entities by id, ``defaults`` and ``detour`` are those of the linker;
    other options are those of ``Linker.link``.
    """

    def link(
        mentions: Sequence[str],
        entities: Sequence[str],
        to_entities: Sequence[Sequence[float]],
        pairs: Mapping[tuple[int, int], float] | None = None,
        *,
        types: Mapping[str, tuple[str, ...]] | None = None,
        defaults: Inference | None = None,
        detour: float = 0.0,
        **options: object,
    ) -> Result:
        corpus, kb = _world(mentions, entities, types or {})
        encoder = GivenEncoder(to_entities, pairs or {})
        linker = Linker(encoder, progress=False, defaults=defaults, detour=detour)
        return linker.link(corpus, kb, **options)  # type: ignore[arg-type]

    return link
