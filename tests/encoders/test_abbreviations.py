"""Definitions of short forms that a document holds, and those it only seems to hold."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.encoders.abbreviations import expand_abbreviations, find_abbreviations


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rats got indomethacin (IDM).", {"IDM": "indomethacin"}),
        ("the plasma renin activity (PRA) fell", {"PRA": "plasma renin activity"}),
        ("the plasma renin activity [PRA] fell", {"PRA": "plasma renin activity"}),
        ("IDM (indomethacin) was given", {"IDM": "indomethacin"}),
        ("nonsteroidal anti-inflammatory drugs (NSAIDs)", {"NSAIDs": "nonsteroidal anti-inflammatory drugs"}),
        ("5-hydroxytryptamine (5-HT)", {"5-HT": "5-hydroxytryptamine"}),
        ("interleukin 1 beta (IL-1b) rose", {"IL-1b": "interleukin 1 beta"}),
        ("calcium ions 2+ (Ca2+) rose", {"Ca2+": "calcium ions 2+"}),
        ("heart rate (HR, in beats) and", {"HR": "heart rate"}),
        ("heart rate (HR; n = 5) and", {"HR": "heart rate"}),
        ("(R)-alpha-methylhistamine (RAMH)", {"RAMH": "(R)-alpha-methylhistamine"}),
        ("aspirin (acetylsalicylic acid (ASA) or other)", {"ASA": "acetylsalicylic acid"}),
        ("heart rate (HR (beats))", {}),
        ("αλφα βητα (ΑΒ)", {"ΑΒ": "αλφα βητα"}),
    ],
)
def test_definitions(text: str, found: dict[str, str]) -> None:
    assert find_abbreviations(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "nine of 12 rats (n = 12)",
        "nine of 12 rats (n=12)",
        "patients improved by 0.05 (p<0.05)",
        "some effects (see Fig. 2)",
        "figure 2 shows it (Fig. 2b, left)",
        "in the nineties (1996)",
        "as shown before (2019)",
        "20 mg/kg of drug (2 mg/kg)",
        "three days (3d)",
        "10 milligrams (10 mg)",
        "The (two hundred eligible) rats",
        "Rats (randomised, all treated subjects)",
        "interleukin (xyz) and nothing (ABC)",
        "groups (n = 4), chronic rejections (n=5), all controls (n 4)",
        "renin (a) and (b), (i) or (ii)",
        "()", "( )", "(  )", "[]", "(AB", "AB)", "", "(AB)", " (AB)", "(((((AB)))))",
        "heart rate (HR]",
    ],
)  # fmt: skip
def test_what_is_no_definition(text: str) -> None:
    assert find_abbreviations(text) == {}


def test_the_first_definition_holds() -> None:
    text = "atrial fibrillation (AF) and amniotic fluid (AF); AF (air flow)"
    assert find_abbreviations(text) == {"AF": "atrial fibrillation"}


def test_a_long_form_is_a_run_of_whole_words() -> None:
    """The stretch that is looked at must not begin inside a word that then seems to begin with the letter."""
    for length in range(180, 210):
        assert find_abbreviations(f"{'x' * 9}idm{'y' * length} (IDM)") == {}
    assert find_abbreviations(f"{'x' * 9} idm{'y' * 150} (IDM)") == {"IDM": f"idm{'y' * 150}"}


def test_a_long_form_does_not_begin_or_end_inside_a_parenthesis() -> None:
    text = "reactive oxygen species (ROS)/nitrogen species (RNS); t-[35S]butyl (TB [35S])"
    assert find_abbreviations(text) == {"ROS": "reactive oxygen species"}


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("IDM", "indomethacin"),
        ("IDM-induced IDM", "indomethacin-induced indomethacin"),
        ("IDMX", "IDMX"),
        ("xIDM", "xIDM"),
        ("idm", "idm"),
        ("indomethacin (IDM)", "indomethacin (IDM)"),
        ("Indomethacin or IDM", "Indomethacin or IDM"),
        ("NSAIDs", "anti-inflammatory drugs"),
        ("NSAID", "anti-inflammatory drugs"),
        ("VSD", "septal defect"),
        ("VSDs", "septal defects"),
        ("C++", "see plus plus"),
        ("a.b", "alpha beta"),
        ("aXb", "aXb"),
        ("A1 B1", "B1 and B1 C1"),
        ("", ""),
    ],
)
def test_expansion(text: str, expanded: str) -> None:
    abbreviations = {
        "IDM": "indomethacin",
        "NSAIDs": "anti-inflammatory drugs",
        "VSD": "septal defect",
        "C++": "see plus plus",
        "a.b": "alpha beta",
        "A1": "B1 and B1",
        "B1": "C1",
    }
    assert expand_abbreviations(text, abbreviations) == expanded


def test_backslashes_in_a_long_form_stay_what_they_are() -> None:
    assert expand_abbreviations("AB", {"AB": r"alpha \1 \g<0> beta"}) == r"alpha \1 \g<0> beta"


def test_a_plural_that_is_defined_itself_is_not_made_up() -> None:
    assert expand_abbreviations("ABs", {"AB": "alpha beta", "ABs": "antibodies"}) == "antibodies"


@given(st.text(alphabet="ab AB1()[],-.\n", max_size=120))
def test_any_text_can_be_read_and_expanded(text: str) -> None:
    abbreviations = find_abbreviations(text)
    for short, long in abbreviations.items():
        assert 2 <= len(short) <= 10
        assert len(long) > len(short)
        assert long in text
        assert short in text
    assert isinstance(expand_abbreviations(text, abbreviations), str)


@pytest.mark.parametrize(
    "unit",
    [
        "word (AB) ",
        "((((((((((",
        "(abcdefg [",
        "alpha beta (AB) ",
        "x" * 10,
        "AB (a b c d e f g h i j k l m) ",
    ],
)
def test_a_megabyte_takes_seconds(unit: str) -> None:
    """100,000 parentheses: time grows with the text, not with its square."""
    text = unit * (1_000_000 // len(unit))
    start = time.perf_counter()
    find_abbreviations(text)
    assert time.perf_counter() - start < 8


def test_a_megabyte_of_different_definitions_takes_seconds() -> None:
    text = "".join(f"alpha beta {number} (AB{number}) " for number in range(35_000))
    start = time.perf_counter()
    found = find_abbreviations(text)
    assert time.perf_counter() - start < 8
    assert len(found) == 35_000
    assert found["AB77"] == "alpha beta 77"


def test_definitions_do_not_multiply() -> None:
    """Short forms in long forms are not replaced in turn, or thirty of them would make a billion words."""
    abbreviations = {f"A{number}": f"A{number + 1} A{number + 1}" for number in range(30)}
    assert expand_abbreviations("A0", abbreviations) == "A1 A1"
