"""Data that is odd, data nothing can be learned from, and losses that are no numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from training_world import (
    dev_documents,
    documents,
    labelled,
    run,
    settings,
    small_kb,
    train_documents,
)

from arborlink.corpus import Corpus
from arborlink.encoders import load_encoder
from arborlink.entity import Entity
from arborlink.errors import InputError, TrainingError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.training import TrainingReport, train
from arborlink.training.objectives.joint import Joint
from arborlink.training.trainer import ArborTrainer

# Two names of one entity that the knowledge base lacks, which have no letter in common.
OUTSIDE = labelled(*[(surface, ("new",)) for surface in ("zzyxzy", "hpchph") for _ in range(4)])
OBJECTIVES = ["in-batch", "knn", "arborescence", "joint"]


def learn(
    base: Path,
    output: Path,
    learnt: Corpus,
    dev: Corpus | None = None,
    kb: KnowledgeBase | None = None,
    **sections: Any,
) -> TrainingReport:
    return train(kb or small_kb(), learnt, dev, output, settings(base, **sections), device="cpu")


def affinity(model: Path) -> float:
    """Of the two names outside the knowledge base."""
    vectors = load_encoder(model, device="cpu").encode_mentions(OUTSIDE).vectors
    assert len(vectors) == 2
    return float(vectors[0] @ vectors[1])


def test_mentions_outside_the_knowledge_base_are_counted_and_come_nearer(
    tiny_model: Path, tmp_path: Path
) -> None:
    both = Corpus([*train_documents(), *OUTSIDE])
    report = learn(tiny_model, tmp_path / "joint", both, trainer={"epochs": 10})
    assert (report.examples["linkable"], report.examples["outside_kb"]) == (60, 8)
    assert report.examples["mentions"] == 68
    without = learn(tiny_model, tmp_path / "without", train_documents(), trainer={"epochs": 10})
    assert without.examples["outside_kb"] == 0
    # how far the two names are from each other
    assert 1 - affinity(tmp_path / "joint") < 0.5 * (1 - affinity(tmp_path / "without"))
    assert "8 mentions of entities outside" in (tmp_path / "joint" / "README.md").read_text()


@pytest.mark.parametrize("objective", ["in-batch", "knn"])
def test_objectives_of_entities_alone_leave_them_out(
    tiny_model: Path, tmp_path: Path, objective: str
) -> None:
    both = Corpus([*train_documents(), *OUTSIDE])
    sections: dict[str, Any] = {"objective": {"name": objective}, "trainer": {"batch_size": 60}}
    report = learn(tiny_model, tmp_path / "model", both, **sections)
    assert report.examples["outside_kb"] == 8
    assert [epoch.n_steps for epoch in report.epochs] == [1, 1]


def test_what_dev_cannot_link_chooses_a_threshold(tiny_model: Path, tmp_path: Path) -> None:
    dev = Corpus([*dev_documents(), *OUTSIDE])
    report = learn(tiny_model, tmp_path / "model", train_documents(), dev)
    assert report.dev == {"mentions": 28, "linkable": 20, "outside_kb": 8}
    assert report.inference.threshold is not None
    linker = Linker.load(tmp_path / "model", device="cpu", cache=False)
    assert linker.defaults == report.inference
    assert len(linker.link(dev, small_kb())) == 28


def odd_data() -> dict[str, tuple[Corpus, KnowledgeBase]]:
    kb = small_kb()
    one_each = labelled(*[(kb[f"Q{number}"].name, (f"Q{number}",)) for number in range(12)])
    twice = Corpus([*documents("t", 10, 1), *documents("u", 10, 1)])
    alike = KnowledgeBase([*kb, Entity("Q0-again", kb["Q0"].name, kb["Q0"].aliases, kb["Q0"].description)])
    mixed = labelled(("ada", ("Q1",)), ("bob", ("Q2", "Q3")), ("cid", ()), ("dot", None), ("eve", ("Q1",)))
    return {
        "each entity with one mention": (one_each, kb),
        "no descriptions": (train_documents(), small_kb(description=False)),
        "the same text twice": (twice, kb),
        "two entities with the same text": (train_documents(), alike),
        "one single mention": (labelled(("ada", ("Q1",))), kb),
        "one single entity": (labelled(("ada", ("Q1",)), ("eve", ("Q1",))), KnowledgeBase([kb["Q1"]])),
        "labels of every kind": (mixed, kb),
    }


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("data", odd_data())
def test_odd_data_is_learned_from(tiny_model: Path, tmp_path: Path, data: str, objective: str) -> None:
    learnt, kb = odd_data()[data]
    report = learn(tiny_model, tmp_path / "model", learnt, learnt, kb, objective={"name": objective})
    assert len(report.epochs) == 2
    assert all(math.isfinite(epoch.loss) for epoch in report.epochs)
    linked = Linker.load(tmp_path / "model", device="cpu", cache=False).link(learnt, kb)
    assert len(linked) == learnt.n_mentions


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_more_is_asked_for_than_there_is(tiny_model: Path, tmp_path: Path, objective: str) -> None:
    report = run(
        tiny_model,
        tmp_path / "model",
        objective={"name": objective, "entity_negatives": 500, "mention_negatives": 500},
        trainer={"batch_size": 5000, "block_size": 5000},
        dev={"neighbours": [1, 500], "recall_at": 500},
    )
    assert [epoch.n_steps for epoch in report.epochs] == [1, 1]
    assert report.best.dev["recall@500"] == 1
    assert all(math.isfinite(epoch.loss) for epoch in report.epochs)


def test_labels_of_every_kind_are_counted(tiny_model: Path, tmp_path: Path) -> None:
    learnt, kb = odd_data()["labels of every kind"]
    assert learn(tiny_model, tmp_path / "model", learnt, kb=kb).examples == {
        "mentions": 5,
        "linkable": 2,
        "outside_kb": 0,
        "composite": 1,
        "nil_of_unknown_cluster": 1,
        "unlabelled": 1,
        "entities_with_mentions": 1,
    }


REFUSED = {
    "no mentions": (
        Corpus([]),
        "the training documents have no mentions: mark the spans and name their entities",
    ),
    "no labels": (
        labelled(("ada", None), ("bob", None)),
        "none of the 2 mentions of the training documents names one gold entity (2 unlabelled, 0 NIL, 0 composite); "
        "training needs labelled mentions",
    ),
    "only NIL": (
        labelled(("ada", ()), ("bob", ())),
        "none of the 2 mentions of the training documents names one gold entity (0 unlabelled, 2 NIL, 0 composite); "
        "training needs labelled mentions",
    ),
    "another knowledge base": (
        labelled(("ada", ("C1",)), ("bob", ("C2",))),
        "none of the 2 gold entities of the training documents is in the knowledge base (gold ids such as 'C1', "
        "entity ids such as 'Q0'); give the knowledge base they were labelled with",
    ),
}


@pytest.mark.parametrize("data", REFUSED)
def test_what_nothing_can_be_learned_from_is_refused(tiny_model: Path, tmp_path: Path, data: str) -> None:
    learnt, message = REFUSED[data]
    with pytest.raises(InputError) as refused:
        learn(tiny_model, tmp_path / "model", learnt)
    assert str(refused.value) == message
    assert not (tmp_path / "model").exists()


def test_dev_without_overlap_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        learn(tiny_model, tmp_path / "model", train_documents(), OUTSIDE)
    assert str(refused.value) == (
        "none of the 8 mentions of the dev documents has its gold entity in the knowledge base: there is nothing to "
        "choose a model by; give other documents, or leave out dev"
    )
    assert not (tmp_path / "model").exists()


def test_other_arguments_are_refused_before_any_work(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"trainer\.patience needs dev documents to tell which epochs are better"
    ):
        run(tiny_model, tmp_path / "model", with_dev=False, trainer={"patience": 1})
    with pytest.raises(InputError, match="device 'tpu' is not known; choose one of auto, cpu, cuda, mps"):
        train(small_kb(), train_documents(), None, tmp_path / "model", settings(tiny_model), device="tpu")
    assert not (tmp_path / "model").exists()


def assert_last_good(error: TrainingError, folder: Path, number: int) -> None:
    good = folder / "unfinished" / f"checkpoint-{number}"
    assert f"the last good checkpoint is {good}; train again with a lower trainer.learning_rate" in str(error)
    kept = load_file(good / "model.safetensors")
    assert all(bool(value.isfinite().all()) for value in kept.values())
    assert (good / "course.json").is_file()
    assert not (folder / "arborlink.json").exists()
    assert all((path / "course.json").is_file() for path in (folder / "unfinished").glob("checkpoint-*"))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_is_no_number_ends_it(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: float
) -> None:
    calls = iter(range(1, 100))
    loss = Joint.__call__
    monkeypatch.setattr(
        Joint, "__call__", lambda own, scores: loss(own, scores) * (bad if next(calls) == 8 else 1.0)
    )
    with pytest.raises(TrainingError) as ended:
        run(tiny_model, tmp_path / "model", trainer={"epochs": 4, "checkpoint_steps": 3})
    assert str(ended.value).startswith(
        "the loss was not a finite number between step 7 and step 8 (epoch 2); "
    )
    assert_last_good(ended.value, tmp_path / "model", 6)


def test_a_loss_that_is_no_number_is_seen_before_mining(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(1, 100))
    loss = Joint.__call__
    monkeypatch.setattr(
        Joint, "__call__", lambda own, scores: loss(own, scores) * (math.nan if next(calls) == 5 else 1.0)
    )
    with pytest.raises(TrainingError, match="between step 5 and step 6"):
        run(tiny_model, tmp_path / "model", objective={"mine_every": 2})


def test_without_a_checkpoint_it_says_so(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = Joint.__call__
    monkeypatch.setattr(Joint, "__call__", lambda own, scores: loss(own, scores) * math.nan)
    with pytest.raises(
        TrainingError, match=r"between step 1 and step 4 .*; no checkpoint was written yet; train again"
    ):
        run(tiny_model, tmp_path / "model")


def test_infinite_weights_never_reach_a_checkpoint(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(1, 100))
    step = ArborTrainer.training_step

    def spoil(trainer: ArborTrainer, *arguments: Any, **options: Any) -> torch.Tensor:
        loss = step(trainer, *arguments, **options)
        if next(calls) == 5:  # the row of a token that no text has: the loss stays what it is
            network: Any = trainer.towers.mention_tower[0].auto_model
            with torch.no_grad():
                network.get_input_embeddings().weight[4] = math.inf
        return loss

    monkeypatch.setattr(ArborTrainer, "training_step", spoil)
    with pytest.raises(TrainingError) as ended:
        run(tiny_model, tmp_path / "model", trainer={"epochs": 4, "checkpoint_steps": 3})
    assert str(ended.value).startswith("weights are no finite numbers any more after step 6; ")
    assert_last_good(ended.value, tmp_path / "model", 4)
