"""The gold entity comes first and is never a negative."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reranking_world import letter_documents, letter_kb

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.training.reranker.candidates import Candidates, mine, with_gold

N_ENTITIES = 8


@given(
    st.lists(
        st.tuples(
            st.integers(0, N_ENTITIES - 1), st.permutations(range(N_ENTITIES)), st.integers(0, N_ENTITIES)
        ),
        min_size=1,
        max_size=5,
    ),
    st.lists(st.integers(0, 5), min_size=N_ENTITIES, max_size=N_ENTITIES),
    st.integers(2, 10),
)
def test_candidates_are_the_gold_and_the_nearest_that_differ(
    mentions: list[tuple[int, list[int], int]], kinds: list[int], k: int
) -> None:
    gold = np.array([own for own, _, _ in mentions], dtype=np.int32)
    near = np.full((len(mentions), N_ENTITIES), -1, dtype=np.int32)
    for row, (_, order, length) in enumerate(mentions):
        near[row, :length] = order[:length]
    found = with_gold(gold, near, np.array(kinds), k)
    for row, (own, order, length) in enumerate(mentions):
        wrong = [item for item in order[:length] if kinds[item] != kinds[own]][: k - 1]
        assert found[row][found[row] >= 0].tolist() == [own, *wrong]
        assert found[row, 0] == own


def test_only_mentions_with_one_known_entity_are_learned_from(towers_folder: Path) -> None:
    labels: list[tuple[str, ...] | None] = [("Q1",), None, (), ("Q1", "Q2"), ("elsewhere",), ("Q3",)]
    corpus = Corpus(
        Document(f"d{number}", "we 11.", (Mention(f"d{number}.0", 3, 5, (), label),))
        for number, label in enumerate(labels)
    )
    linker = Linker.load(towers_folder, device="cpu", cache=False, progress=False)
    found = mine(linker, letter_kb(), corpus, 3)
    assert found.mentions.tolist() == [0, 5]
    assert found.items[:, 0].tolist() == [1, 3]
    assert found.items.shape == (2, 3)
    assert found.n_pairs == 6
    near = linker.neighbourhood(corpus, letter_kb(), 4, 0).near.items[[0, 5]]
    for own, items, nearest in zip((1, 3), found.items.tolist(), near.tolist(), strict=True):
        assert items[1:] == [item for item in nearest if item != own][:2]


@pytest.mark.parametrize("is_own", [True, False])
def test_examples_do_not_vote_about_their_own_document(towers_folder: Path, is_own: bool) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False, progress=False)
    corpus = Corpus([Document("d", "we 11.", (Mention("d.0", 3, 5, (), ("Q1",)),))])
    alone = mine(linker, letter_kb(), corpus, 4).items.tolist()
    last = alone[0][-1]
    # labelled with whom the towers think of last, so that a vote of theirs would show
    text = "we  11. " if is_own else "we 11!"
    start = text.index("11")
    labelled = Corpus(
        Document(f"e{number}", text, (Mention(f"e{number}.0", start, start + 2, (), (f"Q{last}",)),))
        for number in range(40)
    )
    voted = mine(linker.with_examples(labelled), letter_kb(), corpus, 4).items.tolist()
    assert (voted == alone) is is_own
    assert (voted[0][1] == last) is not is_own


def test_examples_of_other_documents_vote(towers_folder: Path) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False, progress=False)
    corpus, others = letter_documents("t", 12, 4), letter_documents("o", 40, 5)
    alone, voted = (mine(each, letter_kb(), corpus, 3) for each in (linker, linker.with_examples(others)))
    assert not np.array_equal(alone.items, voted.items)
    expected = linker.with_examples(others).neighbourhood(corpus, letter_kb(), 4, 0).near.items
    for items, near in zip(voted.items.tolist(), expected.tolist(), strict=True):
        assert items[1:] == [item for item in near if item != items[0]][:2]


def test_a_twin_of_the_gold_entity_is_no_negative(towers_folder: Path) -> None:
    kb = KnowledgeBase([Entity("A", "bbb"), Entity("B", "bbb"), Entity("C", "ddd")])
    corpus = Corpus([Document("d", "we bbb.", (Mention("d.0", 3, 6, (), ("B",)),))])
    linker = Linker.load(towers_folder, device="cpu", cache=False, progress=False)
    assert mine(linker, kb, corpus, 3).items.tolist() == [[1, 2, -1]]


def test_some_mentions_are_drawn_by_seed_and_keep_their_order() -> None:
    made = Candidates(np.arange(100) * 2, np.arange(300, dtype=np.int32).reshape(100, 3))
    assert made.drawn(0, 1) is made
    assert made.drawn(100, 1) is made
    some = made.drawn(20, 1)
    assert len(some) == len(set(some.mentions.tolist())) == 20
    assert some.mentions.tolist() == sorted(some.mentions)
    assert np.array_equal(some.items, made.items[some.mentions // 2])
    assert np.array_equal(some.mentions, made.drawn(20, 1).mentions)
    assert not np.array_equal(some.mentions, made.drawn(20, 2).mentions)


def test_candidates_are_kept_on_disk(tmp_path: Path) -> None:
    made = Candidates(np.array([3, 5]), np.array([[1, 2, -1], [0, 4, 5]], dtype=np.int32))
    made.write(tmp_path / "kept.safetensors")
    again = Candidates.read(tmp_path / "kept.safetensors")
    assert again.mentions.tolist() == [3, 5]
    assert again.items.tolist() == made.items.tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["kept.safetensors"]
