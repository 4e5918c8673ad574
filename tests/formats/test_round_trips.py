"""What is written and read again is the same, but for what each format is known to lose."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.document import Document, Mention, mention_id
from arborlink.entity import Entity
from arborlink.formats import read_documents, read_entities, write_documents, write_entities

# few letters, so that spans nest, touch and repeat; white space of every kind; characters of one byte to four
ALPHABET = 'ab. \n\r\t\u00a0\u2028\x85|,{"é漢😀'
TEXTS = st.text(ALPHABET, max_size=30)
NAMES = st.text("aB ()é😀\n", min_size=1, max_size=8).filter(str.strip)
IDS = st.text("aB1.|:/ \t", min_size=1, max_size=5)
PLAIN_IDS = st.from_regex(r"[A-Z][0-9]{1,3}", fullmatch=True)
EXTRAS = st.dictionaries(
    st.sampled_from(["x-note", "x-é"]),
    st.one_of(st.none(), st.integers(), TEXTS, st.lists(st.booleans())),
    max_size=2,
)

# writing waits for the disk
unhurried = settings(deadline=None, max_examples=60)


@st.composite
def documents(
    draw: st.DrawFn,
    ids: st.SearchStrategy[str],
    types: st.SearchStrategy[str],
    labels: st.SearchStrategy[str],
) -> list[Document]:
    result = []
    for document_id in draw(st.lists(ids, unique=True, max_size=4)):
        text = draw(TEXTS)
        offsets = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
        spans = draw(st.lists(offsets, max_size=6))
        mentions = tuple(
            Mention(
                mention_id(document_id, position),
                start,
                end,
                tuple(draw(st.lists(types, max_size=2))),
                draw(st.one_of(st.none(), st.lists(labels, max_size=2).map(tuple))),
                draw(EXTRAS),
            )
            for position, (start, end) in enumerate(span for span in spans if text[slice(*span)].strip())
        )
        result.append(Document(document_id, text, mentions, draw(EXTRAS)))
    return result


def entities() -> st.SearchStrategy[list[Entity]]:
    names = st.lists(NAMES, max_size=3).map(tuple)
    types = st.lists(NAMES, max_size=2).map(tuple)
    entity = st.builds(
        Entity, id=IDS, name=NAMES, aliases=names, description=TEXTS, types=types, extra=EXTRAS
    )
    return st.lists(entity, unique_by=lambda entity: entity.id, min_size=1, max_size=4)


@unhurried
@given(documents(IDS, NAMES, IDS))
def test_jsonl_documents(given_documents: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl.gz"
        write_documents(given_documents, path)
        assert list(read_documents(path)) == given_documents


@unhurried
@given(entities())
def test_jsonl_entities(given_entities: list[Entity]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        write_entities(given_entities, path)
        assert list(read_entities(path)) == given_entities


@unhurried
@given(documents(PLAIN_IDS, st.sampled_from(["T1", "Organ, part"]), PLAIN_IDS))
def test_pubtator(given_documents: list[Document]) -> None:
    """Line ends become blanks, extra fields are lost; text lengths, offsets, types and labels stay."""
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder) / "x.pubtator", Path(folder) / "again.pubtator"
        write_documents(given_documents, path, format="pubtator")
        read = list(read_documents(path))
        write_documents(read, again, format="pubtator")
        assert again.read_bytes() == path.read_bytes()
    assert [(document.id, document.text) for document in read] == [
        (document.id, re.sub(r"[\r\n]", " ", document.text)) for document in given_documents
    ]
    for found, expected in zip(read, given_documents, strict=True):
        assert found.mentions == tuple(
            Mention(m.id, m.start, m.end, m.types, m.entities) for m in expected.mentions
        )


def without_blanks(documents: list[Document]) -> list[object]:
    return [
        (
            document.id,
            document.text.replace(" ", ""),
            [
                (m.id, m.types, m.entities, m.extra, document.text_of(m).replace(" ", ""))
                for m in document.mentions
            ],
        )
        for document in documents
    ]


@unhurried
@given(documents(IDS, NAMES, IDS))
def test_zeshel_documents(given_documents: list[Document]) -> None:
    """Blanks are put in and documents without mentions are not found again; all else stays."""
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder) / "mentions" / "x.json", Path(folder) / "2" / "mentions" / "x.json"
        write_documents(given_documents, path, format="zeshel")
        read = list(read_documents(path))
        write_documents(read, again, format="zeshel")
        assert list(read_documents(again)) == read
    assert without_blanks(read) == without_blanks(
        [document for document in given_documents if document.mentions]
    )
    for found in read:
        expected = next(document for document in given_documents if document.id == found.id)
        assert found.extra == {"title": expected.id, **expected.extra}


@unhurried
@given(entities())
def test_zeshel_entities(given_entities: list[Entity]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, many = Path(folder) / "documents" / "kb.json.gz", Path(folder) / "worlds"
        write_entities(given_entities, one, format="zeshel")
        assert list(read_entities(one)) == given_entities
        write_entities(given_entities, many, format="zeshel")
        assert sorted(read_entities(many), key=lambda entity: entity.id) == sorted(
            given_entities, key=lambda entity: entity.id
        )
