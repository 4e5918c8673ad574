"""Candidate lists: ranks of the right entity, and no recall the lists are too short for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.evaluation import Candidates, Gold
from arborlink.evaluation.metrics import NOT_FOUND
from arborlink.evaluation.retrieval import CUT_OFFS, retrieval_figures
from arborlink.formats.problems import Problems
from arborlink.knowledge_base import KnowledgeBase

WriteLines = Callable[..., Path]

LISTS = [[0, 1], [0, 2, 1], [3, 2, 0], [1], [], [0], [0], [0]]


def test_ranks_are_those_of_the_first_right_candidate(corpus: Corpus, kb: KnowledgeBase) -> None:
    ranks = Candidates.from_lists(LISTS).ranks(Gold.of(corpus, kb))
    np.testing.assert_array_equal(ranks[:4], [0, 2, 1, NOT_FOUND])
    assert (ranks[4:] == NOT_FOUND).all()


def test_recall_stops_at_the_shortest_list_of_a_linkable_mention(corpus: Corpus, kb: KnowledgeBase) -> None:
    figures = {
        figure.key: figure for figure in retrieval_figures(Gold.of(corpus, kb), Candidates.from_lists(LISTS))
    }
    assert figures["recall_at_1"].value == 0.25
    assert figures["recall_at_2"].value == 0.5
    assert figures["recall_at_4"].value is None
    assert figures["recall_at_64"].value is None
    assert figures["recall_at_64"].note == "the shortest candidate list has 2 entities"
    assert figures["n_without_candidates"].value == 1


def test_a_depth_between_the_cut_offs_is_a_cut_off(corpus: Corpus, kb: KnowledgeBase) -> None:
    gold = Gold.of(corpus, kb)
    figures = {f.key: f.value for f in retrieval_figures(gold, Candidates.from_lists([[3, 1, 0]] * 8))}
    assert figures["recall_at_3"] == 0.75
    assert figures["recall_at_2"] == 0.25
    assert figures["recall_at_4"] is None


@pytest.mark.parametrize("lists", [None, [[]] * 8])
def test_without_candidates_no_recall(
    corpus: Corpus, kb: KnowledgeBase, lists: list[list[int]] | None
) -> None:
    candidates = None if lists is None else Candidates.from_lists(lists)
    figures = {f.key: f for f in retrieval_figures(Gold.of(corpus, kb), candidates)}
    assert [figures[f"recall_at_{k}"].value for k in CUT_OFFS] == [None] * len(CUT_OFFS)
    assert "candidates" in figures["recall_at_1"].note
    assert figures["n_without_candidates"].value == (None if lists is None else 4)


def test_candidates_are_read_in_the_order_of_the_mentions(
    corpus: Corpus, kb: KnowledgeBase, write_lines: WriteLines
) -> None:
    path = write_lines(
        "candidates.jsonl",
        {"mention": "d1.1", "entities": ["E2", "E0"], "affinities": [0.5, 0.5]},
        {"mention": "d1.0", "entities": ["E3"]},
    )
    candidates = Candidates.read(path, corpus, kb)
    np.testing.assert_array_equal(candidates.entity, [3, 2, 0])
    np.testing.assert_array_equal(candidates.n_each, [1, 2, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"mention": "dX", "entities": []}, "mention 'dX' is not in the gold documents"),
        ({"mention": "d1.1", "entities": []}, "has candidates on line 1 already"),
        ({"mention": "d1.0", "entities": "E1"}, "\"entities\" is the string 'E1'; expected a list"),
        ({"mention": "d1.0", "entities": ["Q"]}, "entity 'Q' is not in the knowledge base"),
        ({"mention": "d1.0", "entities": [None]}, '"entities" is null'),
        ({"mention": "d1.0", "entities": ["E1", "E0", "E1"]}, "entity 'E1' stands twice"),
        ({"mention": "d1.0", "entities": ["E1"], "affinities": []}, "one number for each of the 1"),
        ({"mention": "d1.0", "entities": ["E1"], "affinities": ["x"]}, "not a number"),
        (
            {"mention": "d1.0", "entities": ["E1", "E0"], "affinities": [1, 2]},
            "rise from 1 to 2 at candidate 2",
        ),
    ],
)
def test_a_list_that_cannot_be_used_is_named_by_file_and_line(
    corpus: Corpus, kb: KnowledgeBase, write_lines: WriteLines, bad: object, message: str
) -> None:
    path = write_lines("candidates.jsonl", {"mention": "d1.1", "entities": ["E0"]}, bad)
    with pytest.raises(InputError, match=message) as caught:
        Candidates.read(path, corpus, kb)
    assert (caught.value.path, caught.value.line) == (path, 2)
    problems = Problems(skip=True)
    assert Candidates.read(path, corpus, kb, problems).n_each.sum() == 1
    assert problems.n_skipped == 1
