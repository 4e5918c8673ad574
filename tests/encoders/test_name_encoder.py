"""Strings against names: what is one string, which names are kept, which vectors come out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Encoder
from arborlink.encoders import NameEncoder
from arborlink.encoders.names import mention_strings
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker

TEXT = "liver failure (LF) in the rat: LF, the Rat and liver\n failure"


def corpus(text: str, *strings: str) -> Corpus:
    """The last occurrence of each string marked."""
    spans = [(text.rindex(string), string) for string in strings]
    mentions = (Mention(f"m{n}", start, start + len(string)) for n, (start, string) in enumerate(spans))
    return Corpus([Document("d", text, tuple(mentions))])


@pytest.fixture
def encoder(tiny: Any) -> NameEncoder:
    return NameEncoder(TextEncoder(tiny, "tiny"))


def test_it_is_an_encoder(encoder: NameEncoder) -> None:
    assert isinstance(encoder, Encoder)


def test_mentions_are_their_strings_with_short_forms_spelt_out() -> None:
    documents = corpus(TEXT, "LF", "rat", "Rat", "liver\n failure")
    assert mention_strings(documents) == ["liver failure", "rat", "Rat", "liver\n failure"]


def test_equal_strings_share_a_vector(encoder: NameEncoder) -> None:
    mentions = encoder.encode_mentions(corpus(TEXT, "LF", "rat", "Rat", "liver\n failure"))
    assert mentions.rows.tolist() == [0, 1, 1, 0]
    assert mentions.n_items == 4
    assert mentions.vectors.shape[0] == 2
    assert mentions.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(mentions.vectors, axis=1), 1, atol=1e-3)


def test_case_counts_where_the_model_sees_it(byte_pair_folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    cased = NameEncoder(TextEncoder(SentenceTransformer(str(byte_pair_folder), device="cpu"), "cased"))
    assert cased.encode_mentions(corpus(TEXT, "rat", "Rat")).rows.tolist() == [0, 1]


def test_entities_have_a_vector_for_each_name(encoder: NameEncoder) -> None:
    kb = KnowledgeBase(
        [Entity("Q1", "rat", ("Rattus", "RAT")), Entity("Q2", "fever"), Entity("Q3", "rattus")]
    )
    entities = encoder.encode_entities(kb)
    assert entities.offsets.tolist() == [0, 3, 4, 5]
    assert entities.rows.tolist() == [0, 1, 0, 2, 1]
    assert entities.vectors.shape[0] == 3


def test_a_name_equals_its_mention(encoder: NameEncoder) -> None:
    mentions = encoder.encode_mentions(corpus(TEXT, "rat"))
    entities = encoder.encode_entities(KnowledgeBase([Entity("Q1", "fever"), Entity("Q2", "Rat")]))
    products = entities.vectors @ mentions.vectors[0]
    assert products[1] == pytest.approx(1, abs=1e-3)
    assert products[0] < 0.99


def test_known_documents_keep_only_names_near_a_mention(tiny: Any) -> None:
    names = ["rat", "rats", "ratt", "fever", "feverish", "zebra", "liver failure"]
    kb = KnowledgeBase(Entity(f"Q{number}", name) for number, name in enumerate(names))
    documents = corpus(TEXT, "rat")
    encoder = NameEncoder(TextEncoder(tiny, "tiny"), shortlist=2)
    kept = encoder.encode_entities(kb, documents)
    assert kept.n_items == len(names)
    assert len(kept.vectors) == 2
    owners = kept.item_of_view.tolist()
    assert 0 in owners
    assert 5 not in owners, "an entity may be left without a vector"
    everything = encoder.encode_entities(kb)
    for view, owner in enumerate(owners):
        expected = everything.vectors[everything.rows[everything.offsets[owner]]]
        np.testing.assert_allclose(kept.vectors[kept.rows[view]], expected, atol=2e-3)
    all_names = NameEncoder(TextEncoder(tiny, "tiny"), shortlist=0).encode_entities(kb, documents)
    assert len(all_names.vectors) == len(names)


def test_the_fingerprint_names_model_and_settings(tiny: Any, build_model: Any) -> None:
    from sentence_transformers import SentenceTransformer

    text_encoder = TextEncoder(tiny, "tiny")
    other = TextEncoder(SentenceTransformer(str(build_model(seed=1)), device="cpu"), "other")
    encoders = [
        NameEncoder(text_encoder),
        NameEncoder(text_encoder, spelling=0.5),
        NameEncoder(text_encoder, shortlist=7),
        NameEncoder(other),
    ]
    assert len({encoder.fingerprint for encoder in encoders}) == 4
    assert NameEncoder(text_encoder).fingerprint == encoders[0].fingerprint


@pytest.mark.parametrize("spelling", [-0.1, 1.1])
def test_a_share_outside_zero_and_one_is_refused(tiny: Any, spelling: float) -> None:
    with pytest.raises(ValueError, match="it must lie between 0 and 1"):
        NameEncoder(TextEncoder(tiny, "tiny"), spelling=spelling)


def test_by_type_a_mention_keeps_its_own_entities_however_many_others_are_nearer(
    encoder: NameEncoder,
) -> None:
    text = "mercury compounds"
    mention = Mention("m", 0, len(text), types=("God",))
    kb = KnowledgeBase(
        [
            *(Entity(f"c{n}", f"mercury compound {n}", types=("Chemical",)) for n in range(60)),
            Entity("hermes", "Hermes of the Romans", types=("God",)),
        ]
    )
    documents = Corpus([Document("d", text, (mention,))])
    assert Linker(encoder).link(documents, kb)["m"].entity != "hermes"
    assert Linker(encoder).link(documents, kb, by_type=True)["m"].entity == "hermes"
