"""The examples of docs/formats.md are read as they stand, and every format and option is named there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from arborlink.cli.convert import convert
from arborlink.document import Mention
from arborlink.entity import Entity
from arborlink.formats import DOCUMENT_FORMATS, ENTITY_FORMATS, detect_format, read_documents, read_entities

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


def example(tmp_path: Path, name: str) -> Path:
    block = re.search(rf"^```{name}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert block is not None
    path = tmp_path / "example"
    path.write_text(block[1], encoding="utf-8")
    return path


def test_jsonl_documents(tmp_path: Path) -> None:
    (document,) = read_documents(example(tmp_path, "jsonl documents"))
    assert document.mentions == (
        Mention("m1", 0, 3, ("person",), ("Q7259",)),
        Mention("d1.1", 8, 11),
        Mention("d1.2", 16, 19, (), ()),
    )
    assert document.extra == {"year": 1843}


def test_jsonl_knowledge_base(tmp_path: Path) -> None:
    assert list(read_entities(example(tmp_path, "jsonl kb"))) == [
        Entity(
            "Q7259",
            "Ada Lovelace",
            ("Ada", "Countess of Lovelace"),
            "English mathematician",
            ("person",),
            {"born": 1815},
        )
    ]


def test_pubtator(tmp_path: Path) -> None:
    path = example(tmp_path, "pubtator documents")
    assert detect_format(path, "documents") == "pubtator"
    (document,) = read_documents(path)
    assert [mention.entities for mention in document.mentions] == [
        ("D009270",),
        ("D003000",),
        ("D006333", "D051437"),
    ]
    assert document.extra["relations"] == [["CID", "D009270", "D006333"]]


@pytest.mark.parametrize("format", sorted({*DOCUMENT_FORMATS, *ENTITY_FORMATS}))
def test_every_format_has_a_chapter(format: str) -> None:
    assert f"\n## {format}\n" in PAGE


def test_every_option_of_convert_is_named() -> None:
    renamed = {"from_format": "--from", "to_format": "--to"}
    for name in inspect.signature(convert).parameters:
        if name not in ("input_path", "output_path"):
            assert renamed.get(name, f"--{name.replace('_', '-')}") in PAGE
