"""A result brings its candidates into the evaluation, in memory as from its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arborlink.corpus import Corpus
from arborlink.errors import InputError, ResultError
from arborlink.evaluation import evaluate
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result import Candidate, Link, Result


def result_of(corpus: Corpus, settings: dict[str, Any], entities: str = "E0 E1") -> Result:
    """Every mention outside the knowledge base, each with the same candidates."""
    links = [
        Link(
            document.id,
            mention.id,
            mention.start,
            mention.end,
            document.text_of(mention),
            None,
            None,
            number,
            None,
            None,
            None,
            None,
        )
        for number, (document, mention) in enumerate(corpus.mentions)
    ]
    kept = tuple(Candidate(entity, f"name of {entity}", 0.5) for entity in entities.split())
    return Result(links, settings, {link.mention: kept for link in links})


def test_every_way_to_give_a_result_gives_the_same_recall(
    corpus: Corpus, kb: KnowledgeBase, tmp_path: Path
) -> None:
    result = result_of(corpus, {"candidates": 64})
    result.write(tmp_path / "result")
    found = evaluate(result, corpus, kb)
    assert (found["recall_at_1"], found["recall_at_2"], found["recall_at_64"]) == (0.5, 0.75, 0.75)
    again = Result.read(tmp_path / "result")
    for links, candidates in (
        (result, result.candidates),
        (again, None),
        (str(tmp_path / "result"), None),
        (tmp_path / "result", tmp_path / "result" / "candidates.jsonl"),
    ):
        assert evaluate(links, corpus, kb, candidates=candidates).to_dict() == found.to_dict()


def test_beyond_the_number_asked_for_there_is_no_recall(corpus: Corpus, kb: KnowledgeBase) -> None:
    found = evaluate(result_of(corpus, {"candidates": 5}), corpus, kb)
    assert (found["recall_at_4"], found["recall_at_5"], found["recall_at_8"]) == (0.75, 0.75, None)
    assert found.reasons["recall_at_8"] == "candidates asked for: 5"


def test_a_bare_file_and_a_result_that_does_not_say_stop_at_the_shortest_list(
    corpus: Corpus, kb: KnowledgeBase, tmp_path: Path
) -> None:
    result = result_of(corpus, {"candidates": 64})
    result.write(tmp_path / "result")
    links, candidates = (tmp_path / "result" / f"{name}.jsonl" for name in ("links", "candidates"))
    for found in (
        evaluate(links, corpus, kb, candidates=candidates),
        evaluate(result_of(corpus, {}), corpus, kb),
    ):
        assert (found["recall_at_2"], found["recall_at_4"]) == (0.75, None)
    assert evaluate(links, corpus, kb)["recall_at_1"] is None


def test_candidates_in_memory_are_checked(corpus: Corpus, kb: KnowledgeBase) -> None:
    with pytest.raises(InputError, match=r"^the candidates of 'd1\.0': entity 'Q' is not in the knowledge"):
        evaluate(result_of(corpus, {}, "Q"), corpus, kb)


def test_a_result_that_was_read_has_its_candidates_and_keeps_them(corpus: Corpus, tmp_path: Path) -> None:
    result = result_of(corpus, {})
    result.write(tmp_path / "one")
    again = Result.read(tmp_path / "one")
    assert again.candidates is not None
    assert again.candidates is again.candidates
    assert list(again.candidates) == [link.mention for link in result]
    assert again.candidates["d1.0"] == (Candidate("E0", None, 0.5), Candidate("E1", None, 0.5))
    again.write(tmp_path / "two")
    one, two = (tmp_path / folder / "candidates.jsonl" for folder in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_candidates_of_another_result_are_not_taken_for_its_own(corpus: Corpus, tmp_path: Path) -> None:
    result_of(corpus, {}).write(tmp_path)
    early = Result.read(tmp_path)
    result_of(corpus, {}, "E3").write(tmp_path)
    with pytest.raises(ResultError, match="holds another result by now; read it again"):
        _ = early.candidates


def test_links_are_found_by_mention_and_come_in_order(corpus: Corpus) -> None:
    result = result_of(corpus, {})
    assert "d1.0" in result
    assert "d9.0" not in result
    assert tuple(result) == result.links
