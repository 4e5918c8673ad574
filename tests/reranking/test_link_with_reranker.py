"""Linking with and without a second look."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reranking_world import letter_documents, letter_kb

from arborlink.calibration import calibrate
from arborlink.corpus import Corpus
from arborlink.discovery import tune
from arborlink.document import Document, Mention
from arborlink.encoders.weights import WEIGHTS_FILE
from arborlink.entity import Entity
from arborlink.errors import InputError, ModelError
from arborlink.evaluation import evaluate
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.reranking.folder import RERANKER
from arborlink.training.reranker import TrainedReranker
from arborlink.type_labels import type_labels

TEST = letter_documents("x", 30, 5)


def accuracy(linker: Linker, **options: int) -> float:
    result = linker.link(TEST, letter_kb(), threshold=None, **options)  # type: ignore[arg-type]
    found = evaluate(result, TEST, letter_kb())["accuracy"]
    assert found is not None
    return float(found)


def test_a_saved_model_links_better_with_its_reranker(reranked_folder: Path) -> None:
    linker = Linker.load(reranked_folder, device="cpu", cache=False, progress=False)
    assert accuracy(linker) == 1.0
    assert accuracy(linker, rerank=4) == 1.0
    assert accuracy(linker, rerank=0) == accuracy(linker.with_reranker(None)) < 0.7
    assert accuracy(linker, rerank=1) == accuracy(linker, rerank=0)  # nobody changes places


def test_the_result_says_what_was_done(reranked_folder: Path) -> None:
    linker = Linker.load(reranked_folder, device="cpu", cache=False, progress=False)
    looked, plain = (linker.link(TEST, letter_kb(), rerank=rerank).settings for rerank in (None, 0))
    assert (looked["rerank"], plain["rerank"]) == (4, 0)
    assert "rerank" in looked["seconds"]
    assert "rerank" not in plain["seconds"]
    assert looked["model"].startswith(f"{plain['model']}+reranker-")
    assert linker.reranking(2).name != linker.name != linker.with_reranker(None).name
    assert Linker.load(reranked_folder, device="cpu", cache=False, reranker=False).reranker is None


def test_affinities_are_those_of_the_towers_whoever_is_nearest(reranked_folder: Path) -> None:
    linker = Linker.load(reranked_folder, device="cpu", cache=False, progress=False)
    looked = linker.neighbourhood(TEST, letter_kb(), 4, 2)
    plain = linker.with_reranker(None).neighbourhood(TEST, letter_kb(), 4, 2)
    assert np.array_equal(looked.near.affinities, plain.near.affinities)
    assert np.array_equal(np.sort(looked.near.items), np.sort(plain.near.items))
    assert not np.array_equal(looked.near.items, plain.near.items)
    assert np.array_equal(looked.others.items, plain.others.items)
    one = linker.neighbourhood(TEST, letter_kb(), 1, 2)
    assert np.array_equal(one.near.items, looked.near.items[:, :1])
    two = linker.reranking(2).neighbourhood(TEST, letter_kb(), 4, 0)
    assert np.array_equal(two.near.items[:, 2:], plain.near.items[:, 2:])


def test_the_order_is_the_one_of_the_scores(reranked_folder: Path) -> None:
    linker = Linker.load(reranked_folder, device="cpu", cache=False, progress=False)
    assert linker.reranker is not None
    plain = linker.with_reranker(None).neighbourhood(TEST, letter_kb(), 4, 0).near
    scores = linker.reranker.scores(TEST, letter_kb(), plain.items)
    weight = linker.reranker.settings.weight / linker.temperature
    combined = scores + weight * plain.affinities
    expected = np.take_along_axis(plain.items, np.argsort(-combined, axis=1, kind="stable"), axis=1)
    assert np.array_equal(linker.neighbourhood(TEST, letter_kb(), 4, 0).near.items, expected)
    again = linker.reranker.scores(TEST, letter_kb(), plain.items)
    assert np.array_equal(scores, again)


def test_types_leave_some_lists_short(reranked_folder: Path) -> None:
    linker = Linker.load(reranked_folder, device="cpu", cache=False, progress=False)
    labels: Labels = type_labels(TEST, letter_kb())
    near = linker.neighbourhood(TEST, letter_kb(), 4, 0, labels=labels).near
    assert (near.items[:, :2] >= 0).all()
    assert (near.items[:, 2:] == -1).all()
    assert np.isneginf(near.affinities[:, 2:]).all()
    assert accuracy(linker, by_type=True) == 1.0


def test_thresholds_are_tuned_on_the_new_order(reranked_folder: Path) -> None:
    linker = Linker.load(reranked_folder, device="cpu", cache=False, progress=False)
    outside = [
        Document("n", "we 99 no.", (Mention("n.0", 3, 5, (), ("new",)),)),
        Document("o", "so 99 no.", (Mention("o.0", 3, 5, (), ("new",)),)),
    ]
    tuned = tune(linker, Corpus([*TEST, *outside]), letter_kb())
    assert tuned is not None


def test_a_calibration_is_for_the_order_it_was_learnt_with(reranked_folder: Path) -> None:
    linker = Linker.load(reranked_folder, device="cpu", cache=False, progress=False)
    known = letter_documents("k", 60, 7)
    linker.calibration = calibrate(linker, known, letter_kb()).calibration
    assert linker.link(TEST, letter_kb()).settings["calibration"]["applied"]
    assert not linker.link(TEST, letter_kb(), rerank=0).settings["calibration"]["applied"]
    assert not linker.link(TEST, letter_kb(), rerank=2).settings["calibration"]["applied"]
    linker.calibration = calibrate(linker.with_reranker(None), known, letter_kb()).calibration
    assert not linker.link(TEST, letter_kb()).settings["calibration"]["applied"]
    assert linker.link(TEST, letter_kb(), rerank=0).settings["calibration"]["applied"]


def test_what_cannot_be_asked_is_told(reranked_folder: Path, towers_folder: Path) -> None:
    with_it, without = (
        Linker.load(folder, device="cpu", cache=False, progress=False)
        for folder in (reranked_folder, towers_folder)
    )
    with pytest.raises(InputError, match=r"rerank is 8, but the model has no re-ranker.*train-reranker"):
        without.link(TEST, letter_kb(), rerank=8)
    with pytest.raises(InputError, match="rerank is -1; expected how many"):
        with_it.link(TEST, letter_kb(), rerank=-1)
    with pytest.raises(TypeError):
        with_it.link(TEST, letter_kb(), rerank=1.5)  # type: ignore[arg-type]
    assert without.link(TEST, letter_kb(), rerank=0).settings["rerank"] == 0


def test_damage_is_told_and_can_be_gone_around(reranked_folder: Path) -> None:
    (reranked_folder / RERANKER / WEIGHTS_FILE).write_bytes(b"")
    with pytest.raises(ModelError, match="--rerank 0"):
        Linker.load(reranked_folder, device="cpu", cache=False)
    linker = Linker.load(reranked_folder, device="cpu", cache=False, reranker=False)
    assert linker.link(TEST, letter_kb()).settings["rerank"] == 0


def test_odd_texts_are_read(trained: TrainedReranker) -> None:
    odd = ["\ud800", "[START] [END] [TITLE]", "x" * 5000, "名前", "\u200b.", "[SEP] [CLS]"]
    kb = KnowledgeBase(Entity(f"E{number}", name, aliases=(name,)) for number, name in enumerate(odd))
    corpus = Corpus(
        Document(f"d{number}", f"{name} and {name}", (Mention(f"d{number}.0", 0, len(name)),))
        for number, name in enumerate(odd)
    )
    items = np.tile(np.arange(len(odd), dtype=np.int32), (len(odd), 1))
    items[0, 3:] = -1
    scores = trained.reranker.scores(corpus, kb, items)
    assert np.isfinite(scores[items >= 0]).all()
    assert np.isneginf(scores[items < 0]).all()


def test_nothing_to_score_is_no_error(trained: TrainedReranker) -> None:
    items = np.full((30, 2), -1, dtype=np.int32)
    assert np.isneginf(trained.reranker.scores(TEST, letter_kb(), items)).all()


def test_a_batch_does_not_change_a_score(trained: TrainedReranker) -> None:
    items = np.tile(np.arange(4, dtype=np.int32), (30, 1))
    together = trained.reranker.scores(TEST, letter_kb(), items)
    first = Corpus(list(TEST)[:1])
    alone = trained.reranker.scores(first, letter_kb(), items[:1])
    assert np.allclose(together[:1], alone, atol=1e-5)
