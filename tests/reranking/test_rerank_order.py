"""The order of score + weight · affinity / temperature, against a literal loop; affinities stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arborlink.reranking import rerank
from arborlink.search import Neighbours

numbers = st.floats(-5, 5, width=16)


def literal(
    near: Neighbours, scores: NDArray[np.float32], weight: float, temperature: float
) -> list[list[int]]:
    """One mention after the other, one entity after the other."""
    found = []
    for items, affinities, own in zip(near.items, near.affinities, scores, strict=True):
        n = len(own)
        judged = [
            (-(float(score) + weight * float(affinity) / temperature), place, int(item))
            for place, (item, affinity, score) in enumerate(zip(items[:n], affinities[:n], own, strict=True))
            if item >= 0
        ]
        ordered = [item for _, _, item in sorted(judged)]
        found.append([*ordered, *[-1] * (n - len(ordered)), *items[n:].tolist()])
    return found


@st.composite
def lists(draw: st.DrawFn) -> tuple[Neighbours, NDArray[np.float32]]:
    """Lists of some mentions, some of them short, and scores of the first few entities."""
    n_mentions, k = draw(st.integers(0, 4)), draw(st.integers(1, 6))
    n = draw(st.integers(0, k))
    items = np.full((n_mentions, k), -1, dtype=np.int32)
    affinities = np.full((n_mentions, k), -np.inf)
    for row in range(n_mentions):
        length = draw(st.integers(0, k))
        items[row, :length] = draw(st.permutations(range(10)))[:length]
        affinities[row, :length] = sorted(
            draw(st.lists(numbers, min_size=length, max_size=length)), reverse=True
        )
    scores = [draw(st.lists(numbers, min_size=n, max_size=n)) for _ in range(n_mentions)]
    return Neighbours(items, affinities), np.array(scores, dtype=np.float32).reshape(n_mentions, n)


@given(lists(), st.sampled_from([0.0, 0.5, 1.0, 4.0]), st.sampled_from([0.05, 1.0]))
def test_order_and_affinities_are_those_of_the_loop(
    given_lists: tuple[Neighbours, NDArray[np.float32]], weight: float, temperature: float
) -> None:
    near, scores = given_lists
    found = rerank(near, scores, weight, temperature)
    assert found.items.tolist() == literal(near, scores, weight, temperature)
    assert np.array_equal(found.affinities, near.affinities)
    assert found.items.dtype == near.items.dtype


def test_equal_ones_stay_as_they_were() -> None:
    near = Neighbours(np.array([[5, 2, 9]], dtype=np.int32), np.array([[0.5, 0.5, 0.5]]))
    assert rerank(near, np.zeros((1, 3)), 1.0, 0.05).items.tolist() == [[5, 2, 9]]


@pytest.mark.parametrize("shape", [(1, 4), (2, 2)])
def test_scores_of_another_shape_are_refused(shape: tuple[int, int]) -> None:
    near = Neighbours(np.array([[5, 2, 9]], dtype=np.int32), np.array([[0.5, 0.4, 0.3]]))
    with pytest.raises(ValueError, match="expected 1 mentions and at most 3 entities"):
        rerank(near, np.zeros(shape), 1.0, 0.05)
