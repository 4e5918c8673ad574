"""Several models side by side: affinities are the weighted mean of those of the parts."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embeddings_world import affinity, embeddings
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink import Corpus, Document, Entity, KnowledgeBase, Mention
from arborlink.encoder import Embeddings, TextualEncoder
from arborlink.encoders.blended import BlendedEncoder
from arborlink.encoders.joined import JoinedTowers, joined_embeddings
from arborlink.encoders.loading import load_encoder
from arborlink.encoders.names import NameEncoder
from arborlink.encoders.side_by_side import all_distinct, joined_texts, parted_texts
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.encoders.towers import TowerEncoder, add_markers
from arborlink.encoders.views import Markers
from arborlink.errors import InputError

KB = KnowledgeBase(
    [
        Entity("Q1", "aspirin", ("acetylsalicylic acid", "ASA")),
        Entity("Q2", "fever", ("pyrexia",)),
        Entity("Q3", "aspirin", description="a horse"),
        Entity("Q4", "x"),
        Entity("Q5", "x"),
    ]
)
TEXT = "Aspirin against fever, and aspirin again; Fever too."
SPANS = [(0, 7), (16, 21), (27, 34), (42, 47)]
MENTIONS = tuple(Mention(f"m{at}", at, end) for at, end in SPANS)
CORPUS = Corpus([Document("d", TEXT, MENTIONS), Document("again", TEXT, (Mention("m", 0, 7),))])


@given(data=st.data(), n_parts=st.integers(2, 4))
@settings(max_examples=150, deadline=None)
def test_affinities_are_the_weighted_mean(data: st.DataObject, n_parts: int) -> None:
    n_mentions, n_entities = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 5))
    weights = [data.draw(st.floats(0.05, 1)) for _ in range(n_parts)]
    shares = [weight / sum(weights) for weight in weights]
    dimensions = [data.draw(st.integers(1, 4)) for _ in range(n_parts)]
    mentions = [data.draw(embeddings(n_mentions, 1, 1, dimension)) for dimension in dimensions]
    entities = [data.draw(embeddings(n_entities, 0, 3, dimension)) for dimension in dimensions]
    joined = joined_embeddings(mentions, shares), joined_embeddings(entities, shares)
    assert joined[0].vectors.shape[1] == joined[1].vectors.shape[1] == sum(dimensions)
    assert (np.diff(joined[0].offsets) == 1).all()
    for i in range(n_mentions):
        for j in range(n_entities):
            own = [affinity(one, other, i, j) for one, other in zip(mentions, entities, strict=True)]
            mean = sum(share * each for share, each in zip(shares, own, strict=True))
            expected = -inf if -inf in own else mean
            assert affinity(*joined, i, j) == pytest.approx(expected, abs=1e-5)


def test_equal_views_share_a_vector() -> None:
    one = Embeddings(np.eye(2, dtype=np.float32), np.array([1, 1, 0], np.int32), np.array([0, 1, 2, 3]))
    other = Embeddings(np.eye(2, dtype=np.float32), np.array([0, 0, 0], np.int32), np.array([0, 1, 2, 3]))
    joined = joined_embeddings([one, other], (0.5, 0.5))
    assert joined.rows.tolist() == [0, 0, 1]
    np.testing.assert_allclose(joined.vectors, np.sqrt([[0, 0.5, 0.5, 0], [0.5, 0, 0.5, 0]]))


@given(
    st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, 3)] * n), min_size=0, max_size=9))
)
def test_tuples_come_once_and_in_order_of_first_appearance(rows: list[tuple[int, ...]]) -> None:
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    if not columns:
        columns = [np.empty(0, dtype=np.int32)] * 2
    tuples, places = all_distinct(columns)
    assert list(map(tuple, tuples.tolist())) == list(dict.fromkeys(rows))
    assert [tuple(tuples[place].tolist()) for place in places] == rows


@given(st.lists(st.tuples(*[st.integers(-1, 3)] * 3).filter(lambda rows: rows[0] >= 0), max_size=9))
def test_texts_are_joined_and_parted(rows: list[tuple[int, ...]]) -> None:
    texts = [[f"{part}{number}" for number in range(4)] for part in "abc"]
    tuples = np.array(rows, dtype=np.int64).reshape(-1, 3)
    own, again = parted_texts(joined_texts(texts, tuples, "|"), 3, "|")
    for row, other in zip(tuples.tolist(), again.tolist(), strict=True):
        for part in range(3):
            before = texts[part][row[part]] if row[part] >= 0 else None
            assert before == (own[part][other[part]] if other[part] >= 0 else None)


def towers(folder: Path, markers: Markers, max_length: int, views: Any = "text") -> TowerEncoder:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    add_markers(model, markers)
    tower = TextEncoder(model, folder.name, max_length)
    return TowerEncoder(tower, tower, markers, views)


@pytest.fixture(scope="module")
def parts(build_model: Any) -> list[TowerEncoder]:
    """Models that have nothing in common: bases, vocabularies, markers, lengths, dimensions, views."""
    return [
        towers(build_model(), Markers(), 32),
        towers(build_model(dimension=48, tokenizer="byte pairs", seed=1), Markers("<m>", "</m>", "<t>"), 40),
        towers(build_model(dimension=16, seed=2), Markers(), 24, "names"),
    ]


@pytest.fixture(scope="module")
def joined(parts: list[TowerEncoder]) -> JoinedTowers:
    return JoinedTowers(parts, (0.5, 0.3, 0.2))


def affinities(encoder: Any) -> Any:
    mentions, entities = encoder.encode_mentions(CORPUS), encoder.encode_entities(KB, CORPUS)
    return np.array(
        [
            [affinity(mentions, entities, i, j) for j in range(len(KB))]
            for i in range(len(list(CORPUS.mentions)))
        ]
    )


def test_models_that_have_nothing_in_common(joined: JoinedTowers, parts: list[TowerEncoder]) -> None:
    expected = sum(share * affinities(part) for share, part in zip((0.5, 0.3, 0.2), parts, strict=True))
    np.testing.assert_allclose(affinities(joined), expected, atol=2e-3 * np.abs(expected).max())
    assert joined.encode_mentions(CORPUS).rows.tolist() == [0, 1, 2, 3, 0]
    assert joined.encode_entities(KB).vectors.shape[1] == 32 + 48 + 16
    assert np.diff(joined.encode_entities(KB).offsets).tolist() == [3, 2, 1, 1, 1], "as many as the last has"
    assert joined.markers == parts[0].markers


@pytest.mark.parametrize("with_names", [False, True])
def test_texts_lead_to_the_same_vectors(joined: JoinedTowers, tiny_folder: Path, with_names: bool) -> None:
    encoder: JoinedTowers | BlendedEncoder = joined
    if with_names:
        names = load_encoder(tiny_folder, view="names", device="cpu")
        assert isinstance(names, NameEncoder)
        encoder = BlendedEncoder(joined, names, 0.25)
    assert isinstance(encoder, TextualEncoder)
    assert encoder.entity_texts_need_corpus == with_names
    of_mentions, of_entities = encoder.mention_texts(CORPUS), encoder.entity_texts(KB, CORPUS)
    assert len(set(of_mentions.texts)) == len(of_mentions.texts)
    assert len(set(of_entities.texts)) == len(of_entities.texts)
    told = [
        (
            of_mentions.encoded(encoder.encode_mention_texts(of_mentions.texts)),
            encoder.encode_mentions(CORPUS),
        ),
        (
            of_entities.encoded(encoder.encode_entity_texts(of_entities.texts)),
            encoder.encode_entities(KB, CORPUS),
        ),
    ]
    for found, expected in told:
        np.testing.assert_array_equal(found.offsets, expected.offsets)
        np.testing.assert_array_equal(found.vectors[found.rows], expected.vectors[expected.rows])


def test_names_have_one_share_beside_all(joined: JoinedTowers, tiny_folder: Path) -> None:
    names = load_encoder(tiny_folder, view="names", device="cpu")
    assert isinstance(names, NameEncoder)
    both, by_names = affinities(BlendedEncoder(joined, names, 0.25)), affinities(names)
    expected = 0.75 * affinities(joined) + 0.25 * np.maximum(by_names, 0)
    np.testing.assert_allclose(both, expected, atol=1e-3)


def test_no_text_and_no_mention(joined: JoinedTowers) -> None:
    assert joined.encode_mention_texts([]).shape == (0, 96)
    assert joined.encode_mentions(Corpus([Document("d", "nothing")])).vectors.shape == (0, 96)


def test_fingerprints_name_parts_order_and_shares(parts: list[TowerEncoder]) -> None:
    one, other, _ = parts
    prints = [
        JoinedTowers([one, other], (0.5, 0.5)).fingerprint,
        JoinedTowers([other, one], (0.5, 0.5)).fingerprint,
        JoinedTowers([one, other], (0.4, 0.6)).fingerprint,
        JoinedTowers(parts, (0.4, 0.3, 0.3)).fingerprint,
        one.fingerprint,
    ]
    assert len(set(prints)) == len(prints)


@pytest.mark.parametrize(
    ("n", "shares", "message"),
    [
        (2, (0.5, 0.4), "shares are 0.5, 0.4, which add up to 0.9; expected 1"),
        (2, (1.5, -0.5), "shares are 1.5, -0.5; expected numbers above 0"),
        (2, (1.0, 0.0), "shares are 1, 0; expected numbers above 0"),
        (2, (float("nan"), 0.5), "shares are nan, 0.5; expected numbers above 0"),
        (3, (0.5, 0.5), "3 models, but the shares are 0.5, 0.5; give one for each"),
        (1, (1.0,), "one model is nothing to join; name two or more"),
        (0, (), "no models are nothing to join; name two or more"),
    ],
)
def test_shares_that_do_not_fit(
    parts: list[TowerEncoder], n: int, shares: tuple[float, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        JoinedTowers(parts[:n], shares)
