"""Towers and names side by side: affinities are the weighted mean of the two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from embeddings_world import affinity, embeddings
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink import Corpus, Document, Entity, KnowledgeBase, Mention
from arborlink.encoder import Embeddings, TextualEncoder
from arborlink.encoders.blended import BlendedEncoder, blended_entities, blended_mentions
from arborlink.encoders.loading import load_encoder
from arborlink.encoders.names import NameEncoder
from arborlink.encoders.towers import TowerEncoder

KB = KnowledgeBase(
    [
        Entity("Q1", "aspirin", ("acetylsalicylic acid", "ASA")),
        Entity("Q2", "fever", ("pyrexia",)),
        Entity("Q3", "aspirin", description="a horse"),
        Entity("Q4", "x"),
    ]
)
TEXT = "Aspirin against fever, and aspirin again; Fever too."
CORPUS = Corpus(
    [
        Document(
            "d",
            TEXT,
            tuple(
                Mention(f"m{i}", at, at + len(word))
                for i, (at, word) in enumerate(
                    [(0, "Aspirin"), (16, "fever"), (27, "aspirin"), (42, "Fever")]
                )
            ),
        )
    ]
)


@given(data=st.data(), share=st.floats(0.05, 0.95))
@settings(max_examples=150, deadline=None)
def test_affinities_are_the_weighted_mean_and_names_never_count_below_nothing(
    data: st.DataObject, share: float
) -> None:
    n_mentions, n_entities = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 5))
    mentions = [data.draw(embeddings(n_mentions, 1, 1, dimension)) for dimension in (3, 4)]
    towers = data.draw(embeddings(n_entities, 0, 3, 3))
    names = data.draw(embeddings(n_entities, 0, 3, 4))
    both = blended_mentions(mentions[0], mentions[1], share), blended_entities(towers, names, share)
    for i in range(n_mentions):
        for j in range(n_entities):
            by_towers, by_names = affinity(mentions[0], towers, i, j), affinity(mentions[1], names, i, j)
            expected = (1 - share) * by_towers + share * max(by_names, 0.0)
            assert affinity(*both, i, j) == pytest.approx(expected, abs=1e-5)


def test_equal_views_share_a_vector() -> None:
    names = Embeddings(np.eye(2, dtype=np.float32), np.array([0, 0], np.int32), np.array([0, 1, 2]))
    towers = Embeddings(np.eye(2, dtype=np.float32), np.array([1, 1], np.int32), np.array([0, 1, 2]))
    both = blended_entities(towers, names, 0.5)
    assert len(both.vectors) == 2
    assert both.rows.tolist() == [0, 1, 0, 1]
    assert both.offsets.tolist() == [0, 2, 4]


@pytest.fixture
def blended(tiny_folder: Path) -> BlendedEncoder:
    towers = load_encoder(tiny_folder, view="context", device="cpu")
    names = load_encoder(tiny_folder, view="names", device="cpu")
    assert isinstance(towers, TowerEncoder)
    assert isinstance(names, NameEncoder)
    return BlendedEncoder(towers, names, 0.25)


def test_the_encoder_means_both(blended: BlendedEncoder) -> None:
    mentions, entities = blended.encode_mentions(CORPUS), blended.encode_entities(KB, CORPUS)
    parts = [
        (each.encode_mentions(CORPUS), each.encode_entities(KB, CORPUS))
        for each in (blended.towers, blended.names)
    ]
    for i in range(CORPUS.n_mentions):
        for j in range(len(KB)):
            one, other = (affinity(*part, i, j) for part in parts)
            assert affinity(mentions, entities, i, j) == pytest.approx(
                0.75 * one + 0.25 * max(other, 0.0), abs=1e-5
            )


@pytest.mark.parametrize("corpus", [CORPUS, None])
def test_texts_lead_to_the_same_vectors(blended: BlendedEncoder, corpus: Corpus | None) -> None:
    assert isinstance(blended, TextualEncoder)
    of_mentions, of_entities = blended.mention_texts(CORPUS), blended.entity_texts(KB, corpus)
    told = [
        (
            of_mentions.encoded(blended.encode_mention_texts(of_mentions.texts)),
            blended.encode_mentions(CORPUS),
        ),
        (
            of_entities.encoded(blended.encode_entity_texts(of_entities.texts)),
            blended.encode_entities(KB, corpus),
        ),
    ]
    for found, expected in told:
        np.testing.assert_array_equal(found.offsets, expected.offsets)
        np.testing.assert_array_equal(found.vectors[found.rows], expected.vectors[expected.rows])


def test_texts_for_two_corpora_are_those_for_either(tiny_folder: Path) -> None:
    """A workspace adds documents bit by bit and must end with what one run has."""
    towers = load_encoder(tiny_folder, view="context", device="cpu")
    names = load_encoder(tiny_folder, view="names", device="cpu", shortlist=1)
    assert isinstance(towers, TowerEncoder)
    assert isinstance(names, NameEncoder)
    encoder = BlendedEncoder(towers, names, 0.5)
    one, other = (
        Corpus([Document(name, name, (Mention(name, 0, len(name)),))]) for name in ("pyrexia", "asa")
    )
    together = Corpus([*one, *other])

    def texts(corpus: Corpus) -> list[set[str]]:
        found = encoder.entity_texts(KB, corpus)
        return [
            {found.texts[row] for row in found.rows[begin:end]}
            for begin, end in zip(found.offsets[:-1], found.offsets[1:], strict=True)
        ]

    assert texts(together) == [a | b for a, b in zip(texts(one), texts(other), strict=True)]
    assert texts(one) != texts(other)


def test_fingerprints_differ_with_the_share(blended: BlendedEncoder) -> None:
    other = BlendedEncoder(blended.towers, blended.names, 0.5)
    assert len({blended.fingerprint, other.fingerprint, blended.towers.fingerprint}) == 3


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
def test_a_share_of_all_or_nothing_is_refused(blended: BlendedEncoder, share: float) -> None:
    with pytest.raises(ValueError, match="share of names"):
        BlendedEncoder(blended.towers, blended.names, share)
