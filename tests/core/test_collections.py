"""A corpus and a knowledge base: order, lookups, duplicates, and the files they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats import Problems
from arborlink.knowledge_base import KnowledgeBase

FIRST = Document("d1", "Ada met Bob.", (Mention("x", 8, 11), Mention("a", 0, 3)))
EMPTY = Document("d2", "Nobody came.")
LAST = Document("d3", "Eve", (Mention("b", 0, 3),))


def test_mentions_are_numbered_in_reading_order() -> None:
    corpus = Corpus(iter([FIRST, EMPTY, LAST]))
    assert [mention.id for _, mention in corpus.mentions] == ["x", "a", "b"]
    assert [document.id for document, _ in corpus.mentions] == ["d1", "d1", "d3"]
    assert corpus.mention_index == {"x": 0, "a": 1, "b": 2}
    assert (len(corpus), corpus.n_mentions) == (3, 3)
    assert list(corpus) == list(corpus.documents) == [FIRST, EMPTY, LAST]
    assert repr(corpus) == "Corpus(3 documents, 3 mentions)"


def test_a_corpus_of_nothing_is_one() -> None:
    assert (len(Corpus([])), Corpus([]).n_mentions) == (0, 0)


def test_an_id_that_stands_twice_is_named() -> None:
    with pytest.raises(InputError, match=r"^document id 'd2' stands twice$"):
        Corpus([FIRST, EMPTY, LAST, EMPTY, FIRST])
    with pytest.raises(InputError, match=r"^mention id 'b' stands twice$"):
        Corpus([FIRST, LAST, Document("d4", "Eve", (Mention("b", 0, 3),))])
    with pytest.raises(InputError, match=r"^entity id 'Q2' stands twice$"):
        KnowledgeBase([Entity("Q1", "a"), Entity("Q2", "b"), Entity("Q2", "c"), Entity("Q1", "d")])


def test_entities_are_found_by_id() -> None:
    ada, bob = Entity("Q1", "Ada"), Entity("Q2", "Bob")
    kb = KnowledgeBase(iter([ada, bob]))
    assert (kb["Q2"], kb.index["Q2"], len(kb)) == (bob, 1, 2)
    assert "Q1" in kb
    assert "Q3" not in kb
    assert ada in kb
    assert Entity("Q3", "Ada") not in kb
    assert list(kb) == list(kb.entities) == [ada, bob]
    assert repr(kb) == "KnowledgeBase(2 entities)"
    with pytest.raises(KeyError, match="Q3"):
        kb["Q3"]


def test_a_knowledge_base_of_nothing_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the knowledge base is empty: it needs at least one entity"):
        KnowledgeBase([])
    path = tmp_path / "kb.jsonl"
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"kb\.jsonl: the knowledge base is empty"):
        KnowledgeBase.read(path)


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_what_is_written_is_read_back(tmp_path: Path, name: str) -> None:
    documents, entities = tmp_path / "documents" / name, tmp_path / "kb" / name
    Corpus([FIRST, EMPTY, LAST]).write(documents)
    KnowledgeBase([Entity("Q1", "Ada", ("A.",), "who", ("Person",), {"born": 1815})]).write(entities)
    assert Corpus.read(documents).documents == (FIRST, EMPTY, LAST)
    assert KnowledgeBase.read(entities).entities == (
        Entity("Q1", "Ada", ("A.",), "who", ("Person",), {"born": 1815}),
    )


def test_other_formats_are_a_word_away(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    Corpus([LAST]).write(path, format="pubtator")
    assert path.read_text(encoding="utf-8").startswith("d3|t|Eve\n")
    assert Corpus.read(path, format="pubtator").documents[0].text == "Eve"
    with pytest.raises(InputError, match="unknown format 'csv'"):
        Corpus.read(path, format="csv")


def test_problems_are_counted_where_they_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "kb.jsonl"
    path.write_text('{"id": "Q1", "name": ""}\n{"id": "Q2", "name": "Bob"}\n', encoding="utf-8")
    problems = Problems(skip=True)
    assert [entity.id for entity in KnowledgeBase.read(path, problems=problems)] == ["Q2"]
    assert problems.n_skipped == 1
    with pytest.raises(InputError, match=r"kb\.jsonl:1: entity 'Q1' has no name"):
        KnowledgeBase.read(path)
