"""Span pooling against a loop that does what it says, one text and one token after the other."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.encoders import span_pooling
from arborlink.encoders.building import build_tower
from arborlink.encoders.fingerprint import model_fingerprint
from arborlink.encoders.network import load_network
from arborlink.encoders.span_pooling import SpanPooling
from arborlink.encoders.views import Markers

START, END, TITLE, CLS, PAD = 1, 2, 3, 4, 0
DIMENSION = 3
Spans = list[tuple[int | None, int]]
MENTION: Spans = [(START, END)]
ENTITY: Spans = [(CLS, TITLE)]


def between(ids: list[int], start: int | None, end: int) -> list[int]:
    """Places strictly between the first ``start`` and the next ``end``."""
    if start is None:
        opened = -1
    elif start in ids:
        opened = ids.index(start)
    else:
        return []
    for place in range(opened + 1, len(ids)):
        if ids[place] == end:
            return list(range(opened + 1, place))
    return []


def averaged(ids: list[int], spans: Spans) -> list[int]:
    for start, end in spans:
        if places := between(ids, start, end):
            return places
    return list(range(len(ids)))


def batch(texts: list[list[int]], pad_left: bool = False) -> dict[str, Any]:
    """Padded ids, mask, and embeddings that differ everywhere, in the padding too."""
    length = max(map(len, texts))
    ids = np.zeros((len(texts), length), np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(texts):
        own = slice(length - len(text), length) if pad_left else slice(0, len(text))
        ids[row, own], mask[row, own] = text, 1
    tokens = torch.randn(*ids.shape, DIMENSION, generator=torch.Generator().manual_seed(0))
    return {
        "input_ids": torch.from_numpy(ids),
        "attention_mask": torch.from_numpy(mask),
        "token_embeddings": tokens,
    }


texts_of_ids = st.lists(st.lists(st.integers(1, 7), min_size=1, max_size=9), min_size=1, max_size=5)


@settings(max_examples=200, deadline=None)
@given(
    texts=texts_of_ids,
    spans=st.sampled_from([MENTION, ENTITY, MENTION + ENTITY, [(None, TITLE)], [(START, START)]]),
    pad_left=st.booleans(),
)
def test_it_is_what_the_loop_gives(texts: list[list[int]], spans: Spans, pad_left: bool) -> None:
    features = batch(texts, pad_left)
    vectors = SpanPooling(DIMENSION, spans)(dict(features))["sentence_embedding"]
    for row, text in enumerate(texts):
        own = features["token_embeddings"][row][features["attention_mask"][row].bool()]
        expected = own[averaged(text, spans)].mean(dim=0)
        torch.testing.assert_close(vectors[row], expected)


@pytest.mark.parametrize(
    ("ids", "spans", "places"),
    [
        ([CLS, 7, START, 5, 6, END, 7], MENTION, [3, 4]),
        ([CLS, 5, 6, TITLE, 7, 7], ENTITY, [1, 2]),
        ([5, 6, TITLE, 7], [(None, TITLE)], [0, 1]),
        ([CLS, START, 5, END, TITLE], MENTION + ENTITY, [2]),
        ([CLS, 5, TITLE, 7], MENTION + ENTITY, [1]),
        ([CLS, 5, 7], MENTION + ENTITY, [0, 1, 2]),
        ([CLS, START, END, 7], MENTION, [0, 1, 2, 3]),
        ([END, 7, START, 5], MENTION, [0, 1, 2, 3]),
    ],
)
def test_by_hand(ids: list[int], spans: Spans, places: list[int]) -> None:
    features = batch([ids])
    vectors = SpanPooling(DIMENSION, spans)(dict(features))["sentence_embedding"]
    torch.testing.assert_close(vectors, features["token_embeddings"][:, places].mean(dim=1))


def test_only_the_span_gets_gradients() -> None:
    features = batch([[CLS, START, 5, 6, END], [CLS, 7]])
    tokens = features["token_embeddings"].double().requires_grad_()
    SpanPooling(DIMENSION, MENTION)({**features, "token_embeddings": tokens})[
        "sentence_embedding"
    ].sum().backward()
    assert tokens.grad is not None
    expected = torch.tensor([[0, 0, 0.5, 0.5, 0], [0.5, 0.5, 0, 0, 0]], dtype=torch.float64)
    torch.testing.assert_close(tokens.grad, expected.unsqueeze(-1).expand_as(tokens))


def test_half_precision_is_summed_exactly() -> None:
    """A sum of a thousand ones and small numbers in bfloat16 would stop growing at 256."""
    n_tokens = 1000
    tokens = torch.ones(1, n_tokens, DIMENSION, dtype=torch.bfloat16)
    features = {
        "input_ids": torch.full((1, n_tokens), 7),
        "attention_mask": torch.ones(1, n_tokens),
        "token_embeddings": tokens,
    }
    with torch.autocast("cpu", dtype=torch.bfloat16):
        vectors = SpanPooling(DIMENSION, MENTION)(features)["sentence_embedding"]
    assert vectors.dtype == torch.bfloat16
    assert (vectors == 1).all()


def test_a_text_without_tokens_is_zero() -> None:
    features = batch([[CLS, 5]])
    features["attention_mask"] = torch.zeros_like(features["attention_mask"])
    assert (SpanPooling(DIMENSION, ENTITY)(features)["sentence_embedding"] == 0).all()


def test_sequences_in_one_row() -> None:
    """As flash attention takes them: no padding, no mask, the lengths beside them."""
    texts = [[CLS, START, 5, 6, END], [CLS, 7], [START, 5, END]]
    padded = batch(texts)
    flat = padded["token_embeddings"][padded["attention_mask"].bool()]
    features = {
        "input_ids": torch.tensor([[token for text in texts for token in text]]),
        "token_embeddings": flat.unsqueeze(0),
        "cu_seq_lens_q": torch.tensor([0, 5, 7, 10], dtype=torch.int32),
    }
    pooling = SpanPooling(DIMENSION, MENTION)
    torch.testing.assert_close(pooling(features)["sentence_embedding"], pooling(padded)["sentence_embedding"])


def tower(folder: Path, normalise: bool = True) -> Any:
    return build_tower(
        folder, pooling="span", normalise=normalise, role="both", markers=Markers(), device="cpu"
    )


@pytest.mark.parametrize("normalise", [True, False])
def test_saved_and_loaded(tiny_folder: Path, tmp_path: Path, normalise: bool) -> None:
    from sentence_transformers import SentenceTransformer

    texts = ["the [START] rat [END] had a fever", "fever [TITLE] of the liver", "neither"]
    built = tower(tiny_folder, normalise)
    built.save(str(tmp_path))
    loaded = load_network(tmp_path, "saved", "cpu", torch.float32)
    assert isinstance(loaded[1], SpanPooling)
    assert model_fingerprint(loaded, 32) == model_fingerprint(built, 32)
    trusted = SentenceTransformer(str(tmp_path), device="cpu", trust_remote_code=True)
    for again in (loaded, trusted):
        np.testing.assert_array_equal(again.encode(texts), built.encode(texts))


def test_sentence_transformers_alone_asks_before_it_loads_it(tiny_folder: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    tower(tiny_folder).save(str(tmp_path))
    with pytest.raises(ValueError, match="trust_remote_code=True"):
        SentenceTransformer(str(tmp_path), device="cpu")


def test_nothing_else_is_loaded_beside_it(tiny_folder: Path, tmp_path: Path) -> None:
    from arborlink.errors import ModelError

    tower(tiny_folder).save(str(tmp_path))
    modules = (tmp_path / "modules.json").read_text()
    name = "sentence_transformers.base.modules.normalize.Normalize"
    assert name in modules
    (tmp_path / "modules.json").write_text(modules.replace(name, "somebody.elses.Module"))
    with pytest.raises(ModelError, match=r"cannot have a module 'somebody\.elses\.Module'"):
        load_network(tmp_path, "saved", "cpu")


def test_the_spans_are_part_of_the_fingerprint(tiny_folder: Path) -> None:
    one = tower(tiny_folder)
    before = model_fingerprint(one, 32)
    one[1].spans = one[1].spans[:1]
    assert model_fingerprint(one, 32) != before


def test_the_example() -> None:
    assert doctest.testmod(span_pooling).failed == 0
    assert doctest.testmod(span_pooling).attempted > 0
