"""Towers for training: the asked pooling, no more behind it, and gradients where they mean something."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from arborlink.encoders.building import build_tower
from arborlink.encoders.model_folder import ModelSettings, write_towers
from arborlink.encoders.span_pooling import SpanPooling
from arborlink.encoders.views import Markers
from arborlink.errors import ModelError

TEXTS = ["the [START] rat [END] had a fever", "fever [TITLE] of the liver"]


def build(base: Path | None, **changes: Any) -> Any:
    options: dict[str, Any] = {"pooling": "mean", "normalise": True, "role": "both", "markers": Markers()}
    return build_tower(base, **(options | {"device": "cpu"} | changes))


def kinds(tower: Any) -> list[str]:
    return [type(module).__name__ for module in tower]


def tokens_of(tower: Any, text: str) -> Any:
    features = tower.tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        return tower[0].auto_model(**features).last_hidden_state[0]


@pytest.mark.parametrize("pooling", ["mean", "cls", "span"])
@pytest.mark.parametrize("normalise", [True, False])
def test_each_pooling(tiny_folder: Path, pooling: str, normalise: bool) -> None:
    tower = build(tiny_folder, pooling=pooling, normalise=normalise)
    name = "SpanPooling" if pooling == "span" else "Pooling"
    assert kinds(tower) == ["Transformer", name, "Normalize"][: 3 if normalise else 2]
    for text in TEXTS:
        tokens = tokens_of(tower, text)
        words = tower.tokenizer.convert_ids_to_tokens(tower.tokenizer(text)["input_ids"])
        if pooling == "span":
            stop = words.index("[END]") if "[END]" in words else words.index("[TITLE]")
            tokens = tokens[(words.index("[START]") if "[START]" in words else 0) + 1 : stop]
        expected = tokens[0] if pooling == "cls" else tokens.mean(dim=0)
        expected = expected / expected.norm() if normalise else expected
        np.testing.assert_allclose(tower.encode(text), expected.numpy(), atol=1e-5)


@pytest.mark.parametrize(
    ("role", "n_spans", "first_token"),
    [("mention", 1, "[START]"), ("entity", 1, "[CLS]"), ("both", 2, "[START]")],
)
def test_spans_of_each_role(tiny_folder: Path, role: str, n_spans: int, first_token: str) -> None:
    tower = build(tiny_folder, pooling="span", role=role)
    spans = tower[1].spans
    assert len(spans) == n_spans
    assert tower.tokenizer.convert_ids_to_tokens(spans[0][0]) == first_token


def test_a_tokenizer_without_a_first_token_of_its_own(build_model: Any) -> None:
    tower = build(build_model(tokenizer="byte pairs without ends"), pooling="span", role="entity")
    title = tower.tokenizer.convert_tokens_to_ids("[TITLE]")
    assert isinstance(tower[1], SpanPooling)
    assert tower[1].spans == [[None, title]]
    tokens = tokens_of(tower, "rat[TITLE] liver")
    expected = tokens[: tower.tokenizer("rat[TITLE] liver")["input_ids"].index(title)].mean(dim=0)
    np.testing.assert_allclose(tower.encode("rat[TITLE] liver"), expected / expected.norm(), atol=1e-5)


def test_a_base_of_transformers_alone(build_model: Any, tiny_folder: Path) -> None:
    np.testing.assert_array_equal(
        build(build_model(pooling=None)).encode(TEXTS), build(tiny_folder).encode(TEXTS)
    )


def test_the_embedded_base_keeps_its_vectors() -> None:
    """Mean pooling and length 1 are its own; the markers do not change texts without them."""
    from sentence_transformers import SentenceTransformer

    from arborlink.encoders.embedded import embedded_folder

    tower = build(None)
    published = SentenceTransformer(str(embedded_folder()), device="cpu")
    np.testing.assert_allclose(tower.encode("a fever"), published.encode("a fever"), atol=1e-6)
    assert set(Markers().all) <= set(tower.tokenizer.get_vocab())
    assert {parameter.dtype for parameter in tower.parameters()} == {torch.float32}


@pytest.mark.parametrize("pooling", ["mean", "cls", "span"])
def test_what_requires_gradients_gets_them(tiny_folder: Path, pooling: str) -> None:
    tower = build(tiny_folder, pooling=pooling)
    frozen = [name for name, parameter in tower.named_parameters() if not parameter.requires_grad]
    assert frozen
    assert all("pooler" in name for name in frozen)
    tower.train()
    features = tower.tokenizer(TEXTS, return_tensors="pt", padding=True)
    tower(dict(features))["sentence_embedding"][:, 0].sum().backward()
    for name, parameter in tower.named_parameters():
        assert (parameter.grad is not None) == ("pooler" not in name), name


def test_dropout_is_set_everywhere_and_saved(tiny_folder: Path, tmp_path: Path) -> None:
    from transformers import AutoConfig

    own = build(tiny_folder)
    assert {module.p for module in own.modules() if isinstance(module, torch.nn.Dropout)} == {0.1}
    for share in (0.0, 0.3):
        tower = build(tiny_folder, dropout=share)
        assert {module.p for module in tower.modules() if isinstance(module, torch.nn.Dropout)} == {share}
        tower.save(str(tmp_path / str(share)))
        config = AutoConfig.from_pretrained(tmp_path / str(share))
        assert (config.hidden_dropout_prob, config.attention_probs_dropout_prob) == (share, share)
    features = dict(tower.tokenizer(TEXTS, return_tensors="pt", padding=True))
    still = build(tiny_folder, dropout=0.0).train()
    one, other = (still(dict(features))["sentence_embedding"] for _ in range(2))
    assert torch.equal(one, other)
    one, other = (tower.train()(dict(features))["sentence_embedding"] for _ in range(2))
    assert not torch.equal(one, other)


def test_a_saved_model_as_the_base(tiny_folder: Path, build_model: Any, tmp_path: Path) -> None:
    mention, entity = (
        build(folder, role=role)
        for folder, role in ((tiny_folder, "mention"), (build_model(seed=1), "entity"))
    )
    write_towers(tmp_path / "two", mention, entity, ModelSettings(32, 32))
    for role, tower in (("mention", mention), ("entity", entity)):
        np.testing.assert_array_equal(build(tmp_path / "two", role=role).encode(TEXTS), tower.encode(TEXTS))
    with pytest.raises(
        ModelError, match=r"has two towers; train two from it, or name one of them: .*mention or "
    ):
        build(tmp_path / "two")
    write_towers(tmp_path / "one", mention, mention, ModelSettings(32, 32))
    np.testing.assert_array_equal(build(tmp_path / "one").encode(TEXTS), mention.encode(TEXTS))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pooling": "max"}, "pooling 'max' is not known; choose one of mean, cls, span"),
        ({"role": "document"}, "a tower cannot read 'document'; choose one of mention, entity, both"),
        ({"dropout": 1.0}, "dropout is 1.0; expected a share from 0 to less than 1"),
        ({"dropout": -0.1}, "dropout is -0.1; expected a share"),
    ],
)
def test_choices_that_are_none(tiny_folder: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        build(tiny_folder, **changes)


def test_a_base_that_is_no_transformer(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({"[UNK]": 0, "rat": 1}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=4)], device="cpu").save(str(tmp_path))
    with pytest.raises(ModelError, match="does not read text with a transformer; choose one that does"):
        build(tmp_path)
