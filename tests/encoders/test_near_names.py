"""Names near a string by spelling: what is remembered gives what comparing everything gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.encoders import near_names
from arborlink.encoders.lexical import lexical_vectors
from arborlink.encoders.near_names import NearNames
from arborlink.encoders.shortlist import shortlist

# Few letters: many names are equally near, some are the same but for their order or a hyphen.
WORDS = st.text(alphabet="ab -", min_size=1, max_size=5)
DISTINCT = st.lists(WORDS, min_size=1, max_size=14, unique=True)


def literal(strings: list[str], names: list[str], n_each: int) -> NDArray[np.int64]:
    """Everything compared with everything."""
    sides = [Embeddings.one_each(lexical_vectors(texts)) for texts in (strings, names)]
    return shortlist(sides[0], sides[1], n_each)


@pytest.fixture
def remembering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few names are too few for any share of them to be small."""
    monkeypatch.setattr(near_names, "_MOST_NEW", 0.9)


@pytest.mark.usefixtures("remembering")
@given(data=st.data(), n_each=st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_whatever_comes_and_goes_it_is_what_comparing_everything_gives(
    data: st.DataObject, n_each: int
) -> None:
    near = NearNames(n_each)
    names: list[str] = data.draw(DISTINCT)
    for _ in range(data.draw(st.integers(1, 5))):
        strings = data.draw(DISTINCT)
        np.testing.assert_array_equal(near.rows(strings, names), literal(strings, names, n_each))
        gone = data.draw(st.sets(st.sampled_from(names), max_size=2)) if names else set()
        names = [name for name in names if name not in gone]
        for name in data.draw(st.lists(WORDS, max_size=3)):
            if name not in names:
                names.insert(data.draw(st.sampled_from([len(names), 0])), name)
        if data.draw(st.integers(0, 9)) == 0:
            names = names[::-1]


NAMES = [f"name {number} of {number % 7}" for number in range(400)]
STRINGS = ["name 3", "name 17 of 3", "of 6", "nobody"]


def test_a_new_name_is_compared_alone_and_takes_its_place() -> None:
    near = NearNames(5)
    near.rows(STRINGS, NAMES)
    grown = [*NAMES, "nobody"]
    kept = near.rows(STRINGS, grown)
    assert near.n_compared == len(STRINGS)
    assert len(grown) - 1 in kept
    np.testing.assert_array_equal(kept, literal(STRINGS, grown, 5))


def test_only_strings_that_lose_a_name_are_compared_again() -> None:
    near = NearNames(5)
    near.rows(STRINGS, NAMES)
    left = [name for name in NAMES if name != "name 17 of 3"]
    np.testing.assert_array_equal(near.rows(STRINGS, left), literal(STRINGS, left, 5))
    assert len(STRINGS) < near.n_compared < 2 * len(STRINGS)


def test_known_strings_cost_nothing_and_others_are_compared() -> None:
    near = NearNames(5)
    near.rows(STRINGS[:2], NAMES)
    np.testing.assert_array_equal(near.rows(STRINGS[1:], NAMES), literal(STRINGS[1:], NAMES, 5))
    assert near.n_compared == len(STRINGS)


def test_another_knowledge_base_is_compared_anew() -> None:
    near = NearNames(5)
    near.rows(STRINGS, NAMES)
    other = [f"{name}!" for name in NAMES]
    np.testing.assert_array_equal(near.rows(STRINGS, other), literal(STRINGS, other, 5))
    assert near.n_compared == 2 * len(STRINGS)


def test_so_many_strings_are_remembered_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_names, "_MOST_STRINGS", 5)
    near = NearNames(5)
    near.rows(STRINGS, NAMES)
    near.rows(["of 1", "of 2"], NAMES)
    np.testing.assert_array_equal(near.rows(STRINGS, NAMES), literal(STRINGS, NAMES, 5))
    assert near.n_compared == 2 * len(STRINGS) + 2


@pytest.mark.parametrize(("strings", "names"), [([], ["a", "b", "c"]), (["a"], ["a", "b"]), (["a"], [])])
def test_with_nothing_to_choose_all_are_kept(strings: list[str], names: list[str]) -> None:
    assert NearNames(2).rows(strings, names).tolist() == list(range(len(names)))
