"""Accuracy in any order of the knowledge base, against every order tried."""

from __future__ import annotations

import doctest
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.evaluation.gold import Gold
from arborlink.experiments import ties
from arborlink.experiments.ties import tie_figures
from arborlink.knowledge_base import KnowledgeBase
from arborlink.search import Neighbours

IDS = ("A", "B", "C", "D")


def test_the_example_runs() -> None:
    outcome = doctest.testmod(ties)
    assert (outcome.attempted > 0, outcome.failed) == (True, 0)


def gold_of(labels: list[tuple[str, ...] | None]) -> Gold:
    mentions = tuple(Mention(f"m{n}", n, n + 1, entities=label) for n, label in enumerate(labels))
    corpus = Corpus([Document("d", "x" * len(labels), mentions)])
    return Gold.of(corpus, KnowledgeBase(Entity(id_, id_) for id_ in IDS))


def first_in(order: tuple[int, ...], near: dict[int, float]) -> int:
    """The nearest entity; of equally near ones the first in this order."""
    return min(near, key=lambda entity: (-near[entity], order.index(entity)))


labels = st.lists(
    st.one_of(st.none(), st.lists(st.sampled_from([*IDS, "elsewhere"]), max_size=2, unique=True).map(tuple)),
    min_size=1,
    max_size=4,
)


@given(labels=labels, data=st.data())
def test_the_mean_over_all_orders(labels: list[tuple[str, ...] | None], data: st.DataObject) -> None:
    gold = gold_of(labels)
    near = [
        data.draw(st.dictionaries(st.integers(0, 3), st.sampled_from([0.1, 0.5, 0.9]), max_size=4))
        for _ in labels
    ]
    items, affinities = np.full((len(labels), 4), -1, np.int32), np.full((len(labels), 4), -np.inf)
    for number, own in enumerate(near):
        ranked = sorted(own, key=lambda entity: (-own[entity], entity))
        items[number, : len(own)], affinities[number, : len(own)] = ranked, [own[each] for each in ranked]
    found = tie_figures(Neighbours(items, affinities), gold)
    numbers = np.flatnonzero(gold.linkable).tolist()
    if not numbers:
        assert found is None
        return
    accuracy = [
        np.mean([bool(near[n]) and IDS[first_in(order, near[n])] in (gold.labels[n] or ()) for n in numbers])
        for order in permutations(range(4))
    ]
    assert found is not None
    assert found["any_order"] == pytest.approx(np.mean(accuracy))
    assert found["file_order"] == pytest.approx(accuracy[0])  # permutations begin with the order as it is
    tied = [list(near[n].values()).count(max(near[n].values(), default=0)) > 1 for n in numbers]
    assert found["share"] == pytest.approx(np.mean(tied))
