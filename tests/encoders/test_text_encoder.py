"""Texts to vectors: those of the library, every text once, and what is left after a run that failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.encoders.text_encoder import TextEncoder
from arborlink.errors import ModelError

TEXTS = [
    "rat",
    "",
    "The liver failure of 12 rats, in the rat (rat).",
    "a" * 90,
    "fever",
    "   ",
    "drug " * 400,
    "日本 ∂ ß",
    "x",
    "\udcff lone surrogate",
    "of " * 30,
]


def make_texts(n_texts: int) -> list[str]:
    return [f"rat {number} {'in the liver ' * (number % 7)}" for number in range(n_texts)]


def test_vectors_are_those_of_the_library(tiny: Any) -> None:
    encoder = TextEncoder(tiny, "tiny")
    vectors = encoder.encode(TEXTS, "texts")
    texts = [
        text for text in TEXTS if text.isprintable() or not text
    ]  # the library does not take a lone surrogate
    expected = tiny.encode(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), 32)
    places = [TEXTS.index(text) for text in texts]
    np.testing.assert_allclose(vectors[places], expected, atol=2e-3, rtol=2e-3)
    assert np.abs(vectors[0] - vectors[4]).max() > 0.1, "texts differ by more than the tolerance"


def test_order_does_not_matter(tiny: Any) -> None:
    encoder = TextEncoder(tiny, "tiny")
    texts = make_texts(60)
    turned = encoder.encode(texts[::-1], "texts")[::-1]
    np.testing.assert_allclose(encoder.encode(texts, "texts"), turned, atol=2e-3, rtol=2e-3)


def test_what_lies_beyond_the_limit_is_cut_off(tiny: Any) -> None:
    encoder = TextEncoder(tiny, "tiny", max_length=8)
    vectors = encoder.encode(["the rat the rat the rat", "the rat the rat the rat in the liver"], "texts")
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_nothing_to_encode(tiny: Any, tmp_path: Path) -> None:
    assert TextEncoder(tiny, "tiny", cache=tmp_path).encode([], "texts").shape == (0, 32)


def test_a_second_run_encodes_nothing_and_gives_the_same_bits(tiny: Any, tmp_path: Path) -> None:
    first = TextEncoder(tiny, "tiny", cache=tmp_path)
    vectors = first.encode(TEXTS, "texts")
    assert first.n_encoded == len(TEXTS)
    second = TextEncoder(tiny, "tiny", cache=tmp_path)
    np.testing.assert_array_equal(second.encode(TEXTS[::-1], "texts")[::-1], vectors)
    assert second.n_encoded == 0


def test_only_new_texts_are_encoded(tiny: Any, tmp_path: Path) -> None:
    texts = make_texts(40)
    TextEncoder(tiny, "tiny", cache=tmp_path).encode(texts[:25], "texts")
    encoder = TextEncoder(tiny, "tiny", cache=tmp_path)
    vectors = encoder.encode(texts, "texts")
    assert encoder.n_encoded == 15
    np.testing.assert_allclose(
        vectors, TextEncoder(tiny, "tiny").encode(texts, "texts"), atol=2e-3, rtol=2e-3
    )


def test_with_and_without_a_cache_the_bits_are_the_same(tiny: Any, tmp_path: Path) -> None:
    texts = make_texts(10)
    kept = TextEncoder(tiny, "tiny", cache=tmp_path).encode(texts, "texts")
    np.testing.assert_array_equal(kept, TextEncoder(tiny, "tiny").encode(texts, "texts"))


def test_models_do_not_share_vectors(tiny: Any, tmp_path: Path) -> None:
    TextEncoder(tiny, "tiny", cache=tmp_path).encode(TEXTS, "texts")
    shorter = TextEncoder(tiny, "tiny", max_length=12, cache=tmp_path)
    shorter.encode(TEXTS, "texts")
    assert shorter.n_encoded == len(TEXTS)


def test_a_run_that_dies_keeps_its_finished_pieces(
    tiny: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arborlink.encoders.text_encoder._PIECE", 10)
    texts = make_texts(45)
    doomed = TextEncoder(tiny, "tiny", cache=tmp_path)
    plain = doomed._encode_piece
    n_pieces = 0

    def dies_in_the_third(*arguments: Any) -> Any:
        nonlocal n_pieces
        n_pieces += 1
        if n_pieces == 3:
            raise KeyboardInterrupt
        return plain(*arguments)

    monkeypatch.setattr(doomed, "_encode_piece", dies_in_the_third)
    with pytest.raises(KeyboardInterrupt):
        doomed.encode(texts, "texts")
    after = TextEncoder(tiny, "tiny", cache=tmp_path)
    vectors = after.encode(texts, "texts")
    assert after.n_encoded == 25
    np.testing.assert_allclose(
        vectors, TextEncoder(tiny, "tiny").encode(texts, "texts"), atol=2e-3, rtol=2e-3
    )


def test_a_cache_that_cannot_be_written_warns_once_and_goes_on(
    tiny: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arborlink.encoders.text_encoder._PIECE", 10)
    in_the_way = tmp_path / "cache"
    in_the_way.write_text("a file where a folder should be")
    encoder = TextEncoder(tiny, "tiny", cache=in_the_way)
    with pytest.warns(RuntimeWarning, match="embeddings cannot be kept") as told:
        vectors = encoder.encode(make_texts(45), "texts")
    assert len(told) == 1
    assert str(in_the_way) in str(told[0].message)
    assert encoder.n_encoded == 45
    expected = TextEncoder(tiny, "tiny").encode(make_texts(45), "texts")
    np.testing.assert_array_equal(vectors, expected)


def test_texts_without_a_token_are_near_to_nothing(build_model: Any) -> None:
    """A vocabulary without first and last token finds nothing in an empty text."""
    from sentence_transformers import SentenceTransformer

    bare = SentenceTransformer(str(build_model(tokenizer="byte pairs without ends")), device="cpu")
    encoder = TextEncoder(bare, "bare")
    vectors = encoder.encode(["", "rat", ""], "texts")
    assert not vectors[0].any()
    assert not vectors[2].any()
    assert vectors[1].any()
    assert not encoder.encode([""], "texts").any()


def test_vectors_that_are_no_numbers_are_refused(tiny: Any, tmp_path: Path) -> None:
    import torch

    for value in (float("nan"), 1e30):
        with torch.no_grad():
            tiny[0].auto_model.encoder.layer[1].output.LayerNorm.weight.fill_(value)
        with pytest.raises(ModelError, match="model 'tiny' makes vectors that are not finite"):
            TextEncoder(tiny, "tiny", cache=tmp_path).encode(["rat"], "texts")
    assert not list(tmp_path.rglob("*.safetensors"))


def test_a_model_without_a_transformer_is_refused() -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models

    words = Tokenizer(models.WordLevel({"rat": 0, "[UNK]": 1}, unk_token="[UNK]"))
    static = SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=8)], device="cpu")
    with pytest.raises(ModelError, match="model 'static' does not read text with a transformer"):
        TextEncoder(static, "static")


def test_the_bar_counts_the_texts_that_are_not_known_yet(
    tiny: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    TextEncoder(tiny, "tiny", cache=tmp_path).encode(TEXTS[:3], "names")
    assert capsys.readouterr().err == ""
    TextEncoder(tiny, "tiny", cache=tmp_path, progress=True).encode(TEXTS, "names")
    shown = capsys.readouterr().err
    assert "Encoding names" in shown
    assert f"{len(TEXTS) - 3}/{len(TEXTS) - 3}" in shown


@pytest.mark.parametrize(("cased", "ignores"), [(False, True), (True, False)])
def test_whether_case_matters_is_read_off_the_tokenizer(
    tiny_folder: Path, byte_pair_folder: Path, cased: bool, ignores: bool
) -> None:
    from sentence_transformers import SentenceTransformer

    folder = byte_pair_folder if cased else tiny_folder
    assert TextEncoder(SentenceTransformer(str(folder), device="cpu"), "model").ignores_case is ignores
