from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from arborlink.cli.convert import convert
from arborlink.errors import InputError
from arborlink.formats import read_documents, read_entities

PUBTATOR = "1|t|Ada met Bob.\n1|a|Twice.\n1\t0\t3\tAda\tPerson\tQ1\n1\t8\t11\tBob\tPerson\t-1\n\n"
KB = '{"id": "Q1", "name": "Ada"}\n{"id": "Q2", "name": "Bob", "types": ["Person"]}\n'
CONCEPTS = (
    "C0000001|ENG|P|L|PF|S|Y|A1||||INV|PT|1|Glimmer fever|0|N||\n"
    "C0000001|ENG|S|L|VO|S|N|A2||||OLD|PT|1|old glimmer|0|O||\n"
    "C0000001|GER|P|L|PF|S|Y|A3||||INV|PT|1|Glimmerfieber|0|N||\n"
)


def run(*arguments: object) -> Result:
    app = typer.Typer()
    app.command()(convert)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if isinstance(result.exception, InputError):
        raise result.exception
    return result


def put(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_documents_to_jsonl_and_back(tmp_path: Path) -> None:
    source = put(tmp_path / "x.pubtator", PUBTATOR)
    result = run(source, tmp_path / "x.jsonl.gz")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        f"read 1 documents with 2 mentions from {source} (pubtator)",
        f"wrote {tmp_path / 'x.jsonl.gz'} (jsonl)",
    ]
    run(tmp_path / "x.jsonl.gz", tmp_path / "again.txt", "--to", "pubtator")
    assert (tmp_path / "again.txt").read_text() == PUBTATOR


def test_a_knowledge_base_to_zeshel_beside_its_documents(tmp_path: Path) -> None:
    run(put(tmp_path / "x.pubtator", PUBTATOR), tmp_path / "z" / "mentions" / "x.json")
    result = run(put(tmp_path / "kb.jsonl", KB), tmp_path / "z" / "documents")
    assert "read 2 entities" in result.stderr
    assert [entity.id for entity in read_entities(tmp_path / "z")] == ["Q2", "Q1"]
    assert [document.id for document in read_documents(tmp_path / "z" / "mentions" / "x.json")] == ["1"]


def test_documents_that_zeshel_will_not_find_again_are_told(tmp_path: Path) -> None:
    source = put(tmp_path / "x.jsonl", '{"id": "d", "text": "Nobody."}\n')
    result = run(source, tmp_path / "mentions" / "x.json")
    assert "1 documents have no mention: zeshel keeps their pages only" in result.stderr


def test_invalid_records_stop_or_are_skipped_and_told(tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"e{n}", "name": "" if n % 2 else "E"}) for n in range(16)]
    source = put(tmp_path / "kb.jsonl", "\n".join(lines))
    with pytest.raises(InputError, match=r"kb.jsonl:2: entity 'e1' has no name"):
        run(source, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
    result = run(source, tmp_path / "out.jsonl", "--skip-invalid")
    assert result.stderr.splitlines()[0] == f"read 8 entities from {source} (jsonl)"
    assert result.stderr.splitlines()[2:] == [
        "skipped 8 invalid records:",
        *[f"  {source}:{n + 1}: entity 'e{n}' has no name" for n in (1, 3, 5, 7, 9)],
        "  ... and 3 more",
    ]
    assert [entity.id for entity in read_entities(tmp_path / "out.jsonl")] == [
        f"e{n}" for n in range(0, 16, 2)
    ]


def test_umls_options(tmp_path: Path) -> None:
    source = put(tmp_path / "MRCONSO.RRF", CONCEPTS)

    def names(*options: str) -> list[tuple[str, ...]]:
        run(source, tmp_path / "kb.jsonl", *options)
        return [entity.names for entity in read_entities(tmp_path / "kb.jsonl")]

    assert names() == [("Glimmer fever",)]
    assert names("--keep-suppressed") == [("Glimmer fever", "old glimmer")]
    assert names("--language", "GER", "--language", "ENG") == [("Glimmerfieber", "Glimmer fever")]
    assert names("--keep-suppressed", "--source", "OLD") == [("old glimmer",)]
    with pytest.raises(InputError, match="the knowledge base is empty: nothing was written"):
        names("--language", "FRE")
    assert len(list(read_entities(tmp_path / "kb.jsonl"))) == 1


@pytest.mark.parametrize(
    ("name", "content", "output", "options", "message"),
    [
        ("x", '{"id": "a", "text": "x", "name": "y"}', "out.jsonl", [], "Say --role documents or --role kb"),
        ("x", "a,b", "out.jsonl", [], "Say --role documents or --role kb"),
        ("x", "a,b", "out.jsonl", ["--role", "kb"], "name one with --format (convert: --from)"),
        ("x", KB, "out.jsonl", ["--role", "words"], "unknown role 'words'"),
        ("x", KB, "out.csv", [], "the name tells no format"),
        ("x", KB, "out.pubtator", [], "the name is that of pubtator documents"),
        ("x", KB, "out", ["--to", "pubtator"], "pubtator holds documents"),
        ("x", KB, "out", ["--to", "umls"], "umls can be read only"),
        ("x", KB, "out.jsonl", ["--role", "documents"], "this is a knowledge base (jsonl)"),
        ("x", KB, "out.jsonl", ["--from", "pubtator"], "x:1: found"),
        ("x", KB, "out.jsonl", ["--from", "csv"], "unknown format 'csv'"),
        ("x", KB, "out.jsonl", ["--language", "ENG"], "are for umls, not jsonl"),
        ("x", "", "out.jsonl", ["--role", "kb"], "the knowledge base is empty"),
    ],
)
def test_what_cannot_be_converted_is_told(
    tmp_path: Path, name: str, content: str, output: str, options: list[str], message: str
) -> None:
    source = put(tmp_path / "in" / name, content)
    with pytest.raises(InputError) as error:
        run(source, tmp_path / "out" / output, *options)
    assert message in str(error.value)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path != source]


def test_the_role_may_come_from_the_options_or_the_output(tmp_path: Path) -> None:
    both = put(tmp_path / "x", '{"id": "a", "text": "x", "name": "y"}')
    run(both, tmp_path / "a.pubtator")
    assert (tmp_path / "a.pubtator").read_text() == "a|t|x\n\n"
    run(both, tmp_path / "kb.jsonl", "--role", "kb")
    assert next(read_entities(tmp_path / "kb.jsonl")).extra == {"text": "x"}
    run(put(tmp_path / "y", PUBTATOR), tmp_path / "y.jsonl", "--from", "pubtator")
    assert len(next(read_documents(tmp_path / "y.jsonl")).mentions) == 2


def test_an_empty_file_of_documents_stays_one(tmp_path: Path) -> None:
    result = run(put(tmp_path / "x.jsonl", ""), tmp_path / "y.jsonl", "--role", "documents")
    assert "read 0 documents with 0 mentions" in result.stderr
    assert (tmp_path / "y.jsonl").read_text() == ""
