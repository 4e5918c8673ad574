"""A calibration learnt on some documents says the truth about others."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from calibration_world import DrawnWorld, drawn_world
from numpy.typing import NDArray

from arborlink.calibration.crossfit import document_folds, held_out_probabilities
from arborlink.calibration.report import Trial
from arborlink.confidence import AnswerCurve, Calibration
from arborlink.corpus import Corpus
from arborlink.encoders.model_folder import Inference
from arborlink.errors import InputError
from arborlink.evaluation import metrics
from arborlink.neighbourhood import Neighbourhood
from arborlink.search import Neighbours

WAYS = [Inference("directed", 1), Inference("minimax", 2, 0.35), Inference("undirected", 1, 0.5)]


@pytest.mark.parametrize("inference", WAYS, ids=str)
def test_probabilities_hold_on_other_documents(inference: Inference) -> None:
    made = drawn_world(1).calibrated(inference, target_error=0.1)
    other = drawn_world(2)
    parts = other.parts(inference)
    said = made.calibration.apply(other.hood.near, parts)
    was = other.outcome(parts)
    assert ((said.probability >= 0) & (said.probability <= 1)).all()
    assert metrics.expected_calibration_error(said.probability, was) < 0.06
    assert metrics.brier_score(said.probability, was) < was.mean() * (1 - was.mean()) * 0.9
    answered = said.answer == "linked"
    assert answered.mean() > 0.15
    assert was[answered].mean() > 0.87
    assert set(said.answer[parts.entity < 0]) <= {"new", "unsure"}
    assert set(said.answer[parts.entity >= 0]) <= {"linked", "unsure"}


def test_what_is_told_of_held_out_documents_is_near_to_what_other_documents_show() -> None:
    made = drawn_world(1).calibrated(WAYS[0])
    assert made.links is not None
    other = drawn_world(2)
    said = made.calibration.apply(other.hood.near, other.parts(WAYS[0]))
    shown = metrics.brier_score(said.probability, other.outcome(other.parts(WAYS[0])))
    assert made.links.figures()["brier_score"] == pytest.approx(shown, abs=0.02)
    told = made.to_json()
    assert told["new"] is None
    assert sum(each["count"] for each in told["links"]["bins"]) == told["links"]["n"] == 1200
    shares = [each["share_answered"] for each in told["links"]["answered"]]
    assert shares == sorted(shares)
    assert 0.05 in [each["target_error"] for each in told["links"]["answered"]]


def test_a_lower_target_answers_less() -> None:
    world = drawn_world(1)
    calibration = world.calibrated(WAYS[1]).calibration
    parts = world.parts(WAYS[1])
    answered = [
        calibration.apply(world.hood.near, parts, target).answer != "unsure"
        for target in (0.02, 0.1, 0.3, 0.8)
    ]
    for fewer, more in pairwise(answered):
        assert (fewer <= more).all()
    said = calibration.apply(world.hood.near, parts).probability
    assert answered[0].sum() < answered[-1].sum() == (said >= 0.5).sum() < len(parts.entity)


def test_the_order_of_documents_does_not_matter() -> None:
    world = drawn_world(3, n_documents=30)
    documents = world.corpus.documents
    order = np.random.default_rng(0).permutation(len(documents))
    mentions = (order[:, None] * 15 + np.arange(15)).ravel()
    moved = DrawnWorld(Corpus(documents[number] for number in order), world.kb, _moved(world.hood, mentions))
    inference = Inference("minimax", 2, 0.4)
    said = world.calibrated(inference).calibration.apply(world.hood.near, world.parts(inference))
    again = moved.calibrated(inference).calibration.apply(moved.hood.near, moved.parts(inference))
    np.testing.assert_allclose(again.probability, said.probability[mentions], atol=2e-6)
    assert (again.answer == said.answer[mentions]).mean() > 0.99


def _moved(hood: Neighbourhood, order: NDArray[np.int64]) -> Neighbourhood:
    place = np.argsort(order).astype(np.int32)
    return Neighbourhood(
        Neighbours(hood.near.items[order], hood.near.affinities[order]),
        Neighbours(place[hood.others.items[order]], hood.others.affinities[order]),
        hood.n_entities,
    )


def test_folds_part_documents_evenly_whatever_their_order() -> None:
    ids = [f"document {number}" for number in range(53)]
    folds = document_folds(ids)
    assert sorted(np.bincount(folds).tolist()) == [10, 10, 11, 11, 11]
    assert document_folds(ids[::-1]).tolist() == folds[::-1].tolist()


def test_a_mention_is_judged_without_its_document() -> None:
    rng = np.random.default_rng(0)
    features, outcome = rng.normal(size=(300, 1)), (rng.random(300) < 0.5).astype(float)
    fold = np.arange(300) % 5
    held = fold == 2
    before = held_out_probabilities(features, outcome, fold, ("x",))
    after = held_out_probabilities(features, np.where(held, 1 - outcome, outcome), fold, ("x",))
    np.testing.assert_array_equal(before[held], after[held])
    assert (before[~held] != after[~held]).any()


def test_too_little_to_learn_from_gives_the_share_of_all() -> None:
    features = np.random.default_rng(0).normal(size=(12, 2))
    outcome = np.array([1.0] * 8 + [0.0] * 4)
    fold = np.arange(12) % 2
    found = held_out_probabilities(features, outcome, fold, ("x", "y"))
    assert found.tolist() == pytest.approx([round(5 / 8, 6)] * 12)
    alone = held_out_probabilities(features[:3], outcome[:3], np.zeros(3, np.int64), ("x", "y"))
    assert alone.tolist() == [0.8] * 3


def test_nothing_is_said_of_new_entities_where_none_was_missing() -> None:
    world = drawn_world(4, missing=0.0)
    made = world.calibrated(Inference("directed", 1, 0.5))
    assert (made.new, made.calibration.new) == (None, None)
    assert made.calibration.about["n_outside_kb"] == 0
    parts = world.parts(Inference("directed", 1, 0.5))
    said = made.calibration.apply(world.hood.near, parts)
    left = parts.entity < 0
    assert left.any()
    assert np.isnan(said.probability[left]).all()
    assert set(said.answer[left]) == {"unsure"}


def test_nineteen_right_answers_are_needed_for_five_percent() -> None:
    for n, least in ((18, None), (19, 0.9)):
        curve = AnswerCurve.of([0.9] * n, [1] * n)
        assert curve.least_probability(0.05) == least


def test_the_least_probability_is_that_of_the_literal_search() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        said = np.round(rng.random(60), 1)
        was = rng.random(60) < said
        curve = AnswerCurve.of(said, was)
        assert (np.diff(curve.probability) < 0).all()
        assert (np.diff(curve.error) > 0).all()
        for target in (0.05, 0.2, 0.4, 0.7):
            kept = [
                cut
                for cut in np.unique(said)
                if (np.sum(~was[said >= cut]) + 1) / (np.sum(said >= cut) + 1) <= target
            ]
            assert curve.least_probability(target) == (max(min(kept), 0.5) if kept else None)


def test_a_trial_without_an_answer_has_no_precision() -> None:
    told = Trial(np.array([0.5, 0.5]), np.array([1.0, 0.0])).answered(0.05)
    assert told == {"target_error": 0.05, "least_probability": None, "share_answered": 0.0, "precision": None}


def test_inputs_that_do_not_fit_are_refused() -> None:
    world = drawn_world(1)
    calibration: Calibration = world.calibrated(WAYS[0]).calibration
    parts = world.parts(WAYS[0])
    near = world.hood.near
    with pytest.raises(InputError, match="entities near 3 mentions and a partition of 1200"):
        calibration.apply(Neighbours(near.items[:3], near.affinities[:3]), parts)
    with pytest.raises(InputError, match="each mention has 1 near entities; a calibration looks at 2"):
        calibration.apply(Neighbours(near.items[:, :1], near.affinities[:, :1]), parts)
    with pytest.raises(InputError, match=r"the target error is 1\.5; expected a share above 0 and below 1"):
        calibration.apply(near, parts, 1.5)
