"""Vectors that tell whether two strings are the same, and their share where names are compared."""

from __future__ import annotations

import doctest
import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoders import NameEncoder, load_encoder, sameness
from arborlink.encoders.blended import BlendedEncoder
from arborlink.encoders.building import build_tower
from arborlink.encoders.default_model import UNTRAINED
from arborlink.encoders.loading import load_names
from arborlink.encoders.model_folder import ModelSettings, read_settings, write_towers
from arborlink.encoders.sameness import DIMENSION, sameness_vectors
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.encoders.views import Markers
from arborlink.entity import Entity
from arborlink.errors import ModelError
from arborlink.knowledge_base import KnowledgeBase

STRINGS = ["rat", "rats", "the rat", "liver failure", "failure, liver", "fever of the liver"]


def same(one: str, other: str) -> float:
    vectors = sameness_vectors([one, other])
    return float(vectors[0] @ vectors[1])


def test_the_example_in_the_docstring_runs() -> None:
    outcome = doctest.testmod(sameness)
    assert outcome.attempted > 0
    assert outcome.failed == 0


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=5), st.sampled_from([8, 64, 128, 512]))
def test_unit_vectors_for_any_text(texts: list[str], dimension: int) -> None:
    vectors = sameness_vectors(texts, dimension)
    assert vectors.shape == (len(texts), dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_array_equal(sameness_vectors([text], dimension)[0], vector)


def test_a_string_has_the_same_vector_for_ever() -> None:
    """Workspaces keep vectors: those of another version must fit."""
    digest = blake2b(b"t cell", digest_size=16).digest()
    bits = [(byte >> place) & 1 for byte in digest for place in range(7, -1, -1)]
    expected = [(1 if bit else -1) / 128**0.5 for bit in bits]
    np.testing.assert_allclose(sameness_vectors(["T-cell"])[0], expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Plasma Renin ACTIVITY", "plasma renin activity"),
        ("beta-2 agonist", "beta 2, agonist."),
        ("snake_case", "snake case"),
        ("  heart\t\nrate ", "heart rate"),
        ("Straße", "STRASSE"),
        ("café", "cafe\u0301"),
        ("ﬁbrosis", "fibrosis"),
        ("㎒", "mhz"),
        ("α–synuclein", "α-Synuclein"),
        ("+++", "+++"),
        ("\ud83d", "\ud83d"),
        ("", ""),
    ],
)
def test_what_does_not_matter(one: str, other: str) -> None:
    np.testing.assert_array_equal(*sameness_vectors([one, other]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("failure of the liver", "the liver of failure"),
        ("type 1", "type 2"),
        ("a b", "ab"),
        ("é", "e"),
        ("कि", "का"),
        ("+", "-"),
        ("", "a"),
        ("\ud83d", "\udc00"),
        ("\ud83d", ""),
        ("a" * 1000 + "b", "a" * 1000 + "c"),
    ],
)
def test_what_does_matter(one: str, other: str) -> None:
    assert abs(same(one, other)) < 0.4


@pytest.mark.parametrize("dimension", [64, DIMENSION, 512])
def test_other_strings_are_nearly_orthogonal(dimension: int) -> None:
    """Products of independent random signs have a deviation of exactly ``1 / sqrt(dimension)``."""
    generator = np.random.default_rng(0)
    texts = sorted({"".join(generator.choice(list("abcdefgh"), 9)) for _ in range(1500)})
    texts += [f"compound {number}" for number in range(500)]  # like strings are no more alike than others
    vectors = sameness_vectors(texts, dimension)
    products = (vectors @ vectors.T)[np.triu_indices(len(texts), 1)]
    deviation = dimension**-0.5
    assert abs(float(products.mean())) < 0.02 * deviation
    assert float(products.std()) == pytest.approx(deviation, rel=0.02)
    assert float(np.abs(products).max()) < 6 * deviation


def test_no_texts() -> None:
    assert sameness_vectors([]).shape == (0, DIMENSION)


@pytest.mark.parametrize("dimension", [-8, 0, 1, 12, 100, 520, 1024])
def test_a_dimension_that_no_digest_has_is_refused(dimension: int) -> None:
    with pytest.raises(ValueError, match=f"dimension is {dimension}; expected a multiple of 8, at most 512"):
        sameness_vectors(["a"], dimension)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("spelling", [0.0, 0.2, 1.0])
def test_an_affinity_is_the_rest_of_the_old_one_and_a_share_of_sameness(
    tiny: Any, share: float, spelling: float
) -> None:
    text_encoder = TextEncoder(tiny, "tiny")
    vectors = NameEncoder(text_encoder, spelling, sameness=share).encode_mention_texts(STRINGS)
    old = NameEncoder(text_encoder, spelling).encode_mention_texts(STRINGS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(STRINGS), old.shape[1] + DIMENSION)
    noise = sameness_vectors(STRINGS)
    for i in range(len(STRINGS)):
        for j in range(len(STRINGS)):
            expected = (1 - share) * float(old[i] @ old[j]) + share * float(noise[i] @ noise[j])
            assert float(vectors[i] @ vectors[j]) == pytest.approx(expected, abs=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_without_a_share_vectors_and_names_are_what_they_were(tiny: Any) -> None:
    text_encoder = TextEncoder(tiny, "tiny")
    one, other = NameEncoder(text_encoder), NameEncoder(text_encoder, sameness=0.0)
    np.testing.assert_array_equal(one.encode_mention_texts(STRINGS), other.encode_mention_texts(STRINGS))
    said = f"names 2 {text_encoder.fingerprint} 0.2 32"
    assert one.fingerprint == other.fingerprint == blake2b(said.encode(), digest_size=12).hexdigest()
    shares = [NameEncoder(text_encoder, sameness=share).fingerprint for share in (0.0, 0.1, 0.2)]
    assert len(set(shares)) == 3


def test_the_same_name_is_told_from_one_that_is_merely_like_it(tiny: Any) -> None:
    """What it is for: a larger step between the first and the second than names alone have."""
    text_encoder = TextEncoder(tiny, "tiny")
    strings = ["liver failures", "liver failure"]

    def step(share: float) -> float:
        encoder = NameEncoder(text_encoder, sameness=share)
        mention = encoder.encode_mention_texts(strings[:1])[0]
        first, second = encoder.encode_entity_texts(strings) @ mention
        return float(first - second)

    assert step(0.2) > step(0.0) + 0.1


@pytest.mark.parametrize("share", [-0.1, 1.0, 1.5, float("nan")])
def test_a_share_of_all_or_less_than_nothing_is_refused(tiny: Any, share: float) -> None:
    with pytest.raises(ValueError, match="the share of sameness is"):
        NameEncoder(TextEncoder(tiny, "tiny"), sameness=share)


TEXT = "Rats against fever, and liver-failure again; the pyrexia too."
CORPUS = Corpus(
    [
        Document(
            "d",
            TEXT,
            tuple(
                Mention(word, TEXT.index(word), TEXT.index(word) + len(word))
                for word in ("Rats", "fever", "liver-failure", "pyrexia")
            ),
        )
    ]
)
KB = KnowledgeBase(
    [
        Entity("Q1", "rat", ("rats", "Rattus")),
        Entity("Q2", "fever", ("Pyrexia",)),
        Entity("Q3", "liver failure", description="of the liver"),
    ]
)


@pytest.fixture
def saved(tiny_base: Path, tmp_path: Path) -> Path:
    tower = build_tower(
        tiny_base, pooling="mean", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    write_towers(tmp_path / "model", tower, tower, ModelSettings(32, 32, name_share=0.25, sameness=0.3))
    return tmp_path / "model"


def test_the_names_of_the_base_model_are_those_of_the_untrained_one(tiny_base: Path) -> None:
    untrained = load_encoder(UNTRAINED, device="cpu")
    assert load_names(device="cpu").fingerprint == untrained.fingerprint
    assert load_names(0.3, device="cpu").sameness == 0.3


@pytest.mark.parametrize("corpus", [None, CORPUS])
def test_a_saved_model_gives_the_weighted_sum(
    saved: Path, corpus: Corpus | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arborlink.encoders.network.resolve_precision", lambda device: torch.float32)
    assert read_settings(saved).sameness == 0.3
    encoder, untrained = load_encoder(saved, device="cpu"), load_encoder(UNTRAINED, device="cpu")
    assert isinstance(encoder, BlendedEncoder)
    assert isinstance(untrained, NameEncoder)
    assert (encoder.share, encoder.names.sameness, encoder.names.shortlist) == (0.25, 0.3, 32)
    mentions, entities = encoder.encode_mentions(CORPUS), encoder.encode_entities(KB, corpus)
    windows, read = encoder.towers.encode_mentions(CORPUS), encoder.towers.encode_entities(KB)
    for i, (document, mention) in enumerate(CORPUS.mentions):
        string = document.text_of(mention).lower()
        for j, entity in enumerate(KB):
            by_towers = float(windows.vectors[windows.rows[i]] @ read.vectors[read.rows[j]])
            by_names = [0.0]
            for name in entity.names:
                old = untrained.encode_mention_texts([string])[0]
                likeness = float(untrained.encode_entity_texts([name.lower()])[0] @ old)
                by_names.append(0.7 * likeness + 0.3 * same(string, name))
            rows = entities.rows[entities.offsets[j] : entities.offsets[j + 1]]
            found = max(float(mentions.vectors[mentions.rows[i]] @ entities.vectors[row]) for row in rows)
            assert found == pytest.approx(0.75 * by_towers + 0.25 * max(by_names), abs=1e-4)


def change(folder: Path, **changes: Any) -> None:
    path = folder / "arborlink.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_the_name_of_the_encoder_tells_the_share(saved: Path) -> None:
    prints = []
    for share in (0.3, 0.2, 0.0):
        change(saved, sameness=share)
        prints.append(load_encoder(saved, device="cpu").fingerprint)
    assert len(set(prints)) == 3


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-0.1, r"sameness is -0\.1; expected a number from 0 to less than 1"),
        (1, r"sameness is 1\.0; expected a number from 0 to less than 1"),
        ("0.1", r"sameness is '0\.1'; expected a number"),
        (None, "sameness is None; expected a number"),
        (True, "sameness is True; expected a number"),
    ],
)
def test_what_is_no_share_is_refused(saved: Path, value: object, message: str) -> None:
    change(saved, sameness=value)
    with pytest.raises(ModelError, match=message):
        load_encoder(saved, device="cpu")
