"""Mentions in context and entities through their towers, and the markers both read."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Encoder
from arborlink.encoders import TowerEncoder
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.encoders.towers import add_markers, entity_texts, mention_views
from arborlink.encoders.views import Markers
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase

CORPUS = Corpus(
    [
        Document("d1", "the rat had a fever", (Mention("m1", 4, 7), Mention("m2", 14, 19))),
        Document("d2", "nothing is marked here"),
        Document("d3", "the rat had a fever", (Mention("m3", 4, 7),)),
    ]
)
KB = KnowledgeBase(
    [Entity("Q1", "rat", ("Rattus",), "a rodent"), Entity("Q2", "fever"), Entity("Q3", "fever")]
)


def marked(model: Any) -> TowerEncoder:
    add_markers(model, Markers())
    tower = TextEncoder(model, "tiny", max_length=64)
    return TowerEncoder(tower, tower)


def load(folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu")


def embeddings_of(model: Any) -> Any:
    return model[0].auto_model.get_input_embeddings().weight


def test_it_is_an_encoder(tiny: Any) -> None:
    assert isinstance(marked(tiny), Encoder)


def test_mentions_have_one_vector_each_and_share_those_of_equal_windows(tiny: Any) -> None:
    encoder = marked(tiny)
    mentions = encoder.encode_mentions(CORPUS)
    assert mentions.n_items == 3
    assert mentions.rows.tolist() == [0, 1, 0]
    assert mentions.rows.dtype == np.int32
    expected = tiny.encode(["the [START] rat [END] had a fever", "the rat had a [START] fever [END]"])
    np.testing.assert_allclose(mentions.vectors, expected, atol=2e-3, rtol=2e-3)


def test_entities_have_one_vector_each_and_share_those_of_equal_texts(tiny: Any) -> None:
    encoder = marked(tiny)
    entities = encoder.encode_entities(KB)
    assert entities.n_items == 3
    assert entities.rows.tolist() == [0, 1, 1]
    expected = tiny.encode(["rat [TITLE] Rattus ; a rodent", "fever [TITLE]"])
    np.testing.assert_allclose(entities.vectors, expected, atol=2e-3, rtol=2e-3)
    np.testing.assert_array_equal(encoder.encode_entities(KB, CORPUS).vectors, entities.vectors)


def test_each_side_goes_through_its_own_tower(tiny: Any, build_model: Any) -> None:
    other = load(build_model(seed=1))
    one_tower = marked(tiny)
    add_markers(other, Markers())
    encoder = TowerEncoder(one_tower.mention_tower, TextEncoder(other, "other", max_length=64))
    np.testing.assert_array_equal(
        encoder.encode_mentions(CORPUS).vectors, one_tower.encode_mentions(CORPUS).vectors
    )
    assert np.abs(encoder.encode_entities(KB).vectors - one_tower.encode_entities(KB).vectors).max() > 0.1
    assert encoder.fingerprint != one_tower.fingerprint
    assert encoder.fingerprint != TowerEncoder(encoder.entity_tower, encoder.mention_tower).fingerprint


def test_the_fingerprint_names_the_markers(tiny: Any) -> None:
    encoder = marked(tiny)
    other = TowerEncoder(encoder.mention_tower, encoder.entity_tower, Markers(start="[BEGIN]"))
    assert other.fingerprint != encoder.fingerprint
    assert marked(tiny).fingerprint == encoder.fingerprint


NAMED = KnowledgeBase(
    [
        Entity("Q1", "rat", ("Rattus", "rat"), "a rodent", ("Animal",)),
        Entity("Q2", "fever"),
        Entity("Q3", "Rattus", (), "a rodent", ("Animal",)),
    ]
)


def test_one_text_for_each_name_and_each_text_once() -> None:
    texts, rows, offsets = entity_texts(NAMED, "names", Markers())
    assert texts == ["rat [TITLE] Animal ; a rodent", "Rattus [TITLE] Animal ; a rodent", "fever [TITLE]"]
    assert rows.tolist() == [0, 1, 2, 1]
    assert offsets.tolist() == [0, 2, 3, 4]
    assert rows.dtype == np.int32
    assert offsets.dtype == np.int64
    texts, rows, offsets = entity_texts(NAMED, "text", Markers())
    assert texts[0] == "rat [TITLE] Rattus ; Animal ; a rodent"
    assert (rows.tolist(), offsets.tolist()) == ([0, 1, 2], [0, 1, 2, 3])


def test_entities_by_their_names(tiny: Any) -> None:
    tower = marked(tiny).entity_tower
    encoder = TowerEncoder(tower, tower, entity_views="names")
    entities = encoder.encode_entities(NAMED)
    texts, rows, offsets = entity_texts(NAMED, "names", Markers())
    assert entities.n_items == 3
    assert entities.vectors.shape == (3, 32)
    np.testing.assert_array_equal(entities.rows, rows)
    np.testing.assert_array_equal(entities.offsets, offsets)
    np.testing.assert_allclose(entities.vectors, tiny.encode(texts), atol=2e-3, rtol=2e-3)
    assert encoder.fingerprint != TowerEncoder(tower, tower).fingerprint


def test_training_and_linking_read_the_same(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = marked(tiny)
    read: list[str] = []
    encode = encoder.mention_tower.encode

    def listening(texts: list[str], what: str) -> Any:
        read.extend(texts)
        return encode(texts, what)

    monkeypatch.setattr(encoder.mention_tower, "encode", listening)
    mentions = encoder.encode_mentions(CORPUS)
    texts, rows = mention_views(CORPUS, tiny.tokenizer, 64, Markers())
    assert texts == read == ["the [START] rat [END] had a fever", "the rat had a [START] fever [END]"]
    np.testing.assert_array_equal(rows, mentions.rows)
    encoder.encode_entities(KB)
    assert read[2:] == entity_texts(KB, "text", Markers())[0]


@pytest.mark.parametrize("n_tokens", [16, 24, 40])
def test_the_length_of_a_text_counts_all_its_tokens(tiny: Any, n_tokens: int) -> None:
    add_markers(tiny, Markers())
    corpus = Corpus([Document("d", "rat fever " * 50, (Mention("m", 250, 253),))])
    (text,), rows = mention_views(corpus, tiny.tokenizer, n_tokens, Markers())
    assert len(tiny.tokenizer(text)["input_ids"]) == n_tokens
    assert rows.tolist() == [0]


def test_a_corpus_without_mentions(tiny: Any) -> None:
    mentions = marked(tiny).encode_mentions(Corpus([Document("d", "nothing")]))
    assert mentions.n_items == 0
    assert mentions.vectors.shape == (0, 32)


def test_texts_with_half_a_surrogate_pair(tiny: Any) -> None:
    """JSON can hold one; tokenizers cannot."""
    encoder = marked(tiny)
    corpus = Corpus([Document("d", "the \ud83d rat", (Mention("m", 4, 9),))])
    assert np.isfinite(encoder.encode_mentions(corpus).vectors).all()
    assert np.isfinite(encoder.encode_entities(KnowledgeBase([Entity("Q", "\udc00")])).vectors).all()


def test_markers_are_new_tokens_at_the_mean_of_the_others(tiny: Any) -> None:
    before = embeddings_of(tiny).detach().numpy().copy()
    add_markers(tiny, Markers())
    after = embeddings_of(tiny).detach().numpy()
    assert after.shape == (len(before) + 3, 32)
    np.testing.assert_array_equal(after[: len(before)], before)
    ids = tiny.tokenizer.convert_tokens_to_ids(list(Markers().all))
    assert sorted(ids) == [len(before), len(before) + 1, len(before) + 2]
    for row in ids:
        np.testing.assert_allclose(after[row], before.mean(axis=0), atol=1e-6)
    assert tiny.tokenizer("a[START]b", add_special_tokens=False)["input_ids"][1] == ids[0]


def test_markers_are_added_once(tiny: Any) -> None:
    import torch

    add_markers(tiny, Markers())
    with torch.no_grad():
        embeddings_of(tiny)[-1] = 7.0  # training moved it
    n_rows = len(embeddings_of(tiny))
    add_markers(tiny, Markers())
    assert len(embeddings_of(tiny)) == n_rows
    assert (embeddings_of(tiny)[-1] == 7.0).all()


def test_markers_leave_other_special_tokens_alone(tiny: Any) -> None:
    tiny.tokenizer.add_special_tokens({"extra_special_tokens": ["[OLD]"]})
    add_markers(tiny, Markers())
    assert {"[OLD]", *Markers().all} <= set(tiny.tokenizer.all_special_tokens)


def test_markers_are_the_same_on_every_load(tiny_folder: Path) -> None:
    import torch

    models = []
    for seed in range(2):
        torch.manual_seed(seed)
        model = load(tiny_folder)
        add_markers(model, Markers())
        models.append(model)
    assert torch.equal(embeddings_of(models[0]), embeddings_of(models[1]))


def test_the_mean_is_exact_in_half_precision_too(tiny: Any) -> None:
    import torch

    tiny.to(torch.bfloat16)
    mean = embeddings_of(tiny).float().mean(dim=0)
    add_markers(tiny, Markers())
    assert torch.equal(embeddings_of(tiny)[-1], mean.to(torch.bfloat16))


def test_a_vocabulary_with_rows_to_spare_does_not_grow(tiny: Any) -> None:
    tiny[0].auto_model.resize_token_embeddings(256, mean_resizing=False)
    add_markers(tiny, Markers())
    assert len(embeddings_of(tiny)) == 256


def test_markers_survive_saving(tiny: Any, tmp_path: Path) -> None:
    encoder = marked(tiny)
    vectors = encoder.encode_mentions(CORPUS).vectors
    tiny.save(str(tmp_path / "saved"))
    again = marked(load(tmp_path / "saved"))
    assert again.fingerprint == encoder.fingerprint
    np.testing.assert_array_equal(again.encode_mentions(CORPUS).vectors, vectors)


def test_no_window_is_cut_off_by_the_tower(byte_pair_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a blank before a marker is a token of its own."""
    encoder = marked(load(byte_pair_folder))
    text = "abc " * 100
    shown: list[str] = []

    def no_vectors(texts: list[str], what: str) -> Any:
        shown.extend(texts)
        return np.zeros((len(texts), 32), np.float32)

    monkeypatch.setattr(encoder.mention_tower, "encode", no_vectors)
    encoder.encode_mentions(Corpus([Document("d", text, (Mention("m1", 200, 203), Mention("m2", 196, 203)))]))
    lengths = [len(ids) for ids in encoder.mention_tower.tokenizer(shown)["input_ids"]]
    assert len(lengths) == 2
    assert max(lengths) <= 64
    assert min(lengths) > 56


def test_ten_thousand_windows_are_cut_in_seconds(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cutting alone: what the tower does with the windows is not measured."""
    generator = np.random.default_rng(0)
    words = ["".join(generator.choice(list("abcdefgh"), 6)) for _ in range(3000)]
    documents = []
    for number in range(100):
        text = " ".join(generator.choice(words, 1000))
        mentions = tuple(
            Mention(f"{number}.{place}", 7 * place, 7 * place + 6) for place in range(0, 1000, 10)
        )
        documents.append(Document(str(number), text, mentions))
    encoder = marked(tiny)
    shown: list[str] = []

    def no_vectors(texts: list[str], what: str) -> Any:
        shown.extend(texts)
        return np.zeros((len(texts), 32), np.float32)

    monkeypatch.setattr(encoder.mention_tower, "encode", no_vectors)
    monkeypatch.setattr(encoder.mention_tower, "max_length", 128)
    start = time.perf_counter()
    assert encoder.encode_mentions(Corpus(documents)).n_items == 10_000
    assert time.perf_counter() - start < 5
    assert len(shown) == 10_000
