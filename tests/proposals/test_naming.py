"""The name of a discovered cluster: the most frequent form, or the full form of what is only short for it."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.proposals.forms import Form, forms_of, is_pronoun, why_short
from arborlink.proposals.naming import name_of


@pytest.mark.parametrize(
    ("texts", "name", "reason"),
    [
        (["Old Gally"], "Old Gally", "the only form (1 mention)"),
        (["Mill", "mill", "mill"], "mill", "the only form (3 mentions)"),
        (["aspirin", "aspirin", "aspirin therapy"], "aspirin", "most frequent form (2 of 3 mentions)"),
        (["kelp", "bell kelp"], "bell kelp", "longest of 2 equally frequent forms (1 of 2 mentions each)"),
        (
            ["abc", "xyz", "pq"],
            "abc",
            "first of the longest of 3 equally frequent forms (1 of 3 mentions each)",
        ),
        (
            ["Doe", "Doe", "John Doe"],
            "John Doe",
            'full form (1 of 3 mentions) of the bare name "Doe" (2)',
        ),
        (
            ["WLB", "WLB", "Wendle Lifeboat Board", "WLB"],
            "Wendle Lifeboat Board",
            'full form (1 of 4 mentions) of the abbreviation "WLB" (3)',
        ),
        (
            ["the hack", "the hack", "chandler's hack"],
            "chandler's hack",
            'full form (1 of 3 mentions) of the reference "the hack" (2)',
        ),
        (
            ["it", "it", "it", "lantern"],
            "lantern",
            "most frequent form (1 of 4 mentions), a pronoun passed over",
        ),
        (["He", "she", "Kim"], "Kim", "most frequent form (1 of 3 mentions), 2 pronouns passed over"),
        (["her", "she", "her"], "her", "most frequent form (2 of 3 mentions)"),
    ],
)
def test_the_rule_that_decided_is_told(texts: list[str], name: str, reason: str) -> None:
    naming = name_of(texts)
    assert (naming.name, naming.reason) == (name, reason)


def test_the_most_frequent_of_several_full_forms_wins() -> None:
    naming = name_of(["Doe", "Doe", "Doe", "Mr John Doe", "Ann Doe", "Ann Doe"])
    assert naming.name == "Ann Doe"
    assert [(alias.text, alias.n_mentions) for alias in naming.aliases] == [("Doe", 3), ("Mr John Doe", 1)]


def test_spellings_and_white_space_are_one_form_under_the_commonest_spelling() -> None:
    assert forms_of(["iron\nclover", "Iron clover", "iron  clover"]) == [Form("iron clover", 3, 0)]


@pytest.mark.parametrize(
    ("short", "full", "kind"),
    [
        ("NKP", "North Korea Party", "abbreviation"),
        ("LoN", "League of Nations", "abbreviation"),
        ("LN", "League of Nations", "abbreviation"),
        ("A.B.", "Able Bodied", "abbreviation"),
        ("as", "able seaman", None),
        ("NKP", "North Korea", None),
        ("Doe", "John Doe", "bare name"),
        ("John", "John Doe", "bare name"),
        ("Paul", "John Paul Jones", None),
        ("aspirin", "aspirin therapy", None),
        ("Aspirin", "Aspirin therapy", None),
        ("the cough", "a dry cough", "reference"),
        ("the Accord", "Accord", "reference"),
        ("the Accord", "this Accord", None),
        ("the dry cough", "cough", None),
        ("the", "the cough", None),
    ],
)
def test_what_is_short_for_what(short: str, full: str, kind: str | None) -> None:
    assert why_short(Form(short, 2, 0), Form(full, 1, 1)) == kind


@pytest.mark.parametrize(("text", "expected"), [("It", True), ("I", True), ("US", False), ("WHO", False)])
def test_names_in_capitals_are_no_pronouns(text: str, expected: bool) -> None:
    assert is_pronoun(Form(text, 1, 0)) is expected


WORDS = st.sampled_from(["Doe", "doe", "John Doe", "JD", "the Doe", "he", "Mr  Doe", "Ö", "a b"])


@given(st.lists(WORDS, min_size=1, max_size=12))
def test_every_mention_is_counted_once_and_the_name_is_a_form(texts: list[str]) -> None:
    naming = name_of(texts)
    counts = Counter(" ".join(text.split()).casefold() for text in texts)
    told = {alias.text.casefold(): alias.n_mentions for alias in naming.aliases}
    assert naming.name.casefold() not in told
    assert told | {naming.name.casefold(): counts[naming.name.casefold()]} == dict(counts)
    assert naming.name in {" ".join(text.split()) for text in texts}
    assert name_of(texts) == naming
