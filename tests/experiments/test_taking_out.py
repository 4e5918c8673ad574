"""Entities taken out of what was found, against a search without them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arborlink.encoder import Embeddings
from arborlink.evaluation.gold import Gold
from arborlink.experiments.data_sets import open_data_set
from arborlink.experiments.models import Found
from arborlink.experiments.taking_out import taken_out
from arborlink.knowledge_base import KnowledgeBase
from arborlink.neighbourhood import Neighbourhood
from arborlink.reranking import rerank


def test_the_neighbours_left_are_those_of_a_search_without(data_folder: Path) -> None:
    split = open_data_set("bc5cdr", data_folder).split("test")
    draw = np.random.default_rng(0)
    mentions = Embeddings.one_each(draw.normal(size=(split.corpus.n_mentions, 8)).astype(np.float32))
    vectors = draw.normal(size=(len(split.kb), 8)).astype(np.float32)
    hood = Neighbourhood.search(mentions, Embeddings.one_each(vectors), 10, 2, labels=split.labels)
    found = Found(split, hood, {})
    out = {"D1", "D2", "D5"}
    left = taken_out(found, out)
    kept = [number for number, entity in enumerate(split.kb) if entity.id not in out]
    smaller = KnowledgeBase(split.kb.entities[number] for number in kept)
    from arborlink.type_labels import type_labels

    again = Neighbourhood.search(
        mentions, Embeddings.one_each(vectors[kept]), 1, 2, labels=type_labels(split.corpus, smaller)
    )
    assert np.array_equal(left.hood.near.items, np.array(kept)[again.near.items])
    assert np.array_equal(left.hood.near.affinities, again.near.affinities)
    gold = Gold.of(split.corpus, smaller)
    for name in ("linkable", "outside", "cluster", "nil", "labelled"):
        assert np.array_equal(getattr(left.gold, name), getattr(gold, name)), name
    numbers = np.arange(len(gold.labels))
    for small, number in enumerate(kept):
        right = left.gold.is_right(numbers, np.full(len(numbers), number))
        assert np.array_equal(right, gold.is_right(numbers, np.full(len(numbers), small)))


def test_a_mention_whose_neighbours_are_all_out_has_none(data_folder: Path) -> None:
    split = open_data_set("medmentions", data_folder).split("test")
    n = split.corpus.n_mentions
    vectors = np.eye(12, dtype=np.float32)
    mentions = Embeddings.one_each(vectors[np.arange(n) % 12])
    hood = Neighbourhood.search(mentions, Embeddings.one_each(vectors), 1, 1)
    left = taken_out(Found(split, hood, {}), ["C0"]).hood.near
    assert np.array_equal(left.items[:, 0] == -1, np.arange(n) % 12 == 0)
    assert np.isneginf(left.affinities[::12]).all()


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_re_ranked_lists_are_those_of_a_re_ranker_that_never_saw_the_others(
    data_folder: Path, weight: float
) -> None:
    split = open_data_set("medmentions", data_folder).split("test")
    draw = np.random.default_rng(0)
    n = split.corpus.n_mentions
    mentions = Embeddings.one_each(draw.normal(size=(n, 8)).astype(np.float32))
    vectors, scores = draw.normal(size=(12, 8)).astype(np.float32), draw.normal(size=(n, 12))
    hood = Neighbourhood.search(mentions, Embeddings.one_each(vectors), 12, 2)
    near = rerank(hood.near, np.take_along_axis(scores, hood.near.items, axis=1), weight, 0.5)
    found = Found(split, Neighbourhood(near, hood.others, 12), {}, before=hood.near)
    out = {"C1", "C4", "C7", "C8"}
    left = taken_out(found, out).hood.near
    kept = np.array([number for number, entity in enumerate(split.kb) if entity.id not in out])
    again = Neighbourhood.search(mentions, Embeddings.one_each(vectors[kept]), len(kept), 2).near
    expected = rerank(again, np.take_along_axis(scores[:, kept], again.items, axis=1), weight, 0.5)
    assert np.array_equal(left.items[:, 0], kept[expected.items[:, 0]])
    assert np.array_equal(left.affinities[:, 0], expected.affinities[:, 0])
