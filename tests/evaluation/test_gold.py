"""Gold labels seen from a knowledge base, and the id map."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.errors import InputError
from arborlink.evaluation import Gold, read_id_map
from arborlink.evaluation.gold import gold_ids
from arborlink.knowledge_base import KnowledgeBase


def test_every_mention_is_of_exactly_one_kind(corpus: Corpus, kb: KnowledgeBase) -> None:
    gold = Gold.of(corpus, kb)
    kinds = np.stack([gold.linkable, gold.outside, gold.nil_unknown, gold.unlabelled]).astype(int)
    np.testing.assert_array_equal(kinds.sum(axis=0), np.ones(8))
    np.testing.assert_array_equal(kinds.sum(axis=1), [4, 2, 1, 1])
    np.testing.assert_array_equal(gold.composite.nonzero()[0], [2])
    np.testing.assert_array_equal(gold.document, [0, 0, 0, 0, 1, 1, 1, 1])


def test_any_id_of_a_composite_is_right(corpus: Corpus, kb: KnowledgeBase) -> None:
    gold = Gold.of(corpus, kb)
    answers = np.array([0, 0, 2, 2, -1])
    mentions = np.array([0, 1, 2, 3, 0])
    np.testing.assert_array_equal(gold.is_right(mentions, answers), [True, False, True, False, False])


def test_no_entity_is_never_mistaken_for_the_last_one_of_the_mention_before(kb: KnowledgeBase) -> None:
    document = Document("d", "a b", (Mention("d.0", 0, 1, entities=("E3",)), Mention("d.1", 2, 3)))
    gold = Gold.of(Corpus([document]), kb)
    np.testing.assert_array_equal(gold.is_right(np.array([1]), np.array([-1])), [False])


def test_equal_sets_of_ids_make_a_gold_cluster(kb: KnowledgeBase) -> None:
    labels = [("E1", "E2"), ("E2", "E1"), ("E1",), (), None, ("E1", "E1")]
    mentions = tuple(Mention(f"m{n}", n, n + 1, entities=label) for n, label in enumerate(labels))
    cluster = Gold.of(Corpus([Document("d", "abcdef", mentions)]), kb).cluster
    assert cluster[0] == cluster[1] >= 0
    assert cluster[2] == cluster[5] not in (-1, cluster[0])
    assert cluster[3] == cluster[4] == -1


def test_the_id_map_replaces_retired_ids_and_counts_the_mentions(corpus: Corpus, kb: KnowledgeBase) -> None:
    gold = Gold.of(corpus, kb, {"NEW": "E3", "E9": "E2", "E2": "E2", "absent": "E0"})
    assert gold.n_replaced == 3
    assert gold.outside.sum() == 0
    assert gold.labels[2] == ("E2",)
    assert not gold.composite.any()
    assert gold_ids(corpus, {"NEW": "E3"}) == {"E0", "E1", "E2", "E3", "E9"}


def test_the_id_map_is_read_from_json(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text('{\n"a": "b",\n"c": "c"}', encoding="utf-8")
    assert read_id_map(path) == {"a": "b", "c": "c"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "found list"),
        ({"a": 3}, "id 'a' maps to 3"),
        ({"a": ""}, "id 'a' maps to ''"),
        ({"a": "b", "b": "c"}, "id 'a' maps to 'b', which the map retires too; map it to 'c'"),
        ({"a": "b", "b": "c", "c": "d"}, "map it to 'd'"),
        ({"a": "b", "b": "a"}, r"the map goes in a circle \(a → b → a\): take out the id that is current"),
        ({"x": "a", "a": "b", "b": "a"}, r"a circle \(a → b → a\)"),
    ],
)
def test_an_id_map_that_cannot_be_used_is_refused(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "map.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_id_map(path)
    assert caught.value.path == path


def test_an_id_map_that_is_not_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text("a: b", encoding="utf-8")
    with pytest.raises(InputError, match="not JSON"):
        read_id_map(path)
