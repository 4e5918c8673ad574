"""Who is nearest after words have had their say, and that affinities stay where they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.search import Neighbours
from arborlink.shared_words import SharedWords

WORDS = ["ash", "elm", "fir", "oak"]
AFFINITIES = [0.1, 0.2, 0.3, 0.5]  # few, so that many are equal

Row = tuple[list[int], list[float]]


@st.composite
def listed(draw: st.DrawFn) -> tuple[Corpus, KnowledgeBase, Neighbours]:
    """A mention for each document, with its nearest entities; some lists are shorter than others."""
    described = draw(st.lists(st.lists(st.sampled_from(WORDS), max_size=4), min_size=1, max_size=6))
    kb = KnowledgeBase(
        Entity(f"E{number}", "name", description=" ".join(each)) for number, each in enumerate(described)
    )
    documents, items, affinities = [], [], []
    for number in range(draw(st.integers(1, 4))):
        text = f"it {' '.join(draw(st.lists(st.sampled_from(WORDS), max_size=4)))}"
        documents.append(Document(f"d{number}", text, (Mention(f"m{number}", 0, 2),)))
        n = draw(st.integers(0, len(kb)))
        own = draw(st.permutations(range(len(kb))))[:n]
        near = sorted((draw(st.sampled_from(AFFINITIES)) for _ in own), reverse=True)
        items.append([*own, *[-1] * (len(kb) - n)])
        affinities.append([*near, *[-np.inf] * (len(kb) - n)])
    return Corpus(documents), kb, Neighbours(np.array(items, dtype=np.int32), np.array(affinities))


@settings(deadline=None, max_examples=200)
@given(world=listed(), n=st.integers(1, 7), share=st.sampled_from([0.05, 0.1, 0.2, 1.0, 50.0]))
def test_the_first_n_are_ordered_by_affinity_and_evidence_and_nothing_else_changes(
    world: tuple[Corpus, KnowledgeBase, Neighbours], n: int, share: float
) -> None:
    corpus, kb, near = world
    items, affinities = near.items.copy(), near.affinities.copy()
    words = SharedWords(share, n=n, progress=False)
    found = words.rerank(corpus, kb, near)
    assert np.array_equal(found.affinities, affinities)
    assert np.array_equal(found.items[:, n:], items[:, n:])
    assert np.array_equal(np.sort(found.items), np.sort(items))
    evidence = words.evidence(corpus, kb, items[:, :n])
    for own, order, affinity, shared in zip(items, found.items, affinities, evidence, strict=True):
        there = [place for place in range(len(own[:n])) if own[place] >= 0]
        # sorted is stable: equal ones stay as they were
        expected = sorted(there, key=lambda place: -(share * shared[place] + affinity[place]))
        assert order[: len(there)].tolist() == own[expected].tolist()
        assert (order[len(there) : n] == -1).all()
    assert np.array_equal(near.items, items)
    assert np.array_equal(near.affinities, affinities)


@pytest.fixture
def trees() -> tuple[Corpus, KnowledgeBase]:
    """A mention with "oak" beside it, and entities that say something else, the word among others, the word alone."""
    kb = KnowledgeBase(
        [
            Entity("A", "a", description="elm"),
            Entity("B", "b", description=f"oak {'so ' * 12}"),
            Entity("C", "c", description="oak"),
        ]
    )
    return Corpus([Document("d", "it oak", (Mention("m", 0, 2),))]), kb


def order(words: SharedWords, world: tuple[Corpus, KnowledgeBase], *affinities: float) -> list[int]:
    items: NDArray[np.int32] = np.arange(len(affinities), dtype=np.int32)[None]
    found: list[int] = words.rerank(*world, Neighbours(items, np.array([affinities]))).items[0].tolist()
    return found


def shared(world: tuple[Corpus, KnowledgeBase], *items: int) -> list[float]:
    """The evidence of these entities, among themselves."""
    found: list[float] = (
        SharedWords(1, progress=False).evidence(*world, np.array([items], dtype=np.int32))[0].tolist()
    )
    return found


def test_the_share_of_the_evidence_is_the_gap_that_it_makes_up_for(
    trees: tuple[Corpus, KnowledgeBase],
) -> None:
    nothing, less, most = shared(trees, 0, 1, 2)
    assert nothing == 0
    assert 0.2 < less / most < 0.8
    assert 0.1 < most < 0.5
    for share in (0.3, 0.33, 1, 2):
        words = SharedWords(share, progress=False)
        gap = share * most
        assert order(words, trees, 0.8, -2, 0.8 - gap + 0.001) == [2, 0, 1]
        assert order(words, trees, 0.8, -2, 0.8 - gap - 0.001) == [0, 2, 1]


def test_less_evidence_makes_up_for_less(trees: tuple[Corpus, KnowledgeBase]) -> None:
    words = SharedWords(0.5, progress=False)
    gap = 0.5 * shared(trees, 0, 1, 2)[1]
    assert order(words, trees, 0.8, 0.8 - gap + 0.001, 0.1) == [1, 0, 2]
    assert order(words, trees, 0.8, 0.8 - gap - 0.001, 0.1) == [0, 1, 2]


def test_without_evidence_equal_ones_stay_as_they_were(trees: tuple[Corpus, KnowledgeBase]) -> None:
    _, kb = trees
    corpus = Corpus([Document("d", "it is so", (Mention("m", 0, 2),))])
    nothing = KnowledgeBase(Entity(each.id, each.name) for each in kb)
    assert order(SharedWords(5, progress=False), (corpus, nothing), 0.5, 0.5, 0.5) == [0, 1, 2]


def test_what_is_beyond_n_is_not_looked_at(trees: tuple[Corpus, KnowledgeBase]) -> None:
    # the second is compared with the best of those that are looked at, and has more evidence where that is itself
    among_two, among_three = shared(trees, 0, 1)[1], shared(trees, 0, 1, 2)[1]
    assert among_two > among_three + 0.005
    near = (0.8, 0.8 - (among_two + among_three) / 2, 0.1)
    assert order(SharedWords(1, n=1, progress=False), trees, *near) == [0, 1, 2]
    assert order(SharedWords(1, n=2, progress=False), trees, *near) == [1, 0, 2]
    assert order(SharedWords(1, progress=False), trees, *near) == [0, 1, 2]
    # and what nobody looks at stays where it is, with whatever evidence
    near = (0.8, 0.2, 0.75)
    assert order(SharedWords(1, n=2, progress=False), trees, *near) == [0, 1, 2]
    assert order(SharedWords(1, n=3, progress=False), trees, *near) == [2, 0, 1]
