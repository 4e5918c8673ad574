"""Ids that stand twice, and what an invalid record costs when the reader goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arborlink.errors import InputError
from arborlink.formats import Problems, read_documents, read_entities


def write(path: Path, *records: object) -> Path:
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_a_repeated_entity_names_both_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path / "kb.jsonl",
        {"id": "a", "name": "A"},
        "",
        {"id": "b", "name": "B"},
        {"id": "a", "name": "C"},
    )
    with pytest.raises(InputError) as error:
        list(read_entities(path))
    assert str(error.value) == f"{path}:4: entity id 'a' stands twice, first at line 1"
    problems = Problems(skip=True)
    assert [entity.name for entity in read_entities(path, problems=problems)] == ["A", "B"]
    assert problems.n_skipped == 1


def test_a_number_and_its_digits_are_one_id(tmp_path: Path) -> None:
    path = write(tmp_path / "kb.jsonl", {"id": 1, "name": "A"}, {"id": "1", "name": "B"})
    with pytest.raises(InputError, match="entity id '1' stands twice, first at line 1"):
        list(read_entities(path))


def test_a_repeated_document_costs_the_document_and_is_counted_once(tmp_path: Path) -> None:
    record = {"id": "d", "text": "Ada", "mentions": [{"start": 0, "end": 3}, {"start": 0, "end": 99}]}
    good = record | {"mentions": record["mentions"][:1]}
    path = write(tmp_path / "d.jsonl", good, record)
    with pytest.raises(InputError, match=r"d.jsonl:2: document id 'd' stands twice, first at line 1"):
        list(read_documents(path))
    problems = Problems(skip=True)
    assert [len(document.mentions) for document in read_documents(path, problems=problems)] == [1]
    assert [error.line for error in problems.errors] == [2]


def test_a_repeated_mention_costs_the_mention(tmp_path: Path) -> None:
    path = write(
        tmp_path / "d.jsonl",
        {"id": "d", "text": "Ada", "mentions": [{"id": "m", "start": 0, "end": 3}]},
        {
            "id": "e",
            "text": "Bob",
            "mentions": [{"id": "n", "start": 0, "end": 3}, {"id": "m", "start": 0, "end": 1}],
        },
    )
    with pytest.raises(InputError, match=r"d.jsonl:2: mention id 'm' stands twice, first at line 1"):
        list(read_documents(path))
    problems = Problems(skip=True)
    documents = list(read_documents(path, problems=problems))
    assert [[mention.id for mention in document.mentions] for document in documents] == [["m"], ["n"]]
    assert problems.n_skipped == 1


def test_a_mention_repeated_within_its_document(tmp_path: Path) -> None:
    mentions = [
        {"id": "m", "start": 0, "end": 1},
        {"id": "m", "start": 1, "end": 2},
        {"id": "k", "start": 2, "end": 3},
    ]
    path = write(tmp_path / "d.jsonl", {"id": "d", "text": "Ada", "mentions": mentions})
    with pytest.raises(InputError, match=r"d.jsonl:1: mention id 'm' stands twice, first at line 1"):
        list(read_documents(path))
    problems = Problems(skip=True)
    document = next(read_documents(path, problems=problems))
    assert [(mention.id, mention.start) for mention in document.mentions] == [("m", 0), ("k", 2)]
    assert problems.n_skipped == 1


def test_each_invalid_thing_costs_itself_and_is_counted_once(tmp_path: Path) -> None:
    spans = [(0, 3), (0, 99), (3, 4), (5, 5), (-1, 2), (4, 7)]
    path = write(
        tmp_path / "d.jsonl",
        {"id": "d", "text": "Ada met Bob.", "mentions": [{"start": s, "end": e} for s, e in spans]},
        "{broken",
        {"id": "no text"},
        {"id": "e", "text": "Bob", "mentions": [{"start": "0", "end": 3}, 7]},
        {"id": "f", "text": "Bob", "mentions": 7},
        {"id": "", "text": "Bob"},
        {"id": "g", "text": "Bob", "mentions": [{"start": 0, "end": 3}]},
    )
    problems = Problems(skip=True)
    documents = list(read_documents(path, problems=problems))
    kept = {document.id: [mention.id for mention in document.mentions] for document in documents}
    # a mention's place counts the invalid ones too, so its id does not depend on them
    assert kept == {"d": ["d.0", "d.5"], "e": [], "g": ["g.0"]}
    assert sorted(error.line or 0 for error in problems.errors) == [1, 1, 1, 1, 2, 3, 4, 4, 5, 6]
    assert problems.n_skipped == 10


def test_the_first_places_of_ids_are_told_across_files(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    page = {"title": "Tower", "text": "Tower", "document_id": "p"}
    write(folder / "a.json", page)
    write(folder / "b.json", page | {"document_id": "q"}, page)
    with pytest.raises(InputError) as error:
        list(read_entities(folder))
    assert (
        str(error.value)
        == f"{folder / 'b.json'}:2: entity id 'p' stands twice, first at {folder / 'a.json'}:1"
    )
