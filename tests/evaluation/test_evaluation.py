"""The figures of a whole evaluation, each against a value worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.evaluation import Candidates, Evaluation, Predictions, evaluate
from arborlink.knowledge_base import KnowledgeBase

WriteLines = Callable[..., Path]


@pytest.fixture
def predictions() -> Predictions:
    """d1.0 right, d1.1 wrong, d1.2 right by one of its ids, NEW found and together, d2.0 without a link."""
    return Predictions(
        entity=np.array([0, 0, 2, -1, -1, -1, 3, 1]),
        cluster=np.array([0, 0, 1, 2, -1, 2, 3, 4]),
        predicted=np.array([True, True, True, True, False, True, True, True]),
    )


def train_of(*ids: str) -> Corpus:
    mentions = tuple(Mention(f"t.{n}", n, n + 1, entities=(id_,)) for n, id_ in enumerate(ids))
    return Corpus([Document("t", "x" * len(ids), mentions)])


def test_linking(corpus: Corpus, kb: KnowledgeBase, predictions: Predictions) -> None:
    found = evaluate(predictions, corpus, kb, train=train_of("E9", "E1")).to_dict()
    assert found["accuracy"] == 0.5
    assert (found["n_seen"], found["n_unseen"]) == (2, 2)
    assert (found["accuracy_seen"], found["accuracy_unseen"]) == (0.5, 0.5)
    assert found["accuracy_with_nil"] == pytest.approx(4 / 7)
    assert found["accuracy_type_Drug"] == pytest.approx(1 / 3)
    assert found["n_type_Drug"] == 3
    assert (found["accuracy_type_Disease"], found["n_type_Disease"]) == (1.0, 1)
    assert (found["accuracy_type_Odd"], found["n_type_Odd"]) == (None, 0)


def test_counts(corpus: Corpus, kb: KnowledgeBase, predictions: Predictions) -> None:
    found = evaluate(predictions, corpus, kb).to_dict()
    counted = {key: found[key] for key in found if key in COUNTS}
    assert counted == COUNTS


COUNTS = {
    "n_mentions": 8,
    "n_linkable": 4,
    "n_outside_kb": 2,
    "n_nil_unknown": 1,
    "n_unlabelled": 1,
    "n_composite": 1,
    "n_without_prediction": 1,
    "n_retired_replaced": 0,
    "n_mentions_clustered": 6,
    "n_nil_gold": 3,
    "n_nil_predicted": 2,
    "n_clusters_discovered": 1,
}


def test_discovery(corpus: Corpus, kb: KnowledgeBase, predictions: Predictions) -> None:
    found = evaluate(predictions, corpus, kb)
    assert (found["nil_precision"], found["nil_f1"]) == (1.0, 0.8)
    assert found["nil_recall"] == pytest.approx(2 / 3)
    # gold {d1.0 d2.0} {d1.1} {d1.2} {d1.3 d2.1}; predicted {d1.0 d1.1} {d1.2} {d1.3 d2.1} {d2.0}
    assert found["b3_precision"] == pytest.approx((0.5 + 0.5 + 1 + 1 + 1 + 1) / 6)
    assert found["b3_recall"] == pytest.approx((0.5 + 0.5 + 1 + 1 + 1 + 1) / 6)
    assert found["b3_f1"] == pytest.approx(5 / 6)
    # pairs: 1 shared of 2 gold and 2 predicted among 15
    assert found["ari"] == pytest.approx((1 - 4 / 15) / (2 - 4 / 15))
    entropy = -(2 * (1 / 3) * np.log(1 / 3) + 2 * (1 / 6) * np.log(1 / 6))
    joint = -(1 / 3 * np.log(1 / 3) + 4 * (1 / 6) * np.log(1 / 6))
    assert found["nmi"] == pytest.approx((2 * entropy - joint) / entropy)
    assert found["nmi_ari_mean"] == pytest.approx(((found["nmi"] or 0) + (found["ari"] or 0)) / 2)
    assert [found[f"nil_{key}"] for key in ("nmi", "ari", "b3_precision", "b3_recall", "b3_f1")] == [1.0] * 5
    assert (found["n_clusters_gold"], found["n_clusters_predicted"]) == (4, 4)
    assert (found["n_nil_clusters_gold"], found["n_nil_clusters_predicted"]) == (1, 1)


def test_recall_comes_with_candidates(corpus: Corpus, kb: KnowledgeBase, predictions: Predictions) -> None:
    found = evaluate(predictions, corpus, kb, candidates=Candidates.from_lists([[0, 1]] * 8))
    assert (found["recall_at_1"], found["recall_at_2"], found["recall_at_4"]) == (0.5, 0.75, None)
    assert "recall over linkable mentions" in found.protocol


def test_the_interval_is_seeded_and_can_be_left_out(
    corpus: Corpus, kb: KnowledgeBase, predictions: Predictions
) -> None:
    first, again = (evaluate(predictions, corpus, kb, bootstrap=50, seed=3) for _ in range(2))
    assert first == again
    # d1 has 2 of 3 right, d2 none of 1
    assert first["accuracy_ci_low"] == 0.0
    assert first["accuracy_ci_high"] == pytest.approx(2 / 3)
    without = evaluate(predictions, corpus, kb, bootstrap=0)
    assert without["accuracy_ci_low"] is None
    assert without.reasons["accuracy_ci_low"] == "no bootstrap was asked for"


def test_the_id_map_reaches_gold_and_train_and_the_protocol(
    corpus: Corpus, kb: KnowledgeBase, predictions: Predictions
) -> None:
    id_map = {"NEW": "E3", "OLD": "E0"}
    found = evaluate(predictions, corpus, kb, train=train_of("OLD"), id_map=id_map)
    assert (found["n_outside_kb"], found["n_linkable"], found["n_retired_replaced"]) == (0, 6, 2)
    assert found["n_seen"] == 2
    assert "replaced (ids in the map: 2, mentions changed: 2)" in found.protocol
    assert "gold ids as given" in evaluate(predictions, corpus, kb).protocol


def test_what_cannot_be_computed_is_null_with_a_reason(kb: KnowledgeBase) -> None:
    corpus = Corpus([Document("d", "aa", (Mention("d.0", 0, 2),))])
    predictions = Predictions(np.array([1]), np.array([0]), np.array([True]))
    found = evaluate(predictions, corpus, kb, train=train_of("E0"))
    for key in ("accuracy", "accuracy_seen", "accuracy_with_nil", "recall_at_64", "nmi", "b3_f1", "nil_nmi"):
        assert found[key] is None
        assert found.reasons[key]
    assert (found["nil_precision"], found["nil_recall"], found["nil_f1"]) == (None, None, None)
    assert found["n_unlabelled"] == 1
    assert all(reason for reason in found.reasons.values())


def test_a_corpus_without_mentions_has_no_figures_but_counts(kb: KnowledgeBase) -> None:
    nothing = np.empty(0, np.int64)
    found = evaluate(Predictions(nothing, nothing, np.empty(0, bool)), Corpus([]), kb).to_dict()
    assert found["n_mentions"] == 0
    assert {key for key, value in found.items() if value is None} >= {"accuracy", "nmi", "nil_f1"}


def test_links_and_candidates_may_be_files(
    corpus: Corpus, kb: KnowledgeBase, write_lines: WriteLines
) -> None:
    links = write_lines("links.jsonl", {"mention": "d1.0", "entity": "E0", "cluster": "c"})
    candidates = write_lines("candidates.jsonl", {"mention": "d1.1", "entities": ["E1"]})
    found = evaluate(links, corpus, kb, candidates=candidates)
    assert (found["accuracy"], found["recall_at_1"], found["n_without_candidates"]) == (0.25, 0.25, 3)


def test_arrays_for_other_documents_are_refused(
    corpus: Corpus, kb: KnowledgeBase, predictions: Predictions
) -> None:
    short = Predictions(predictions.entity[:2], predictions.cluster[:2], predictions.predicted[:2])
    with pytest.raises(InputError, match=r"predictions are for 2 mentions.* have 8"):
        evaluate(short, corpus, kb)
    with pytest.raises(InputError, match="candidates are for 1 mentions"):
        evaluate(predictions, corpus, kb, candidates=Candidates.from_lists([[0]]))
    beyond = Predictions(np.full(8, 4), predictions.cluster, predictions.predicted)
    with pytest.raises(InputError, match=r"entity number 4.* has 4 entities"):
        evaluate(beyond, corpus, kb)


def test_the_dictionary_is_flat_and_starts_with_the_protocol(
    corpus: Corpus, kb: KnowledgeBase, predictions: Predictions
) -> None:
    found = evaluate(predictions, corpus, kb)
    flat = found.to_dict()
    assert next(iter(flat)) == "protocol"
    assert len(flat) == len(found.figures) + 1
    assert all(value is None or type(value) in (int, float, str) for value in flat.values())
    assert json.loads(json.dumps(flat, allow_nan=False)) == flat
    assert found[Evaluation.primary] == flat["accuracy"]
    with pytest.raises(KeyError):
        found["no such figure"]


@given(st.lists(st.sampled_from([None, (), ("E0",), ("E1",), ("X",), ("X", "Y"), ("E1", "X")]), max_size=12))
def test_gold_given_as_the_prediction_is_perfect(labels: list[tuple[str, ...] | None]) -> None:
    kb = KnowledgeBase([Entity("E0", "a"), Entity("E1", "b")])
    mentions = tuple(Mention(f"m{n}", n, n + 1, entities=label) for n, label in enumerate(labels))
    names = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    entity = [next((kb.index[id_] for id_ in label or () if id_ in kb), -1) for label in labels]
    predictions = Predictions(
        np.array(entity, np.int64),
        np.array([names[label] for label in labels], np.int64),
        np.ones(len(labels), bool),
    )
    found = evaluate(predictions, Corpus([Document("d", "x" * 12, mentions)]), kb).to_dict()
    scores = (
        "accuracy",
        "accuracy_with_nil",
        "nmi",
        "ari",
        "b3_f1",
        "nil_nmi",
        "nil_b3_f1",
        "nil_recall",
        "nil_f1",
    )
    assert all(found[key] is None or found[key] == pytest.approx(1.0) for key in scores)
    kinds = ("n_linkable", "n_outside_kb", "n_nil_unknown", "n_unlabelled")
    assert sum(int(found[kind] or 0) for kind in kinds) == found["n_mentions"] == len(labels)
