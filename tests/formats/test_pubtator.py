from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arborlink.document import Document, Mention
from arborlink.errors import InputError
from arborlink.formats import Problems, read_documents, write_documents

BC5CDR = """\
1|t|Naloxone and clonidine.
1|a|Cardiac and renal failure in rats.
1\t0\t8\tNaloxone\tChemical\tD009270
1\t13\t22\tclonidine\tChemical\t-1
1\t24\t49\tCardiac and renal failure\tDisease\tD006333|D051437\tCardiac failure|renal failure
1\tCID\tD009270\tD006333

2|t|No mention here.
2|a|

"""

MEDMENTIONS = """\
7|t|DCTN4 as a modifier
7|a|of infection
7\t0\t5\tDCTN4\tT116,T123\tUMLS:C4308010
7\t11\t19\tmodifier\tT080\tC4308012
7\t0\t19\tDCTN4 as a modifier\tT080\tC1
"""


def read(tmp_path: Path, text: str, problems: Problems | None = None) -> list[Document]:
    (tmp_path / "x.pubtator").write_bytes(text.encode("utf-8"))
    return list(read_documents(tmp_path / "x.pubtator", problems=problems))


def with_line(line: str, title: str = "Naloxone and clonidine.") -> str:
    return f"1|t|{title}\n1|a|An abstract.\n{line}\n"


def label(tmp_path: Path, column: str) -> tuple[str, ...] | None:
    return read(tmp_path, with_line(f"1\t0\t8\tNaloxone\tChemical\t{column}"))[0].mentions[0].entities


def test_bc5cdr(tmp_path: Path) -> None:
    first, second = read(tmp_path, BC5CDR)
    assert first.text == "Naloxone and clonidine. Cardiac and renal failure in rats."
    assert first.mentions == (
        Mention("1.0", 0, 8, ("Chemical",), ("D009270",)),
        Mention("1.1", 13, 22, ("Chemical",), ()),
        Mention(
            "1.2",
            24,
            49,
            ("Disease",),
            ("D006333", "D051437"),
            {"more_columns": ["Cardiac failure|renal failure"]},
        ),
    )
    assert first.extra == {"title_length": 23, "relations": [["CID", "D009270", "D006333"]]}
    assert second == Document("2", "No mention here. ", (), {"title_length": 16})


def test_medmentions(tmp_path: Path) -> None:
    (document,) = read(tmp_path, MEDMENTIONS)
    assert [(m.types, m.entities) for m in document.mentions] == [
        (("T116", "T123"), ("C4308010",)),
        (("T080",), ("C4308012",)),
        (("T080",), ("C1",)),
    ]


@pytest.mark.parametrize("text", [BC5CDR, MEDMENTIONS + "\n"])
def test_what_was_read_is_written_back_byte_for_byte(tmp_path: Path, text: str) -> None:
    documents = read(tmp_path, text)
    write_documents(documents, tmp_path / "again.pubtator", format="pubtator")
    assert (tmp_path / "again.pubtator").read_bytes() == text.encode()


def test_a_way_through_jsonl_loses_nothing(tmp_path: Path) -> None:
    write_documents(read(tmp_path, BC5CDR), tmp_path / "x.jsonl")
    write_documents(read_documents(tmp_path / "x.jsonl"), tmp_path / "again.pubtator", format="pubtator")
    assert (tmp_path / "again.pubtator").read_text() == BC5CDR


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("D1", ("D1",)),
        ("MESH:D1", ("D1",)),
        ("UMLS:C1", ("C1",)),
        ("OMIM:100050", ("OMIM:100050",)),
        ("D1|D2", ("D1", "D2")),
        ("MESH:D1|MESH:D2", ("D1", "D2")),
        ("D1+D2", ("D1", "D2")),
        ("D1,D2", ("D1", "D2")),
        ("6531;6532", ("6531", "6532")),
        ("iron+zinc", ("iron+zinc",)),
        ("D1|-1", ("D1",)),
        ("-1", ()),
        ("-1|-1", ()),
        ("", None),
        ("-", None),
        ("tmVar:c|SUB|A|1799|T;HGVS:c.1799A>T", ("tmVar:c|SUB|A|1799|T;HGVS:c.1799A>T",)),
    ],
)
def test_identifiers(tmp_path: Path, column: str, expected: tuple[str, ...] | None) -> None:
    line = f"1\t0\t8\tNaloxone\tChemical\t{column}"
    documents = read(tmp_path, with_line(line))
    assert documents[0].mentions[0].entities == expected
    write_documents(documents, tmp_path / "again.pubtator", format="pubtator")
    assert (tmp_path / "again.pubtator").read_text() == with_line(line) + "\n"


def test_a_label_changed_since_reading_is_written_as_it_is_now(tmp_path: Path) -> None:
    (document,) = read(tmp_path, with_line("1\t0\t8\tNaloxone\tChemical\tMESH:D1"))
    changed = replace(document, mentions=(replace(document.mentions[0], entities=("D7",)),))
    write_documents([changed], tmp_path / "again.pubtator", format="pubtator")
    assert "\tChemical\tD7\n" in (tmp_path / "again.pubtator").read_text()


def test_the_identifier_column_may_be_missing(tmp_path: Path) -> None:
    (document,) = read(tmp_path, with_line("1\t0\t8\tNaloxone\tChemical"))
    assert document.mentions == (Mention("1.0", 0, 8, ("Chemical",), None),)


def test_types_are_separated_by_commas_without_a_blank(tmp_path: Path) -> None:
    (document,) = read(tmp_path, with_line("1\t0\t8\tNaloxone\tBody Part, Organ,T116\tD1"))
    assert document.mentions[0].types == ("Body Part, Organ", "T116")
    (document,) = read(tmp_path, with_line("1\t0\t8\tNaloxone\t\tD1"))
    assert document.mentions[0].types == ()


@pytest.mark.parametrize(
    "text",
    [
        "1|t|A b\r\n1|a|C d\r\n1\t0\t1\tA\tX\tD1\r\n\r\n2|t|E\r\n2|a|F\r\n",
        "\n\n1|t|A b\n1|a|C d\n\n1\t0\t1\tA\tX\tD1\n\n\n\n2|t|E\n2|a|F",
        "1|t|A b\n1|a|C d\n1\t0\t1\tA\tX\tD1\n2|t|E\n2|a|F\n",
    ],
    ids=["crlf", "blank lines anywhere", "no blank lines"],
)
def test_line_ends_and_blank_lines(tmp_path: Path, text: str) -> None:
    first, second = read(tmp_path, text)
    assert (first.text, first.mentions) == ("A b C d", (Mention("1.0", 0, 1, ("X",), ("D1",)),))
    assert second.text == "E F"


def test_title_or_abstract_may_be_empty_and_the_abstract_missing(tmp_path: Path) -> None:
    text = "1|t|\n1|a|Only abstract\n1\t1\t5\tOnly\tX\tD1\n\n2|t|Only title\n\n3|t|a|t|b\n3|a|c|a|d\n\n"
    documents = read(tmp_path, text)
    assert [document.text for document in documents] == [" Only abstract", "Only title", "a|t|b c|a|d"]
    write_documents(documents, tmp_path / "again.pubtator", format="pubtator")
    assert (tmp_path / "again.pubtator").read_text() == text


def test_equal_spans_get_ids_of_their_own(tmp_path: Path) -> None:
    line = "1\t0\t8\tNaloxone\tChemical\tD1"
    (document,) = read(tmp_path, with_line(f"{line}\n{line}"))
    assert [mention.id for mention in document.mentions] == ["1.0", "1.1"]


def test_one_kind_of_white_space_is_as_good_as_another(tmp_path: Path) -> None:
    text = with_line("1\t0\t12\tNaloxone and\tX\tD1", title="Naloxone\u00a0and clonidine.")
    assert read(tmp_path, text)[0].mentions[0].end == 12


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1\t0\t8\tNalaxone\tX\tD1", "the mention is 'Nalaxone' but the text at 0..8 is 'Naloxone'"),
        ("1\t0\t99\tNaloxone\tX\tD1", "mention '1.0' ends at 99 but document '1' has 36 characters"),
        ("1\t-1\t8\tNaloxone\tX\tD1", "mention '1.0' starts at -1; offsets count from 0"),
        ("1\t8\t8\t\tX\tD1", "mention '1.0' has no text"),
        ("1\tx\t8\tNaloxone\tX\tD1", "a mention starts at 'x' and ends at '8'; expected whole numbers"),
        ("1\t0\t8.0\tNaloxone\tX\tD1", "ends at '8.0'; expected whole numbers"),
        (
            "1\t0\t8\tNaloxone",
            "a mention line has 4 columns; expected id, start, end, text, type, identifier",
        ),
        ("9\t0\t8\tNaloxone\tX\tD1", "a line of document '9' stands among the lines of document '1'"),
        ("and the abstract goes on", "found 'and the abstract goes on'; expected id|t|title"),
        ("1|a|Another abstract.", "document '1' has a second abstract"),
        ("9|a|Another abstract.", "the abstract of document '9' has no title line before it"),
        ("1|t|Another title.", "document id '1' stands twice, first at line 1"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, with_line(line))
    assert str(error.value).startswith(f"{tmp_path / 'x.pubtator'}:3: ")
    assert message in str(error.value)


def test_skipping_costs_a_mention_its_mention_and_a_document_its_document(tmp_path: Path) -> None:
    text = (
        "1|t|Naloxone and clonidine.\n"
        "1\t0\t8\tNalaxone\tX\tD1\n1\t13\t22\tclonidine\tX\tD2\n1\t0\t99\tNal\tX\tD1\n"
        "2|a|No title.\n2\t0\t2\tNo\tX\tD1\n2\t0\t2\tNo\tX\tD1\n"
        "3|t|Two\n3|a|abstracts\n3|a|here\n3\t0\t3\tTwo\tX\tD1\n"
        "4|t|Fine\n"
    )
    problems = Problems(skip=True)
    documents = read(tmp_path, text, problems)
    assert [(d.id, [m.id for m in d.mentions]) for d in documents] == [("1", ["1.1"]), ("4", [])]
    assert sorted(error.line or 0 for error in problems.errors) == [2, 4, 5, 10]


def test_lines_before_any_title(tmp_path: Path) -> None:
    (tmp_path / "x.pubtator").write_text("1\t0\t8\tNaloxone\tX\tD1\n1|t|Naloxone\n")
    problems = Problems(skip=True)
    (document,) = read_documents(tmp_path / "x.pubtator", problems=problems)
    assert document.text == "Naloxone"
    assert [str(error) for error in problems.errors] == [
        f"{tmp_path / 'x.pubtator'}:1: a line of document '1' stands before any title line"
    ]


@pytest.mark.parametrize(("encoding", "width"), [("utf-8", 1), ("utf-16-le", 2)])
def test_offsets_in_other_units_are_converted(tmp_path: Path, encoding: str, width: int) -> None:
    title = "β-blockers 😀 and iron"
    lines = []
    for surface in ("blockers", "iron"):
        start = len(title[: title.index(surface)].encode(encoding)) // width
        lines.append(f"1\t{start}\t{start + len(surface)}\t{surface}\tX\tD1")
    (document,) = read(tmp_path, with_line("\n".join(lines), title=title))
    assert [document.text_of(mention) for mention in document.mentions] == ["blockers", "iron"]


def test_one_offset_in_another_unit_among_good_ones_is_an_error_that_says_so(tmp_path: Path) -> None:
    lines = "1\t2\t6\tiron\tX\tD1\n1\t8\t12\tzinc\tX\tD1"
    with pytest.raises(InputError, match="it would fit if offsets counted UTF-8 bytes") as error:
        read(tmp_path, with_line(lines, title="β iron zinc β"))
    assert error.value.line == 4


def test_texts_from_elsewhere_keep_their_offsets(tmp_path: Path) -> None:
    texts = ["Title\nline\rend\ttab", "One sentence. Another one.", "no sentence", ""]
    documents = [
        Document(f"d{n}", text, (Mention(f"m{n}", 3, len(text)),) if text else ())
        for n, text in enumerate(texts)
    ]
    write_documents(documents, tmp_path / "x.pubtator", format="pubtator")
    assert (tmp_path / "x.pubtator").read_text().split("\n\n")[:3] == [
        "d0|t|Title\nd0|a|line end\ttab\nd0\t3\t18\tle line end tab\t\t",
        "d1|t|One sentence.\nd1|a|Another one.\nd1\t3\t26\t sentence. Another one.\t\t",
        "d2|t|no sentence\nd2\t3\t11\tsentence\t\t",
    ]
    again = list(read_documents(tmp_path / "x.pubtator"))
    assert [document.text for document in again] == ["Title line end\ttab", *texts[1:]]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (Document("a|b", "x"), "document id 'a|b' cannot stand in PubTator"),
        (Document("a\tb", "x"), "holds a bar, a tab or a line end"),
        (
            Document("d", "Ada", (Mention("m", 0, 3, ("a,b",)),)),
            r"the types ('a,b',) of mention 'm' cannot stand",
        ),
        (Document("d", "Ada", (Mention("m", 0, 3, ("a\tb",)),)), "a comma separates types, a tab columns"),
        (
            Document("d", "Ada", (Mention("m", 0, 3, (), ("a|b",)),)),
            r"the entities ('a|b',) of mention 'm' cannot",
        ),
        (Document("d", "Ada", (Mention("m", 0, 3, (), ("-1",)),)), "-1 is no id"),
        (Document("d", "Ada", (Mention("m", 0, 3, (), ("D1+D2",)),)), "cannot stand in PubTator"),
    ],
)
def test_what_would_be_read_otherwise_is_not_written(
    tmp_path: Path, document: Document, message: str
) -> None:
    with pytest.raises(InputError) as error:
        write_documents([document], tmp_path / "x.pubtator", format="pubtator")
    assert message in str(error.value)
    assert not list(tmp_path.iterdir())


def test_fields_of_other_origin_are_not_taken_for_columns(tmp_path: Path) -> None:
    mention = Mention("m", 0, 3, extra={"more_columns": 7, "identifier": 3})
    document = Document("d", "Ada", (mention,), {"relations": [{"a": 1}, [1]], "title_length": "3"})
    write_documents([document], tmp_path / "x.pubtator", format="pubtator")
    assert (tmp_path / "x.pubtator").read_text() == "d|t|Ada\nd\t0\t3\tAda\t\t\n\n"
