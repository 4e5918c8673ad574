"""Windows without context or without name: what is left of them, token by token."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentence_transformers import SentenceTransformer

from arborlink.encoders.sequences import Sequences
from arborlink.encoders.views import Markers
from arborlink.errors import InputError
from arborlink.training.masking import Masking

MakeTower = Callable[..., SentenceTransformer]
SequencesOf = Callable[[Sequence[Sequence[int]]], Sequences]
START, END, MASK = 90, 91, 4
MASKING = Masking(START, END, MASK, n_before=1, n_after=1)

some_tokens = st.lists(st.integers(5, 80), max_size=4)
windows = st.lists(st.tuples(some_tokens, some_tokens, some_tokens), max_size=6)


def lists(texts: Sequences) -> list[list[int]]:
    return [own.tolist() for own in np.split(texts.tokens, texts.offsets[1:-1])] if len(texts) else []


@settings(max_examples=100, deadline=None)
@given(parts=windows, seed=st.integers(0, 1000))
def test_what_is_left_is_what_a_loop_leaves(
    sequences_of: SequencesOf, parts: list[tuple[list[int], list[int], list[int]]], seed: int
) -> None:
    texts = sequences_of([[2, *left, START, *own, END, *right, 3] for left, own, right in parts])
    rows = np.random.default_rng(seed).permutation(len(parts))[: max(1, len(parts) - 1)]
    bare, nameless = MASKING.without_context(texts, rows), MASKING.without_name(texts, rows)
    assert lists(bare) == [[2, START, *parts[row][1], END, 3] for row in rows]
    assert lists(nameless) == [
        [2, *parts[row][0], START, *([MASK] if parts[row][1] else []), END, *parts[row][2], 3] for row in rows
    ]
    assert {own.tokens.dtype for own in (bare, nameless)} == {np.dtype(np.int32)}
    assert bare.padding == texts.padding


def test_a_window_that_lost_a_marker_stays_as_it_is(sequences_of: SequencesOf) -> None:
    cut = [[2, 7, START, 8, 9, 3], [2, 7, 8, END, 9, 3], [2, 3]]
    texts = sequences_of(cut)
    assert lists(MASKING.without_context(texts, np.arange(3))) == cut
    assert lists(MASKING.without_name(texts, np.arange(3))) == cut


def test_it_knows_what_a_tokenizer_puts_around_texts(make_tower: MakeTower) -> None:
    tokenizer = make_tower().tokenizer
    masking = Masking.of(tokenizer, Markers())
    texts = Sequences.of(["rat and [START] big cat [END] ran"], tokenizer, 32, "windows", False)
    (bare,) = lists(masking.without_context(texts, np.array([0])))
    assert tokenizer.decode(bare).replace(" ##", "") == "[CLS] [START] big cat [END] [SEP]"
    (nameless,) = lists(masking.without_name(texts, np.array([0])))
    assert tokenizer.decode(nameless).replace(" ##", "") == "[CLS] rat and [START] [MASK] [END] ran [SEP]"


class Maskless:
    """A tokenizer that puts nothing around texts and may know an unknown token."""

    mask_token_id = None

    def __init__(self, unknown: int | None) -> None:
        self.unk_token_id = unknown

    def convert_tokens_to_ids(self, tokens: list[str]) -> list[int]:
        return [{"[START]": START, "[END]": END}[token] for token in tokens]

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": self.convert_tokens_to_ids(text.split())}


def test_an_unknown_token_stands_in_for_a_mask(sequences_of: SequencesOf) -> None:
    texts = sequences_of([[8, START, 7, 7, END]])
    masking = Masking.of(Maskless(0), Markers())
    assert lists(masking.without_name(texts, np.array([0]))) == [[8, START, 0, END]]
    assert lists(masking.without_context(texts, np.array([0]))) == [[START, 7, 7, END]]


def test_without_either_only_contexts_can_be_taken_out(sequences_of: SequencesOf) -> None:
    with pytest.raises(InputError) as refused:
        Masking.of(Maskless(None), Markers())
    assert str(refused.value) == (
        "the base model has neither a mask nor an unknown token for a mention's words; set objective.name_dropout to "
        "0, or choose another encoder.base"
    )
    texts = sequences_of([[8, START, 7, END, 9]])
    masking = Masking.of(Maskless(None), Markers(), names=False)
    assert lists(masking.without_context(texts, np.array([0]))) == [[START, 7, END]]


@settings(max_examples=50, deadline=None)
@given(
    one=st.lists(some_tokens, max_size=5), other=st.lists(some_tokens, max_size=5), seed=st.integers(0, 99)
)
def test_texts_are_joined_and_taken_whole(
    sequences_of: SequencesOf, one: list[list[int]], other: list[list[int]], seed: int
) -> None:
    joined = sequences_of(one).joined(sequences_of(other), sequences_of([]))
    assert lists(joined) == one + other
    assert lists(joined.since(len(one))) == other
    rows = np.random.default_rng(seed).integers(0, max(1, len(joined)), 7 if len(joined) else 0)
    assert lists(joined.taken(rows)) == [(one + other)[row] for row in rows]
