"""Spelling vectors against the n-gram bags they stand for."""

from __future__ import annotations

import math
import re
from collections import Counter
from unicodedata import category, normalize

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.encoders.lexical import LONGEST, SHORTEST, folded_words, lexical_vectors


def bag(text: str) -> Counter[str]:
    """The n-grams of the words of an ASCII text, a blank at either end of each word."""
    grams: Counter[str] = Counter()
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        framed = f" {word} "
        for size in range(SHORTEST, LONGEST + 1):
            grams.update(framed[start : start + size] for start in range(len(framed) - size + 1))
    return grams


def cosine(one: str, other: str) -> float:
    left, right = bag(one), bag(other)
    product = sum(count * right[gram] for gram, count in left.items())
    norms = [math.sqrt(sum(count * count for count in grams.values())) for grams in (left, right)]
    return product / (norms[0] * norms[1])


def alike(one: str, other: str) -> float:
    vectors = lexical_vectors([one, other])
    return float(vectors[0] @ vectors[1])


def words_of(text: str) -> str:
    """The rule that holds for any text, letter by letter."""
    folded = normalize("NFKC", normalize("NFKC", text).casefold())
    kept = [letter if letter.isalnum() or category(letter)[0] == "M" else " " for letter in folded]
    return " ".join("".join(kept).split())


def names(seed: int, n_names: int) -> list[str]:
    """Made-up names of one to four words that share syllables, as the names of a knowledge base do."""
    generator = np.random.default_rng(seed)
    syllables = [
        "in",
        "do",
        "meth",
        "a",
        "cin",
        "pro",
        "pran",
        "o",
        "lol",
        "hyd",
        "rox",
        "y",
        "ben",
        "zene",
        "12",
    ]
    words = ["".join(generator.choice(syllables, generator.integers(2, 6))) for _ in range(n_names)]
    return [" ".join(generator.choice(words, generator.integers(1, 5))) for _ in range(n_names)]


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(
        st.text(max_size=40),
        st.text(st.characters(exclude_categories=()), max_size=20),  # lone surrogates too
        st.text(st.characters(exclude_categories=("M", "Cs")), max_size=40),
        st.text(st.sampled_from("aB_ -é\u0301किा\u0345ßǰ㎒\x1e\u2028\xa0²½٣"), max_size=20),
        st.text(st.characters(max_codepoint=127), max_size=20),
    )
)
def test_the_quick_ways_to_fold_words_do_what_the_rule_says(text: str) -> None:
    assert folded_words(text) == words_of(text)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=5))
def test_unit_vectors_for_any_text(texts: list[str]) -> None:
    vectors = lexical_vectors(texts)
    assert vectors.shape == (len(texts), 256)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(lexical_vectors(texts), vectors)
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_array_equal(lexical_vectors([text])[0], vector)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Plasma Renin ACTIVITY", "plasma renin activity"),
        ("beta-2 agonist", "beta 2, agonist."),
        ("failure of the liver", "the liver of failure"),
        ("snake_case", "snake case"),
        ("  heart\t\nrate ", "heart rate"),
        ("Straße", "STRASSE"),
        ("café", "cafe\u0301"),
        ("Ångström", "A\u030angstro\u0308m"),
        ("ﬁbrosis", "fibrosis"),
        ("５ＨＴ", "5ht"),
        ("㎒", "mhz"),
        ("α–synuclein", "α-Synuclein"),
        ("हिन्दी, भाषा", "भाषा हिन्दी"),
    ],
)
def test_what_does_not_matter(one: str, other: str) -> None:
    vectors = lexical_vectors([one, other])
    np.testing.assert_array_equal(vectors[0], vectors[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [("कि", "का"), ("ab", "ba"), ("a b", "ab"), ("日本", "日木"), ("+", "-"), ("", "a"), ("é", "e")],
)
def test_what_does_matter(one: str, other: str) -> None:
    assert alike(one, other) < 0.9


def test_signs_alone_are_compared_as_they_are() -> None:
    assert alike("+++", "+++") == pytest.approx(1)
    assert abs(alike("+++", "---")) < 0.5
    assert alike("", "   ") == pytest.approx(1), "blank is blank"


def test_nearer_in_spelling_is_nearer() -> None:
    assert (
        alike("indomethacin", "indometacin")
        > alike("indomethacin", "methacrylate")
        > alike("indomethacin", "zoo")
    )


def test_products_estimate_the_overlap_of_the_bags() -> None:
    texts = names(0, 300)
    vectors = lexical_vectors(texts)
    generator = np.random.default_rng(1)
    pairs = generator.integers(0, len(texts), (3000, 2))
    exact = np.array([cosine(texts[one], texts[other]) for one, other in pairs])
    errors = (vectors[pairs[:, 0]] * vectors[pairs[:, 1]]).sum(axis=1) - exact
    assert exact.std() > 0.1, "the pairs tell something"
    assert abs(errors.mean()) < 0.01
    assert np.sqrt((errors**2).mean()) < 0.06
    assert np.corrcoef(errors + exact, exact)[0, 1] > 0.9


def test_more_dimensions_estimate_better() -> None:
    texts = names(2, 100)
    exact = np.array([[cosine(one, other) for other in texts[:50]] for one in texts[50:]])

    def error(dimension: int) -> float:
        vectors = lexical_vectors(texts, dimension)
        assert vectors.shape == (100, dimension)
        return float(np.sqrt(((vectors[50:] @ vectors[:50].T - exact) ** 2).mean()))

    assert error(1024) < error(256) < error(64)


def test_no_texts() -> None:
    assert lexical_vectors([]).shape == (0, 256)
