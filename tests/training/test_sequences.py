"""Token ids: tokenised, padded and chunked as a literal loop would, and embedded as sentence-transformers does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sentence_transformers import SentenceTransformer

from arborlink.encoders import sequences as sequences_module
from arborlink.encoders.sequences import Chunk, Sequences, _cheapest_cuts
from arborlink.training import processes
from arborlink.training.objectives import make_objective
from arborlink.training.towers_in_training import TowersInTraining, side_of_step

SequencesOf = Callable[[Sequence[Sequence[int]]], Sequences]
MakeTower = Callable[..., SentenceTransformer]

TEXTS = [
    "aspirin",
    "the [START] rat [END] liver",
    "x" * 200,
    "",
    "Schrödinger's 'cat' \udc80",
    "a b c d e f g h",
    "liver failure after a long treatment of the same kind",
]
token_lists = st.lists(st.lists(st.integers(1, 99), max_size=30), max_size=12)


def check_padded(chunk: Chunk, ids: list[list[int]]) -> None:
    """Each row of the chunk holds its tokens, then padding, and the mask tells which is which."""
    longest = max((len(ids[row]) for row in chunk.rows.tolist()), default=0)
    width = max(8, (longest + 7) // 8 * 8)
    assert chunk.ids.shape == chunk.mask.shape == (len(chunk.rows), width)
    assert chunk.ids.dtype == chunk.mask.dtype == np.int64
    for row, found, mask in zip(chunk.rows.tolist(), chunk.ids.tolist(), chunk.mask.tolist(), strict=True):
        n = len(ids[row])
        assert found == ids[row] + [0] * (width - n)
        assert mask == [1] * n + [0] * (width - n)


@settings(deadline=None)
@given(ids=token_lists, data=st.data())
def test_padding_equals_a_loop(sequences_of: SequencesOf, ids: list[list[int]], data: st.DataObject) -> None:
    texts = sequences_of(ids)
    assert len(texts) == len(ids)
    assert texts.lengths.tolist() == [len(own) for own in ids]
    rows = data.draw(st.lists(st.integers(0, len(ids) - 1), max_size=20)) if ids else []
    chunk = texts.padded(np.array(rows, dtype=np.int64))
    assert chunk.rows.tolist() == rows
    check_padded(chunk, ids)


@settings(deadline=None)
@given(
    ids=token_lists,
    max_tokens=st.sampled_from([0, 1, 8, 20, 64, 200]),
    per_chunk=st.sampled_from([0, 7, 500]),
)
def test_chunks_hold_every_row_once_in_order_and_no_more_tokens_than_allowed(
    sequences_of: SequencesOf, ids: list[list[int]], max_tokens: int, per_chunk: int
) -> None:
    texts = sequences_of(ids)
    rows = np.arange(len(ids))[::-1].astype(np.int64)
    chunks = texts.chunks(rows, max_tokens, per_chunk)
    expected = sorted(rows.tolist(), key=lambda row: -((max(1, len(ids[row])) + 7) // 8))  # stable
    assert [row for chunk in chunks for row in chunk.rows.tolist()] == expected
    for chunk in chunks:
        check_padded(chunk, ids)
        assert len(chunk.rows) == 1 or not max_tokens or chunk.ids.size <= max_tokens
    if not max_tokens and not per_chunk:
        assert len(chunks) == len({chunk.ids.shape[1] for chunk in chunks})


def cost(classes: list[int], cuts: Sequence[int], per_chunk: int) -> int:
    return sum((stop - start) * classes[start] + per_chunk for start, stop in pairwise(cuts))


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 8), min_size=1, max_size=9),
    per_chunk=st.sampled_from([0, 1, 8, 16, 40, 1000]),
)
def test_cuts_are_the_cheapest_of_all(sizes: list[int], per_chunk: int) -> None:
    classes = sorted((8 * size for size in sizes), reverse=True)
    n = len(classes)
    every_way = [
        [0, *(place for place in range(1, n) if chosen >> place & 1), n] for chosen in range(0, 1 << n, 2)
    ]
    cuts = _cheapest_cuts(np.array(classes, dtype=np.int64), per_chunk)
    assert (cuts[0], cuts[-1]) == (0, n)
    assert all(start < stop for start, stop in pairwise(cuts))
    assert cost(classes, cuts, per_chunk) == min(cost(classes, way, per_chunk) for way in every_way)


def test_a_dear_chunk_is_not_cut(sequences_of: SequencesOf) -> None:
    texts = sequences_of([[1] * 3, [1] * 20, [1] * 9])
    rows = np.arange(3)
    assert [chunk.rows.tolist() for chunk in texts.chunks(rows)] == [[1], [2], [0]]
    # 8 tokens of padding for text 0 beside text 2 are less than a chunk costs, 16 more beside text 1 are not
    assert [chunk.rows.tolist() for chunk in texts.chunks(rows, per_chunk=10)] == [[1], [2, 0]]
    assert [chunk.rows.tolist() for chunk in texts.chunks(rows, per_chunk=1000)] == [[1, 2, 0]]


def test_no_texts_make_no_chunks(sequences_of: SequencesOf) -> None:
    texts = sequences_of([])
    nothing = np.empty(0, dtype=np.int64)
    assert len(texts) == 0
    assert texts.lengths.tolist() == []
    assert texts.chunks(nothing) == []
    assert texts.padded(nothing).ids.shape == (0, 8)


def test_texts_without_any_token_are_all_padding_and_count_as_wide_as_they_are(
    sequences_of: SequencesOf,
) -> None:
    texts = sequences_of([[]] * 5)
    assert texts.padded(np.arange(2)).mask.tolist() == [[0] * 8] * 2
    chunks = texts.chunks(np.arange(5), max_tokens=16)
    assert [chunk.ids.shape for chunk in chunks] == [(2, 8), (2, 8), (1, 8)]


@pytest.mark.parametrize("piece", [3, 16384])
def test_texts_are_tokenised_one_after_the_other(
    make_tower: MakeTower, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(sequences_module, "_PIECE", piece)
    tokenizer = make_tower().tokenizer
    found = Sequences.of(TEXTS, tokenizer, 16, "texts", progress=False)
    readable = [text.replace("\udc80", "?") for text in TEXTS]
    expected = [tokenizer(text, truncation=True, max_length=16)["input_ids"] for text in readable]
    assert found.tokens.dtype == np.int32
    assert found.offsets.dtype == np.int64
    assert [own.tolist() for own in np.split(found.tokens, found.offsets[1:-1])] == expected
    assert found.lengths.max() == 16
    assert found.padding == tokenizer.pad_token_id == 0


def test_no_texts_are_no_sequences(make_tower: MakeTower) -> None:
    found = Sequences.of([], make_tower().tokenizer, 16, "texts", progress=False)
    assert (len(found), len(found.tokens), found.offsets.tolist()) == (0, 0, [0])


@settings(deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 9),
    n_processes=st.integers(1, 4),
    max_tokens=st.sampled_from([0, 32]),
)
def test_the_shares_of_all_processes_make_the_texts_of_one(
    sequences_of: SequencesOf, seed: int, n: int, n_processes: int, max_tokens: int
) -> None:
    draw = np.random.default_rng(seed)
    texts = sequences_of([[number + 1] * int(draw.integers(1, 30)) for number in range(9)])
    rows = draw.integers(0, 9, n)
    shares, order = [], np.empty(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "n_processes", lambda: n_processes)
        for number in range(n_processes):
            patch.setattr(processes, "process_number", lambda number=number: number)
            side = side_of_step(texts, rows, max_tokens, 0)
            shares.append([own[0] for ids in side["ids"] for own in ids.tolist()])
            order = side["order"].numpy()
    assert len({len(share) for share in shares}) == 1
    gathered = np.array(shares).T.ravel()[:n]  # as `all_rows` puts them together
    assert gathered[order].tolist() == (rows + 1).tolist()


@pytest.mark.parametrize("budget", [8, 50, 4096])
def test_embedding_equals_sentence_transformers(
    make_tower: MakeTower, monkeypatch: pytest.MonkeyPatch, budget: int
) -> None:
    monkeypatch.setattr("arborlink.training.towers_in_training._CPU_TOKENS", budget)
    mention_tower, entity_tower = make_tower(), make_tower(normalise=False)
    towers = TowersInTraining(mention_tower, entity_tower, make_objective("joint"), 0.05)
    texts = [text.replace("\udc80", "?") for text in TEXTS]
    length = int(mention_tower.max_seq_length or 0)
    for which, tower in (("mentions", mention_tower), ("entities", entity_tower)):
        found = towers.embed(which, Sequences.of(texts, tower.tokenizer, length, which, progress=False))
        assert (found.dtype, found.requires_grad) == (torch.float32, False)
        expected = tower.encode(texts, convert_to_numpy=True, show_progress_bar=False)
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-5)


def test_embedding_is_without_dropout_and_leaves_the_tower_as_it_was(make_tower: MakeTower) -> None:
    tower = make_tower(dropout=0.5)
    towers = TowersInTraining(tower, tower, make_objective("joint"), 0.05)
    texts = Sequences.of(TEXTS, tower.tokenizer, 32, "texts", progress=False)
    towers.eval()
    expected = towers.embed("mentions", texts)
    assert not any(module.training for module in tower.modules())
    towers.train()
    assert torch.equal(towers.embed("mentions", texts), expected)
    assert all(module.training for module in tower.modules())
    # what dropout would have done
    chunk = texts.padded(np.arange(len(texts)))
    features = {"input_ids": torch.from_numpy(chunk.ids), "attention_mask": torch.from_numpy(chunk.mask)}
    assert (tower(features)["sentence_embedding"] - expected).abs().max() > 0.01


def test_the_mode_comes_back_when_embedding_fails(make_tower: MakeTower, sequences_of: SequencesOf) -> None:
    tower = make_tower()
    towers = TowersInTraining(tower, tower, make_objective("joint"), 0.05).train()
    with pytest.raises(IndexError):
        towers.embed("mentions", sequences_of([[2, 10_000, 3]]))  # no such token
    assert tower.training


def test_nothing_is_embedded_as_nothing(make_tower: MakeTower, sequences_of: SequencesOf) -> None:
    tower = make_tower()
    assert TowersInTraining(tower, tower, make_objective("joint"), 0.05).embed(
        "mentions", sequences_of([])
    ).shape == (0, 32)
