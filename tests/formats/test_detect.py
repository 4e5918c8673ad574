from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats import (
    DOCUMENT_FORMATS,
    ENTITY_FORMATS,
    Problems,
    detect_format,
    read_documents,
    read_entities,
    write_documents,
    write_entities,
)

PAGE = '{"title": "A", "text": "A", "document_id": "P"}'
MENTION = '{"mention_id": "M", "context_document_id": "P", "corpus": "w", "start_index": 0, "end_index": 0}'


def put(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "role", "expected"),
    [
        ('{"id": "d", "text": "x", "mentions": []}', "documents", "jsonl"),
        ('{"id": "d", "text": "x"}', "documents", "jsonl"),
        ('{"id": "d", "text": "x", "name": "y"}', "documents", "jsonl"),
        ('{"id": "d", "text": "x", "name": "y"}', "kb", "jsonl"),
        ('{"id": "e", "name": "x"}', "kb", "jsonl"),
        ("\n \n12|t|Title", "documents", "pubtator"),
        ("12|t|", "documents", "pubtator"),
        ('{"id": "d", "text": "1|t|x"}', "documents", "jsonl"),
        ('{"id": "e", "name": "x", "mentions": 17}', "kb", "jsonl"),
        (MENTION, "documents", "zeshel"),
        (PAGE, "kb", "zeshel"),
        ("C0000001|ENG|P|L1|PF|", "kb", "umls"),
        ("", "documents", "jsonl"),
        ("\n\n", "kb", "jsonl"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_content_tells_whatever_the_name(
    tmp_path: Path, content: str, role: str, expected: str, packed: bool
) -> None:
    path = put(tmp_path / "download", gzip.compress(content.encode()) if packed else content)
    assert detect_format(path, role) == expected


@pytest.mark.parametrize(
    ("name", "content", "role", "expected"),
    [
        ("x.jsonl", "{", "documents", "jsonl"),
        ("x.JSONL.gz", '{"other": 1}', "kb", "jsonl"),
        ("x.jsonl", "not json", "documents", "jsonl"),
        ("x.pubtator", "not pubtator", "documents", "pubtator"),
        ("x.PubTator.txt", "1\t0\t2\tof\tX\tD1", "documents", "pubtator"),
        ("x.pubtator.gz", "", "documents", "pubtator"),
        ("mentions/x.json", "", "documents", "zeshel"),
    ],
)
def test_the_name_tells_where_the_content_does_not(
    tmp_path: Path, name: str, content: str, role: str, expected: str
) -> None:
    assert detect_format(put(tmp_path / name, content), role) == expected


@pytest.mark.parametrize(
    ("content", "role", "message"),
    [
        ("id,text\n1,Ada", "documents", "documents can be jsonl, pubtator, zeshel: name one with --format"),
        ('{"other": 1}', "kb", "a knowledge base can be jsonl, zeshel, umls: name one with --format"),
        ('[{"id": 1}]', "documents", "looks like a JSON array"),
        ('{\n"id": 1}', "documents", "looks like JSON over several lines"),
        ("\x00\x01\x02", "kb", "the format is not plain"),
        (b"\x89PNG\r\n", "kb", "not UTF-8: byte 0x89"),
        (
            '{"id": "e", "name": "x"}',
            "documents",
            "this is a knowledge base (jsonl) where documents should be given",
        ),
        (
            '{"id": "e", "text": "x"}',
            "kb",
            "this is documents (jsonl) where a knowledge base should be given",
        ),
        ("12|t|Title", "kb", "this is documents (pubtator) where a knowledge base should be given"),
        (PAGE, "documents", "this is a knowledge base (zeshel) where documents"),
        (MENTION, "kb", "this is documents (zeshel) where a knowledge base"),
        ("x", "mentions", "unknown role 'mentions'; expected documents or kb"),
    ],
)
def test_no_wrong_guess_is_made(tmp_path: Path, content: str | bytes, role: str, message: str) -> None:
    path = put(tmp_path / "download", content)
    with pytest.raises(InputError) as error:
        detect_format(path, role)
    assert message in str(error.value)


def test_folders(tmp_path: Path) -> None:
    put(tmp_path / "wiki" / "documents" / "w.json", PAGE)
    put(tmp_path / "umls" / "META" / "MRCONSO.RRF.gz", "")
    put(tmp_path / "other" / "x.json", '{"a": 1}')
    (tmp_path / "empty").mkdir()
    assert detect_format(tmp_path / "wiki", "kb") == "zeshel"
    assert detect_format(tmp_path / "wiki" / "documents", "kb") == "zeshel"
    assert detect_format(tmp_path / "umls", "kb") == "umls"
    for name in ("other", "empty"):
        with pytest.raises(InputError, match="the format is not plain"):
            detect_format(tmp_path / name, "kb")
    with pytest.raises(InputError, match="this is a knowledge base"):
        detect_format(tmp_path / "wiki", "documents")
    with pytest.raises(InputError, match=r"holds no <world>\.json"):
        list(read_entities(tmp_path / "empty", format="zeshel"))


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        read_documents(tmp_path / "nothing")
    for format in ENTITY_FORMATS:
        with pytest.raises(InputError, match="cannot be read: No such file"):
            list(read_entities(tmp_path / "nothing", format=format))
    for format in DOCUMENT_FORMATS:
        with pytest.raises(InputError, match="cannot be read: No such file"):
            list(read_documents(tmp_path / "nothing", format=format))


def test_a_folder_where_a_file_should_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Is a directory"):
        list(read_documents(tmp_path, format="pubtator"))
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        write_documents([], tmp_path)


@pytest.mark.parametrize("format", DOCUMENT_FORMATS)
def test_an_empty_file_holds_no_documents(tmp_path: Path, format: str) -> None:
    assert list(read_documents(put(tmp_path / "x", ""), format=format)) == []


def test_formats_in_the_wrong_role(tmp_path: Path) -> None:
    path = put(tmp_path / "x", "1|t|A")
    with pytest.raises(
        InputError, match="pubtator holds documents; the formats of a knowledge base are jsonl"
    ):
        read_entities(path, format="pubtator")
    with pytest.raises(InputError, match="umls holds a knowledge base; the formats of documents are jsonl"):
        read_documents(path, format="umls")
    with pytest.raises(
        InputError, match="unknown format 'csv'; the formats of documents are jsonl, pubtator"
    ):
        read_documents(path, format="csv")
    with pytest.raises(InputError, match="umls can be read only; write jsonl or zeshel"):
        write_entities([Entity("a", "A")], tmp_path / "y", format="umls")
    with pytest.raises(InputError, match="unknown format 'csv'"):
        write_documents([], tmp_path / "y", format="csv")


def test_a_first_record_that_is_broken_does_not_hide_the_rest(tmp_path: Path) -> None:
    path = put(tmp_path / "x.jsonl", "{\n" + json.dumps({"id": "e", "name": "E"}))
    problems = Problems(skip=True)
    assert [entity.id for entity in read_entities(path, problems=problems)] == ["e"]
    assert problems.n_skipped == 1
