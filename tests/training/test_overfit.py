"""A small part of the demo world is learned by heart: everything between the data and the weights is connected."""

from __future__ import annotations

from pathlib import Path

import pytest

from arborlink.corpus import Corpus
from arborlink.demo import demo_documents_path, demo_kb_path
from arborlink.evaluation import evaluate
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.training import train
from arborlink.training.config_file import make_config

N_DOCUMENTS = 10


def test_the_embedded_model_learns_the_demo_by_heart(tmp_path: Path) -> None:
    kb = KnowledgeBase.read(demo_kb_path())
    documents = Corpus(Corpus.read(demo_documents_path()).documents[:N_DOCUMENTS])
    config = make_config(
        {
            "encoder": {"mention_tokens": 32, "entity_tokens": 32, "dropout": 0.0},
            "objective": {"entity_negatives": 4, "mention_negatives": 4},
            "trainer": {"epochs": 3, "batch_size": 32, "block_size": 8, "learning_rate": 4e-4},
            "dev": {"modes": ["independent", "directed"], "neighbours": [1]},
        }
    )
    report = train(kb, documents, documents, tmp_path / "model", config, device="cpu")
    accuracies = [epoch.accuracy or 0.0 for epoch in report.epochs]
    assert accuracies[0] < 0.9
    assert report.best.accuracy == max(accuracies)
    assert max(accuracies) > 0.95
    linker = Linker.load(tmp_path / "model", device="cpu", cache=False)
    linked = linker.link(documents, kb, inference="independent", threshold=None)
    assert evaluate(linked, documents, kb, bootstrap=0)["accuracy"] == pytest.approx(
        report.best.dev["accuracy"], abs=0.02
    )
