"""One search serves graphs with any number of neighbours, with entities and without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.encoder import Embeddings
from arborlink.labels import Labels, same_labels
from arborlink.neighbourhood import Neighbourhood


def vectors(seed: int, n: int) -> Embeddings:
    return Embeddings.one_each(np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 12), k=st.integers(0, 6))
def test_a_wide_search_cut_to_k_is_the_search_for_k(seed: int, n: int, k: int) -> None:
    mentions, entities = vectors(seed, n), vectors(seed + 1, 5)
    wide = Neighbourhood.search(mentions, entities, 3, 8)
    narrow = Neighbourhood.search(mentions, entities, 1, k)
    for with_entities in (True, False):
        one, other = wide.graph(k, with_entities), narrow.graph(k, with_entities)
        for name in ("source", "target", "weight"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()


def test_affinities_are_in_six_digits_and_counts_within_what_there_is() -> None:
    hood = Neighbourhood.search(vectors(0, 4), vectors(1, 3), 99, 99)
    assert hood.near.items.shape == (4, 3)
    assert hood.others.items.shape == (4, 3)
    assert hood.near.affinities.tolist() == np.round(hood.near.affinities, 6).tolist()
    exact = vectors(0, 4).vectors @ vectors(1, 3).vectors.T
    assert hood.near.affinities[:, 0] == pytest.approx(exact.max(axis=1), abs=1e-6)


def test_without_entities_there_are_mention_edges_alone() -> None:
    graph = Neighbourhood.search(vectors(0, 5), vectors(1, 3), 1, 2).graph(2, with_entities=False)
    assert graph.n_entities == 0
    assert len(graph.weight) == 10


def test_mentions_meet_mentions_of_the_very_same_labels() -> None:
    types = [frozenset("a"), frozenset("ab"), frozenset("a"), frozenset[str]()]
    labels = Labels(types, [frozenset("a"), frozenset("b")])
    hood = Neighbourhood.search(vectors(0, 4), vectors(1, 2), 1, 3, labels=labels)
    assert hood.others.items[:, 0].tolist() == [2, -1, 0, -1]
    assert same_labels(types) == [frozenset(["a"]), frozenset(["a|b"]), frozenset(["a"]), frozenset([""])]
