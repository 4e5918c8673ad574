"""Names that may be drawn as mentions: which they are, against literal loops, and how they are drawn."""

from __future__ import annotations

import doctest
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.training import other_names
from arborlink.training.other_names import OtherNames, without_name

# Few words, so that names clash, are permuted, differ by case, blanks and signs alone.
name = st.lists(st.sampled_from(["a", "B", "b", "c"]), min_size=1, max_size=2).flatmap(
    lambda words: st.sampled_from([" ", ", ", "  -"]).map(lambda sign: sign.join(words))
)
signs = st.sampled_from(["++", "+", "\ud800", "\t"])
some_names = st.lists(name | signs, max_size=4)
bases = st.lists(st.tuples(name, some_names), min_size=1, max_size=6)


def base_of(entities: list[tuple[str, list[str]]]) -> KnowledgeBase:
    return KnowledgeBase(
        Entity(f"E{number}", main, aliases=tuple(aliases)) for number, (main, aliases) in enumerate(entities)
    )


def words(text: str) -> list[str]:
    return sorted(re.findall(r"\w+", text.lower())) or [text.strip()]


def drawable(kb: KnowledgeBase, scopes: list[int]) -> list[tuple[int, int]]:
    """Entity and place of each name that only its entity has and that is not the main one said otherwise."""
    found = []
    for number, entity in enumerate(kb):
        for place, own in enumerate(entity.names):
            earlier = [words(other) for other in entity.names[:place]]
            others = [
                words(other)
                for rival, scope in zip(kb, scopes, strict=True)
                if rival is not entity and scope == scopes[number]
                for other in rival.names
            ]
            if place and words(own) not in earlier and words(own) not in others:
                found.append((number, place))
    return found


@settings(max_examples=200, deadline=None)
@given(entities=bases, scopes=st.lists(st.integers(0, 1), min_size=6, max_size=6))
def test_names_that_tell_their_entity_and_are_not_the_main_one_are_found(
    entities: list[tuple[str, list[str]]], scopes: list[int]
) -> None:
    kb = base_of(entities)
    names = OtherNames.of(kb)
    assert list(zip(names.entity.tolist(), names.place.tolist(), strict=True)) == drawable(kb, [0] * len(kb))
    scopes = scopes[: len(kb)]
    scoped = OtherNames.of(kb, scopes)
    assert list(zip(scoped.entity.tolist(), scoped.place.tolist(), strict=True)) == drawable(kb, scopes)


@settings(max_examples=100, deadline=None)
@given(entities=bases)
def test_an_entity_without_a_name_has_it_in_no_other_order_either(
    entities: list[tuple[str, list[str]]],
) -> None:
    kb = base_of(entities)
    names = OtherNames.of(kb)
    for number, place in zip(names.entity.tolist(), names.place.tolist(), strict=True):
        entity = kb.entities[number]
        left = without_name(entity, place)
        assert left.name == entity.name
        assert words(entity.names[place]) not in [words(other) for other in left.names]
        kept = [alias for alias in entity.aliases if words(alias) != words(entity.names[place])]
        assert list(left.aliases) == kept


def many() -> OtherNames:
    """100 entities with 0 to 3 other names each."""
    return OtherNames.of(base_of([(f"main{n}", [f"alias{n}x{m}" for m in range(n % 4)]) for n in range(100)]))


@settings(max_examples=50, deadline=None)
@given(n=st.integers(0, 200), seed=st.integers(0, 1000), n_favoured=st.integers(0, 100))
def test_draws_are_distinct_even_over_entities_and_half_of_the_favoured(
    n: int, seed: int, n_favoured: int
) -> None:
    names = many()
    favoured = np.arange(100) < n_favoured
    drawn = names.draw(n, favoured, np.random.default_rng(seed))
    assert len(np.unique(drawn)) == len(drawn) == min(n, len(names))
    assert (np.diff(drawn) > 0).all()
    owner = names.entity[drawn]
    assert favoured[owner].sum() >= min(n // 2, favoured[names.entity].sum())
    assert names.draw(n, favoured, np.random.default_rng(seed)).tolist() == drawn.tolist()


def test_no_entity_gives_a_second_name_before_all_have_given_one() -> None:
    names = many()
    for n in (1, 40, 75, 100, 125):
        drawn = names.draw(n, np.zeros(100, dtype=bool), np.random.default_rng(n))
        given = np.bincount(names.entity[drawn], minlength=100)
        available = np.bincount(names.entity, minlength=100)
        most = given.max()
        assert (given >= np.minimum(available, most - 1)).all()
    chosen = [names.draw(10, np.zeros(100, dtype=bool), np.random.default_rng(n)).tolist() for n in range(9)]
    assert len({tuple(each) for each in chosen}) == 9


def test_every_name_comes_up_in_time() -> None:
    names = many()
    counts = np.zeros(len(names))
    for seed in range(300):
        counts[names.draw(30, np.zeros(100, dtype=bool), np.random.default_rng(seed))] += 1
    # entities alike: 30 of 75 each time, shared by their 1, 2 or 3 names
    expected = 300 * 30 / 75 / np.bincount(names.entity)[names.entity]
    assert counts == pytest.approx(expected, rel=0.6)


def test_the_fingerprint_is_that_of_the_names() -> None:
    one = base_of([("a", ["b"]), ("c", [])])
    assert OtherNames.of(one).fingerprint == OtherNames.of(base_of([("a", ["b"]), ("c", [])])).fingerprint
    others = [base_of([("a", ["d"]), ("c", [])]), base_of([("a", []), ("c", ["b"])])]
    assert len({OtherNames.of(kb).fingerprint for kb in (one, *others)}) == 3


def test_the_examples_in_docstrings_run() -> None:
    outcome = doctest.testmod(other_names)
    assert (outcome.attempted > 0, outcome.failed) == (True, 0)
