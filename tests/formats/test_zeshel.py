from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats import Problems, read_documents, read_entities, write_documents, write_entities

TOWER: dict[str, object] = {
    "title": "Tower (keep)",
    "text": "Tower ( keep ) The Tower of Ash is a tower .",
    "document_id": "P1",
}
ASH: dict[str, object] = {"title": "Ash", "text": "Ash fell .", "document_id": "P2"}
NOTES: dict[str, object] = {"title": "Notes", "text": "Notes on towers", "document_id": "P3", "entity": False}
MENTION: dict[str, object] = {
    "mention_id": "M1",
    "context_document_id": "P1",
    "corpus": "keeps",
    "start_index": 5,
    "end_index": 7,
    "text": "Tower of Ash",
    "label_document_id": "P2",
    "category": "LOW_OVERLAP",
}


def lines(path: Path, *records: dict[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def mentions_file(tmp_path: Path) -> Path:
    lines(tmp_path / "documents" / "keeps.json.gz", TOWER, ASH, NOTES)
    lines(tmp_path / "documents" / "unused.json", {"broken": 1})
    second = MENTION | {"mention_id": "M2", "context_document_id": "P3", "start_index": 2, "end_index": 2}
    third = MENTION | {"mention_id": "M3", "start_index": 7, "end_index": 7, "text": "Ash"}
    del third["label_document_id"]
    second |= {"text": "towers", "label_document_id": "NIL:1", "label_title": "Towers"}
    return lines(tmp_path / "mentions" / "test.json", MENTION, second, third)


def page(path: Path, id_: str) -> dict[str, object]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return next(record for record in found if record["document_id"] == id_)


def test_documents_are_the_context_pages_in_the_order_of_their_first_mention(mentions_file: Path) -> None:
    tower, notes = read_documents(mentions_file)
    assert tower == Document(
        "P1",
        str(TOWER["text"]),
        (
            Mention("M1", 19, 31, ("keeps",), ("P2",), {"category": "LOW_OVERLAP"}),
            Mention("M3", 28, 31, ("keeps",), None, {"category": "LOW_OVERLAP"}),
        ),
        {"title": "Tower (keep)"},
    )
    assert tower.text_of(tower.mentions[0]) == "Tower of Ash"
    assert notes.text_of(notes.mentions[0]) == "towers"
    assert notes.mentions[0].entities == ("NIL:1",)
    assert notes.mentions[0].extra == {"category": "LOW_OVERLAP", "label_title": "Towers"}


def test_entities_are_the_pages_that_are_not_context_only(tmp_path: Path) -> None:
    path = lines(tmp_path / "documents" / "keeps.json.gz", TOWER, ASH, NOTES)
    expected = [
        Entity(
            "P1",
            "Tower (keep)",
            (),
            "The Tower of Ash is a tower .",
            ("keeps",),
            {"leading_title": "Tower ( keep )"},
        ),
        Entity("P2", "Ash", (), "fell .", ("keeps",)),
    ]
    assert list(read_entities(path)) == expected
    assert list(read_entities(path.parent)) == expected
    assert list(read_entities(tmp_path)) == expected


@pytest.mark.parametrize(
    ("title", "text", "description"),
    [
        ("Ash", "Ash", ""),
        ("Ash", "Ash ", ""),
        ("Ash", "Ashes fell", "Ashes fell"),
        ("Ash", "", ""),
        ("!!!Batch", "! ! ! Batch is daft", "is daft"),
        ("Ash", "Ash\nfell", "Ash\nfell"),
        ("A B", "A  B C", "C"),
    ],
)
def test_the_title_at_the_front_of_the_text(tmp_path: Path, title: str, text: str, description: str) -> None:
    path = lines(tmp_path / "documents" / "w.json", {"title": title, "text": text, "document_id": "P"})
    (entity,) = read_entities(path)
    assert entity.description == description
    write_entities([entity], tmp_path / "again" / "w.json", format="zeshel")
    assert page(tmp_path / "again" / "w.json", "P")["text"] == text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"text": "Tower of Fire"},
            "mention 'M9' is 'Tower of Fire' but tokens 5 to 7 of page 'P1' are 'Tower of Ash'",
        ),
        ({"end_index": 12}, "mention 'M9' covers tokens 5 to 12 but page 'P1' has 12 tokens"),
        ({"start_index": 8}, "covers tokens 8 to 7"),
        ({"start_index": -1}, "covers tokens -1 to 7"),
        ({"start_index": "5"}, "\"start_index\" is the string '5'; expected a whole number"),
        ({"context_document_id": "P9"}, "mention 'M9': world 'keeps' has no page 'P9'"),
        ({"corpus": "../keeps"}, "\"corpus\" of mention 'M9' is '../keeps'; expected the name of a world"),
        ({"mention_id": "M1"}, "mention id 'M1' stands twice, first at line 1"),
        ({"label_document_id": 1.5}, '"label_document_id" is the number 1.5'),
    ],
)
def test_what_is_wrong_with_a_mention_is_told(
    mentions_file: Path, change: dict[str, object], message: str
) -> None:
    with mentions_file.open("a") as out:
        out.write(json.dumps(MENTION | {"mention_id": "M9"} | change) + "\n")
    with pytest.raises(InputError) as error:
        list(read_documents(mentions_file))
    assert message in str(error.value)
    assert (error.value.path, error.value.line) == (mentions_file, 4)
    problems = Problems(skip=True)
    assert sum(len(document.mentions) for document in read_documents(mentions_file, problems=problems)) == 3
    assert problems.n_skipped == 1


def test_case_and_blanks_of_the_mention_text_may_differ(mentions_file: Path) -> None:
    with mentions_file.open("a") as out:
        out.write(json.dumps(MENTION | {"mention_id": "M9", "text": "tower  of ash"}) + "\n")
    assert sum(len(document.mentions) for document in read_documents(mentions_file)) == 4


def test_a_world_that_is_not_there_is_always_an_error(mentions_file: Path) -> None:
    lines(mentions_file, MENTION | {"corpus": "elsewhere"})
    with pytest.raises(
        InputError, match=r"test.json:1: world 'elsewhere' has no file .*documents/elsewhere.json"
    ):
        list(read_documents(mentions_file, problems=Problems(skip=True)))


def test_a_page_that_stands_twice_in_its_world(mentions_file: Path) -> None:
    lines(mentions_file.parent.parent / "documents" / "keeps.json.gz", TOWER, ASH, NOTES, TOWER)
    with pytest.raises(InputError, match=r"keeps.json.gz:4: page id 'P1' stands twice, first at line 1"):
        list(read_documents(mentions_file))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"title": "A", "text": "A"}, 'a page needs the field "document_id"'),
        (TOWER | {"text": 1}, '"text" is the number 1; expected a string'),
        (TOWER | {"entity": "no"}, "\"entity\" of page 'P1' is the string 'no'; expected true or false"),
        (TOWER | {"title": " "}, "entity 'P1' has no name"),
        (TOWER | {"aliases": "Keep"}, '"aliases" is'),
    ],
)
def test_what_is_wrong_with_a_page_is_told(tmp_path: Path, record: dict[str, object], message: str) -> None:
    path = lines(tmp_path / "documents" / "w.json", ASH, record)
    with pytest.raises(InputError) as error:
        list(read_entities(path))
    assert message in str(error.value)
    assert error.value.line == 2


def test_blanks_are_put_around_mentions(tmp_path: Path) -> None:
    text = "non-steroidal drug(s)"
    spans = [(0, 13), (4, 13), (4, 18), (14, 18), (19, 20)]
    document = Document("d", text, tuple(Mention(f"m{s}.{e}", s, e, ("w",)) for s, e in spans))
    path = tmp_path / "mentions" / "x.json"
    write_documents([document], path, format="zeshel")
    assert page(tmp_path / "documents" / "w.json", "d") == {
        "title": "d",
        "text": "non- steroidal drug ( s )",
        "document_id": "d",
        "entity": False,
    }
    (again,) = read_documents(path)
    assert [again.text_of(m) for m in again.mentions] == [
        "non- steroidal",
        "steroidal",
        "steroidal drug",
        "drug",
        "s",
    ]


def test_what_zeshel_has_no_field_for_survives(tmp_path: Path) -> None:
    mentions = (
        Mention("a", 0, 3, ("Gene/Protein", "T2"), ("D1", "D2"), {"score": 1}),
        Mention("b", 4, 7, (), ()),
        Mention("c", 8, 12, ("Gene/Protein",), None),
    )
    document = Document("d", "Ada met Bob.", mentions, {"title": "Diary", "year": 1843})
    path = tmp_path / "mentions" / "x.json.gz"
    write_documents([document], path, format="zeshel")
    assert sorted(file.name for file in (tmp_path / "documents").iterdir()) == [
        "Gene_Protein.json.gz",
        "x.json.gz",
    ]
    assert list(read_documents(path)) == [document]
    entity = Entity("e", "Ada", ("Countess",), "A mathematician.", ("Gene/Protein", "T2"), {"born": 1815})
    bare = Entity("f", "Bob")
    write_entities([entity, bare], tmp_path / "kb" / "documents", format="zeshel")
    assert sorted(file.name for file in (tmp_path / "kb" / "documents").iterdir()) == [
        "Gene_Protein.json",
        "untyped.json",
    ]
    assert list(read_entities(tmp_path / "kb")) == [entity, bare]


def test_a_page_that_has_another_text_in_another_world(tmp_path: Path) -> None:
    lines(tmp_path / "documents" / "a.json", TOWER)
    lines(tmp_path / "documents" / "b.json", TOWER | {"text": "Tower"})
    path = lines(
        tmp_path / "mentions" / "x.json",
        MENTION | {"corpus": "a"},
        MENTION | {"corpus": "b", "mention_id": "M2"},
    )
    with pytest.raises(InputError, match=r"x.json:2: page 'P1' has another text in world 'b'"):
        list(read_documents(path))


def test_context_and_entities_meet_in_one_file(tmp_path: Path, mentions_file: Path) -> None:
    documents = list(read_documents(mentions_file))
    entities = list(read_entities(mentions_file.parent.parent / "documents" / "keeps.json.gz"))
    out = tmp_path / "out"
    write_documents(documents, out / "mentions" / "test.json", format="zeshel")
    write_entities(entities, out / "documents" / "keeps.json", format="zeshel")
    write_documents(documents[:1], out / "mentions" / "dev.json", format="zeshel")
    assert list(read_entities(out)) == entities
    assert list(read_documents(out / "mentions" / "test.json")) == documents
    assert list(read_documents(out / "mentions" / "dev.json")) == documents[:1]


def test_a_page_with_another_text_is_not_overwritten(tmp_path: Path) -> None:
    def document(text: str) -> Document:
        return Document("d", text, (Mention(f"{text}.m", 0, 3, ("w",)),))

    write_documents([document("Ada")], tmp_path / "mentions" / "a.json", format="zeshel")
    before = (tmp_path / "documents" / "w.json").read_bytes()
    with pytest.raises(InputError, match=r"w.json:1: page 'd' is there already with another text"):
        write_documents([document("Bob")], tmp_path / "mentions" / "b.json", format="zeshel")
    with pytest.raises(InputError, match=r"w.json:1: page 'd' is there already with another text"):
        write_entities([Entity("d", "Dee")], tmp_path / "documents" / "w.json", format="zeshel")
    assert (tmp_path / "documents" / "w.json").read_bytes() == before
    files = sorted(file.name for file in tmp_path.rglob("*") if file.is_file())
    assert files == ["a.json", "w.json"]


def test_entities_are_not_written_over_entities(tmp_path: Path) -> None:
    write_entities([Entity("a", "A")], tmp_path / "documents" / "w.json", format="zeshel")
    with pytest.raises(InputError, match="the file holds entities already; delete it or write into another"):
        write_entities([Entity("b", "B")], tmp_path / "documents" / "w.json", format="zeshel")
    assert [entity.id for entity in read_entities(tmp_path / "documents" / "w.json")] == ["a"]


def test_mentions_need_a_folder_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"stand in a file like X/mentions/NAME.json"):
        write_documents([], tmp_path / "x.json", format="zeshel")


def test_types_by_the_hundred_are_no_worlds(tmp_path: Path) -> None:
    entities = [Entity(f"e{n}", f"E{n}", types=(f"t{n}",)) for n in range(501)]
    with pytest.raises(InputError, match=r"there are 501 first types, .* \(at most 500\)"):
        write_entities(entities, tmp_path / "documents", format="zeshel")
    write_entities(entities, tmp_path / "documents" / "all.json", format="zeshel")
    assert list(read_entities(tmp_path / "documents")) == entities


def test_a_folder_of_mentions_is_no_document_file(mentions_file: Path) -> None:
    with pytest.raises(InputError, match="a folder; give one of the files in its mentions folder"):
        list(read_documents(mentions_file.parent, format="zeshel"))
