"""Pairs put together from arrays are those that the tokenizer makes of two texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import RobertaProcessing, TemplateProcessing
from transformers import PreTrainedTokenizerFast

from arborlink.encoders.sequences import Sequences
from arborlink.errors import ModelError
from arborlink.reranking.pairs import ENTITY, MENTION, Joint, PairTexts

WORDS = ["a", "b", "red", "green", "blue"]
SPECIAL = ["<s>", "</s>", "<pad>", "<unk>", "[START]"]
texts = st.lists(
    st.lists(st.sampled_from([*WORDS, "[START]", "other"]), min_size=1, max_size=9).map(" ".join),
    min_size=1,
    max_size=5,
    unique=True,
)


def tokenizer(kind: str) -> PreTrainedTokenizerFast:
    """Words for tokens, and pairs as BERT, RoBERTa or nobody joins them."""
    ids = {word: number for number, word in enumerate([*SPECIAL, *WORDS])}
    inner = Tokenizer(WordLevel(ids, unk_token="<unk>"))
    inner.pre_tokenizer = Whitespace()
    if kind == "roberta":
        inner.post_processor = RobertaProcessing(("</s>", 1), ("<s>", 0))
    else:
        pairs = {
            "bert": "<s> $A </s> $B:1 </s>:1",
            "swapped": "<s> $B </s> $A:1 </s>:1",
            "none": "$A $B:1",
        }
        single = "$A" if kind == "none" else "<s> $A </s>"
        inner.post_processor = TemplateProcessing(
            single=single, pair=pairs[kind], special_tokens=[("<s>", 0), ("</s>", 1)]
        )
    made = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=inner,
        pad_token="<pad>",
        unk_token="<unk>",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    made.add_special_tokens({"extra_special_tokens": ["[START]"]})
    return made


def pair_texts(
    made: PreTrainedTokenizerFast,
    mentions: list[str],
    entities: list[str],
    openings: Sequence[str] = (),
    passages: Sequence[str] = (),
    n_tokens: tuple[int, int, int, int] = (64, 64, 64, 64),
) -> PairTexts:
    """Texts tokenised each on its own; ``n_tokens`` in the order of a row."""
    joint = Joint.of(made)
    kinds = (mentions, openings, entities, passages)
    first, *others = (
        Sequences.of(each, made, most, "texts", False) for each, most in zip(kinds, n_tokens, strict=True)
    )
    opening, entity, passage = map(joint.as_next, others)
    return PairTexts(first, opening, entity, passage, has_types=True)


@pytest.mark.parametrize("kind", ["bert", "roberta", "none"])
@settings(deadline=None, max_examples=40)
@given(mentions=texts, entities=texts, data=st.data())
def test_pairs_are_those_of_the_tokenizer(
    kind: str, mentions: list[str], entities: list[str], data: st.DataObject
) -> None:
    made = tokenizer(kind)
    joined = pair_texts(made, mentions, entities)
    n = data.draw(st.integers(1, 8))
    rows = np.array([[draw(data, mentions), -1, draw(data, entities)] for _ in range(n)], dtype=np.int64)
    max_tokens = data.draw(st.sampled_from([0, 16, 40]))
    places_seen = []
    for chunk in joined.chunks(rows, max_tokens, per_chunk=8):
        for row, place in enumerate(chunk.places.tolist()):
            expected = made(mentions[rows[place, MENTION]], entities[rows[place, ENTITY]])
            n_all, n_first = int(chunk.n_all[row]), int(chunk.n_first[row])
            assert chunk.ids[row, :n_all].tolist() == expected["input_ids"]
            assert (chunk.ids[row, n_all:] == 2).all()
            if kind == "bert":
                assert [0] * n_first + [1] * (n_all - n_first) == expected["token_type_ids"]
            places_seen.append(place)
    assert sorted(places_seen) == list(range(n))


def draw(data: st.DataObject, texts: Sequence[str], least: int = 0) -> int:
    return data.draw(st.integers(least, len(texts) - 1))


def following(made: PreTrainedTokenizerFast, kind: str, text: str) -> list[int]:
    """A text behind another, written down as the makers of BERT and RoBERTa say: ``B </s>`` and ``</s> B </s>``."""
    plain: list[int] = made(text, add_special_tokens=False)["input_ids"]
    return {"bert": [*plain, 1], "roberta": [1, *plain, 1], "none": plain}[kind]


@pytest.mark.parametrize("kind", ["bert", "roberta", "none"])
@settings(deadline=None, max_examples=60)
@given(
    mentions=texts,
    openings=st.one_of(st.just([]), texts),
    entities=texts,
    passages=st.one_of(st.just([]), texts),
    n_passages=st.integers(0, 3),
    data=st.data(),
)
def test_openings_and_passages_follow_as_second_texts_do(
    kind: str,
    mentions: list[str],
    openings: list[str],
    entities: list[str],
    passages: list[str],
    n_passages: int,
    data: st.DataObject,
) -> None:
    made = tokenizer(kind)
    joined = pair_texts(made, mentions, entities, openings, passages)
    n = data.draw(st.integers(1, 8))
    numbers = [
        [
            draw(data, mentions),
            draw(data, openings, -1),
            draw(data, entities),
            *(draw(data, passages, -1) for _ in range(n_passages)),
        ]
        for _ in range(n)
    ]
    rows = np.array(numbers, dtype=np.int64)
    places_seen = []
    for chunk in joined.chunks(rows, data.draw(st.sampled_from([0, 16, 40])), per_chunk=8):
        for row, place in enumerate(chunk.places.tolist()):
            mention, opening, entity, *others = numbers[place]
            first = list(made(mentions[mention])["input_ids"])
            first += following(made, kind, openings[opening]) if opening >= 0 else []
            second = following(made, kind, entities[entity])
            for number in others:
                second += following(made, kind, passages[number]) if number >= 0 else []
            n_all = int(chunk.n_all[row])
            assert (int(chunk.n_first[row]), n_all) == (len(first), len(first) + len(second))
            assert chunk.ids[row, :n_all].tolist() == [*first, *second]
            assert (chunk.ids[row, n_all:] == 2).all()
            places_seen.append(place)
    assert sorted(places_seen) == list(range(n))
    expected = [made(mentions[own[0]], entities[own[2]])["input_ids"] for own in numbers]
    bare = np.where(np.isin(np.arange(rows.shape[1]), (MENTION, ENTITY)), rows, -1)
    assert joined.lengths(bare).tolist() == [len(own) for own in expected]


def test_long_texts_are_cut_each_on_its_own() -> None:
    made = tokenizer("bert")
    mentions, openings, entities, passages = ([f"{word} " * 30] for word in ("red", "blue", "green", "a"))
    joined = pair_texts(made, mentions, entities, openings, passages, n_tokens=(16, 18, 20, 17))
    (chunk,) = joined.chunks(np.array([[0, -1, 0]]))
    assert chunk.n_first.tolist() == [16]
    assert chunk.n_all.tolist() == [16 + 20 - 1]
    assert chunk.ids.shape == (1, 40)
    (chunk,) = joined.chunks(np.array([[0, 0, 0, 0, -1, 0]]))
    assert chunk.n_first.tolist() == [16 + 18 - 1]
    assert chunk.n_all.tolist() == [16 + 18 + 20 + 17 + 17 - 4]


def test_a_tokenizer_with_other_ways_is_refused() -> None:
    with pytest.raises(ModelError, match="joins two texts in a way of its own"):
        Joint.of(tokenizer("swapped"))
