"""The concepts, names and definitions are invented; the layout is that of a release."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats import Problems, read_entities, read_umls


def term(
    cui: str,
    name: str,
    *,
    ts: str = "S",
    stt: str = "VO",
    pref: str = "N",
    suppress: str = "N",
    **others: str,
) -> str:
    """A row of MRCONSO: 18 fields, each followed by a bar."""
    language, aui, source = others.get("lat", "ENG"), others.get("aui", f"A{name}"), others.get("sab", "INV")
    fields = [
        cui,
        language,
        ts,
        "L1",
        stt,
        "S1",
        pref,
        aui,
        "",
        "",
        "",
        source,
        "PT",
        "1",
        name,
        "0",
        suppress,
        "",
    ]
    return "|".join(fields) + "|\n"


def definition(cui: str, text: str, *, aui: str = "A?", sab: str = "INV", suppress: str = "N") -> str:
    return "|".join([cui, aui, "AT1", "", sab, text, suppress, ""]) + "|\n"


def semantic_type(cui: str, tui: str, name: str) -> str:
    return "|".join([cui, tui, "A1.2", name, "AT2", ""]) + "|\n"


TERMS = (
    term("C0000001", "glimmer fever disease")
    + term("C0000001", "Glimmer fever", ts="P", stt="PF", pref="Y")
    + term("C0000001", "GLIMMER FEVER")
    + term("C0000001", "Glimmerfieber", lat="GER", ts="P", stt="PF", pref="Y", aui="AG")
    + term("C0000001", "old glimmer", suppress="O")
    + term("C0000002", "Vieux mal", lat="FRE", ts="P", stt="PF", pref="Y")
    + term("C0000003", "Withdrawn thing", suppress="E")
    + term("C0000004", "Tarn salt", ts="P", stt="PF", pref="N")
    + term("C0000004", "tarn crystal", ts="P", stt="PF", pref="Y", sab="OTHER")
)
DEFINITIONS = (
    definition("C0000000", "Of no concept here.")
    + definition("C0000001", "Ein Fieber.", aui="AG")
    + definition("C0000001", "Obsolete.", suppress="O")
    + definition("C0000001", "A fever that glimmers.")
    + definition("C0000001", "A second one.")
    + definition("C0000003", "Never seen.")
)
TYPES = (
    semantic_type("C0000001", "T047", "Disease or Syndrome")
    + semantic_type("C0000001", "T184", "Sign or Symptom")
    + semantic_type("C0000004", "T103", "Chemical")
)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    (tmp_path / "MRCONSO.RRF").write_text(TERMS)
    (tmp_path / "MRDEF.RRF").write_text(DEFINITIONS)
    (tmp_path / "MRSTY.RRF.gz").write_bytes(gzip.compress(TYPES.encode()))
    return tmp_path


FEVER = Entity(
    "C0000001",
    "Glimmer fever",
    ("glimmer fever disease",),
    "A fever that glimmers.",
    ("T047", "T184"),
    {"semantic_types": ["Disease or Syndrome", "Sign or Symptom"]},
)
SALT = Entity("C0000004", "tarn crystal", ("Tarn salt",), "", ("T103",), {"semantic_types": ["Chemical"]})


def test_three_tables_make_entities(release: Path) -> None:
    assert list(read_entities(release)) == [FEVER, SALT]


def test_a_file_stands_for_its_folder(release: Path) -> None:
    assert list(read_entities(release / "MRCONSO.RRF")) == [FEVER, SALT]


def test_the_folder_above_meta(release: Path) -> None:
    (release / "META").mkdir()
    for name in ("MRCONSO.RRF", "MRDEF.RRF", "MRSTY.RRF.gz"):
        (release / name).rename(release / "META" / name)
    assert list(read_entities(release)) == [FEVER, SALT]


def test_definitions_and_types_may_be_missing(release: Path) -> None:
    (release / "MRDEF.RRF").unlink()
    (release / "MRSTY.RRF.gz").unlink()
    assert list(read_umls(release)) == [
        Entity("C0000001", "Glimmer fever", ("glimmer fever disease",)),
        Entity("C0000004", "tarn crystal", ("Tarn salt",)),
    ]


def test_languages_in_order_of_preference(release: Path) -> None:
    entities = {entity.id: entity for entity in read_umls(release, languages=("GER", "ENG", "FRE"))}
    assert list(entities) == ["C0000001", "C0000002", "C0000004"]
    fever = entities["C0000001"]
    assert fever.name == "Glimmerfieber"
    assert fever.aliases == ("glimmer fever disease", "Glimmer fever")
    assert fever.description == "Ein Fieber."


def test_suppressed_terms_and_definitions_can_be_kept(release: Path) -> None:
    entities = {entity.id: entity for entity in read_umls(release, keep_suppressed=True)}
    assert list(entities) == ["C0000001", "C0000003", "C0000004"]
    assert entities["C0000001"].aliases == ("glimmer fever disease", "old glimmer")
    assert entities["C0000001"].description == "Obsolete."
    assert entities["C0000003"].description == "Never seen."


def test_one_source_alone(release: Path) -> None:
    assert [(entity.id, entity.name) for entity in read_umls(release, sources={"OTHER"})] == [
        ("C0000004", "tarn crystal")
    ]


def test_rows_without_their_last_bar(tmp_path: Path) -> None:
    (tmp_path / "MRCONSO.RRF").write_text(TERMS.replace("|\n", "\n"))
    assert [entity.id for entity in read_entities(tmp_path)] == ["C0000001", "C0000004"]


def test_a_row_with_too_few_fields(release: Path) -> None:
    rows = TERMS.splitlines(keepends=True)
    (release / "MRCONSO.RRF").write_text("".join([rows[0], "C0000001|ENG|P|\n", *rows[1:]]))
    with pytest.raises(InputError, match=r"MRCONSO.RRF:2: a row has 3 bars; expected 18 fields"):
        list(read_entities(release))
    problems = Problems(skip=True)
    assert list(read_entities(release, problems=problems)) == [FEVER, SALT]
    assert problems.n_skipped == 1


@pytest.mark.parametrize(
    ("name", "rows", "line"),
    [
        ("MRCONSO.RRF", term("C0000002", "b") + term("C0000001", "a"), 2),
        ("MRDEF.RRF", definition("C0000004", "b") + definition("C0000001", "a"), 2),
        (
            "MRDEF.RRF",
            definition("C0000001", "b") + definition("C0000009", "a") + definition("C0000002", "a"),
            3,
        ),
    ],
)
def test_a_table_out_of_order_is_always_an_error(release: Path, name: str, rows: str, line: int) -> None:
    (release / name).write_text(rows)
    with pytest.raises(InputError, match=rf"{name}:{line}: concept .* comes after .*; sort the table"):
        list(read_entities(release, problems=Problems(skip=True)))


def test_a_concept_without_an_id(release: Path) -> None:
    (release / "MRCONSO.RRF").write_text(term("", "nameless") + TERMS)
    problems = Problems(skip=True)
    assert list(read_entities(release, problems=problems)) == [FEVER, SALT]
    assert [str(error) for error in problems.errors] == [
        f"{release / 'MRCONSO.RRF'}:1: an entity named 'nameless' has an empty id"
    ]


def test_a_folder_without_terms(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the folder holds no MRCONSO.RRF or MRCONSO.RRF.gz"):
        list(read_umls(tmp_path))
