"""Pairs put together from arrays are those that the tokenizer makes of two texts."""

from __future__ import annotations

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
from arborlink.reranking.pairs import Joint, PairTexts

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


@pytest.mark.parametrize("kind", ["bert", "roberta", "none"])
@settings(deadline=None, max_examples=40)
@given(mentions=texts, entities=texts, data=st.data())
def test_pairs_are_those_of_the_tokenizer(
    kind: str, mentions: list[str], entities: list[str], data: st.DataObject
) -> None:
    made = tokenizer(kind)
    firsts, seconds = (Sequences.of(each, made, 64, "texts", False) for each in (mentions, entities))
    joined = PairTexts.of(firsts, seconds, Joint.of(made), has_types=True)
    n = data.draw(st.integers(1, 8))
    first_rows, second_rows = (
        np.array(data.draw(st.lists(st.integers(0, len(each) - 1), min_size=n, max_size=n)), dtype=np.int64)
        for each in (mentions, entities)
    )
    max_tokens = data.draw(st.sampled_from([0, 16, 40]))
    places_seen = []
    for chunk in joined.chunks(first_rows, second_rows, max_tokens, per_chunk=8):
        for row, place in enumerate(chunk.places.tolist()):
            expected = made(mentions[first_rows[place]], entities[second_rows[place]])
            n_all, n_first = int(chunk.n_all[row]), int(chunk.n_first[row])
            assert chunk.ids[row, :n_all].tolist() == expected["input_ids"]
            assert (chunk.ids[row, n_all:] == 2).all()
            if kind == "bert":
                assert [0] * n_first + [1] * (n_all - n_first) == expected["token_type_ids"]
            places_seen.append(place)
    assert sorted(places_seen) == list(range(n))


def test_long_texts_are_cut_each_on_its_own() -> None:
    made = tokenizer("bert")
    mentions, entities = ["red " * 30], ["green " * 30]
    joined = PairTexts.of(
        Sequences.of(mentions, made, 16, "texts", False),
        Sequences.of(entities, made, 20, "texts", False),
        Joint.of(made),
        has_types=True,
    )
    (chunk,) = joined.chunks(np.array([0]), np.array([0]))
    assert chunk.n_first.tolist() == [16]
    assert chunk.n_all.tolist() == [16 + 20 - 1]
    assert chunk.ids.shape == (1, 40)


def test_a_tokenizer_with_other_ways_is_refused() -> None:
    with pytest.raises(ModelError, match="joins two texts in a way of its own"):
        Joint.of(tokenizer("swapped"))
