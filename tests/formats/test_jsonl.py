from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats import Problems, read_documents, read_entities, write_documents, write_entities


def write(path: Path, *records: object) -> Path:
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def document(**mention: object) -> dict[str, object]:
    return {"id": "d", "text": "Ada met Bob.", "mentions": [mention]}


def test_a_document_with_everything(tmp_path: Path) -> None:
    path = write(
        tmp_path / "d.jsonl",
        {
            "id": "d",
            "text": "Ada met Bob.",
            "source": "diary",
            "mentions": [
                {"id": "m", "start": 0, "end": 3, "type": "person", "entity": "Q1", "by": "hand"},
                {"start": 8, "end": 11, "type": ["person", "friend"], "entity": ["Q2", "Q3"]},
            ],
        },
    )
    assert list(read_documents(path)) == [
        Document(
            "d",
            "Ada met Bob.",
            (
                Mention("m", 0, 3, ("person",), ("Q1",), {"by": "hand"}),
                Mention("d.1", 8, 11, ("person", "friend"), ("Q2", "Q3")),
            ),
            {"source": "diary"},
        )
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, None),
        ({"entity": None}, ()),
        ({"entity": []}, ()),
        ({"entity": 7}, ("7",)),
        ({"entity": "7"}, ("7",)),
    ],
)
def test_gold_label(tmp_path: Path, given: dict[str, object], expected: tuple[str, ...] | None) -> None:
    path = write(tmp_path / "d.jsonl", document(start=0, end=3, **given))
    assert next(read_documents(path)).mentions[0].entities == expected


def test_whole_numbers_are_taken_as_ids(tmp_path: Path) -> None:
    path = write(
        tmp_path / "d.jsonl", {"id": 1, "text": "Ada", "mentions": [{"id": 2, "start": 0, "end": 1}]}
    )
    read = next(read_documents(path))
    assert (read.id, read.mentions[0].id) == ("1", "2")
    assert next(read_entities(write(tmp_path / "kb.jsonl", {"id": 5, "name": "Ada"}))).id == "5"


def test_null_is_the_same_as_nothing_for_optional_fields(tmp_path: Path) -> None:
    kb = write(
        tmp_path / "kb.jsonl", {"id": "a", "name": "Ada", "aliases": None, "description": None, "types": None}
    )
    assert next(read_entities(kb)) == Entity("a", "Ada")
    documents = write(tmp_path / "d.jsonl", {"id": "a", "text": "", "mentions": None})
    assert next(read_documents(documents)) == Document("a", "")


def test_blank_lines_crlf_and_a_byte_order_mark_mean_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kb.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "name": "A"}\r\n\r\n  \r\n{"id": "b", "name": "B"}')
    assert [entity.id for entity in read_entities(path)] == ["a", "b"]


def test_line_separators_inside_strings_do_not_end_a_line(tmp_path: Path) -> None:
    entity = Entity("a", "one\u2028two\x85three\x0bfour", description="five\r\nsix")
    write_entities([entity], tmp_path / "kb.jsonl")
    assert list(read_entities(tmp_path / "kb.jsonl")) == [entity]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("{", "d.jsonl:1: broken JSON at column 2"),
        ('{"id": "d", "text": "x"} tail', "broken JSON at column 26: Extra data"),
        ("[1]", "the line holds a list; expected one JSON object per line"),
        ('{"id": "d", "text": "\\ud800"}', r"the escape \ud800 is half a character"),
        ('{"id": "d", "text": "x", "n": ' + "1" * 5000 + "}", "JSON that cannot be read"),
        ("[" * 100_000, "JSON that cannot be read"),
        ({"text": "x"}, 'a document needs the field "id"; found "text"'),
        ({"id": "d", "name": "x"}, 'a document needs the field "text"; found "name"'),
        ({"id": 1.5, "text": "x"}, '"id" is the number 1.5; expected a string or a whole number'),
        ({"id": True, "text": "x"}, '"id" is true; expected'),
        ({"id": "", "text": "x"}, "a document has an empty id"),
        ({"id": "d", "text": None}, '"text" is null; expected a string'),
        (
            {"id": "d", "text": "x", "mentions": {}},
            "\"mentions\" of document 'd' is an object; expected a list",
        ),
        ({"id": "d", "text": "x", "mentions": [3]}, "mention 1 of document 'd': found the number 3"),
        (document(end=3), 'mention 1 of document \'d\': a mention needs the field "start"; found "end"'),
        (document(start="0", end=3), "\"start\" is the string '0'; expected a whole number"),
        (document(start=False, end=3), '"start" is false; expected a whole number'),
        (document(start=0, end=3.0), '"end" is the number 3.0; expected a whole number'),
        (document(start=0, end=99), "d.jsonl:1: mention 'd.0' ends at 99 but document 'd' has 12 characters"),
        (document(start=-1, end=3), "mention 'd.0' starts at -1; offsets count from 0"),
        (document(start=3, end=3), "mention 'd.0' has no text"),
        (document(start=3, end=4), "mention 'd.0' has no text: document 'd' is blank at 3..4"),
        (document(start=0, end=3, type=7), '"type" is the number 7; expected a string or a list of strings'),
        (document(start=0, end=3, type=["a", 7]), '"type" holds the number 7; expected a list of strings'),
        (document(start=0, end=3, entity=""), '"entity" is an empty string; leave the field out'),
        (document(start=0, end=3, entity={"id": 1}), '"entity" is an object'),
        (document(start=0, end=3, id=[]), '"id" is a list'),
    ],
)
def test_what_is_wrong_with_a_document_is_told(tmp_path: Path, record: object, message: str) -> None:
    path = write(tmp_path / "d.jsonl", record)
    with pytest.raises(InputError) as error:
        list(read_documents(path, format="jsonl"))
    assert message in str(error.value)
    assert (error.value.path, error.value.line) == (path, 1)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": "a", "title": "A"}, 'an entity needs the field "name"; found "title"'),
        ({"id": "a", "name": " "}, "entity 'a' has no name"),
        ({"id": "", "name": "A"}, "an entity named 'A' has an empty id"),
        ({"id": "a", "name": 3}, '"name" is the number 3; expected a string'),
        (
            {"id": "a", "name": "A", "aliases": "B"},
            "\"aliases\" is the string 'B'; expected a list of strings",
        ),
        ({"id": "a", "name": "A", "aliases": [None]}, '"aliases" holds null; expected a list of strings'),
        ({"id": "a", "name": "A", "description": []}, '"description" is a list; expected a string'),
        ({"id": "a", "name": "A", "types": 1}, '"types" is the number 1; expected a string or a list'),
    ],
)
def test_what_is_wrong_with_an_entity_is_told(tmp_path: Path, record: object, message: str) -> None:
    path = write(tmp_path / "kb.jsonl", {"id": "first", "name": "First"}, record)
    with pytest.raises(InputError) as error:
        list(read_entities(path))
    assert str(error.value).startswith(f"{path}:2: ")
    assert message in str(error.value)


def test_escaped_surrogate_pairs_are_characters(tmp_path: Path) -> None:
    path = write(tmp_path / "kb.jsonl", '{"id": "a", "name": "\\ud83d\\ude00"}')
    assert next(read_entities(path)).name == "😀"


def test_half_a_character_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"U\+D800 is half a character"):
        write_documents([Document("d", "\ud800")], tmp_path / "d.jsonl")
    assert not list(tmp_path.iterdir())


def test_what_is_no_json_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a field of 'a' cannot be written: .*set"):
        write_entities([Entity("a", "A", extra={"seen": {1}})], tmp_path / "kb.jsonl")
    assert not list(tmp_path.iterdir())


def test_extra_fields_never_pass_for_the_formats_own(tmp_path: Path) -> None:
    mention = Mention("m", 0, 3, extra={"entity": "Q9", "note": 1})
    write_documents([Document("d", "Ada", (mention,), {"id": "other", "year": 1843})], tmp_path / "d.jsonl")
    read = next(read_documents(tmp_path / "d.jsonl"))
    assert read == Document("d", "Ada", (Mention("m", 0, 3, extra={"note": 1}),), {"year": 1843})


def test_gzip_is_known_by_content_and_written_by_name(tmp_path: Path) -> None:
    entities = [Entity("a", "A", ("B",), "C", ("D",), {"e": [1, {"f": None}]})]
    write_entities(entities, tmp_path / "kb.jsonl.gz")
    packed = (tmp_path / "kb.jsonl.gz").read_bytes()
    assert json.loads(gzip.decompress(packed))["aliases"] == ["B"]
    (tmp_path / "kb.jsonl").write_bytes(packed)
    assert list(read_entities(tmp_path / "kb.jsonl")) == entities


@pytest.mark.parametrize("skip", [False, True])
def test_a_cut_gzip_is_always_an_error(tmp_path: Path, skip: bool) -> None:
    lines = "".join(json.dumps({"id": f"e{n}", "name": str(n * n)}) + "\n" for n in range(5000))
    packed = gzip.compress(lines.encode())
    (tmp_path / "kb.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="gzip data is cut off"):
        list(read_entities(tmp_path / "kb.jsonl.gz", problems=Problems(skip=skip)))


@pytest.mark.parametrize("skip", [False, True])
def test_another_encoding_is_always_an_error(tmp_path: Path, skip: bool) -> None:
    (tmp_path / "kb.jsonl").write_bytes(
        '{"id": "a", "name": "A"}\n{"id": "b", "name": "é"}\n'.encode("latin-1")
    )
    with pytest.raises(InputError, match=r"kb.jsonl:2: not UTF-8: byte 0xe9"):
        list(read_entities(tmp_path / "kb.jsonl", problems=Problems(skip=skip)))
