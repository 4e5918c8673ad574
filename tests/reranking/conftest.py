"""A saved model with towers of a few weights, and one with a trained re-ranker beside them."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from letter_encoder import save_letter_encoder
from reranking_world import letter_documents, letter_kb, quick_config

from arborlink.encoders.building import build_tower
from arborlink.encoders.model_folder import Inference, ModelSettings, write_towers
from arborlink.encoders.views import Markers
from arborlink.linker import Linker
from arborlink.reranking import write_reranker
from arborlink.training.reranker import TrainedReranker, train_reranker


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In place of the one other rooms have: two layers without dropout, weights large enough to learn in seconds."""
    return save_letter_encoder(
        tmp_path_factory.mktemp("reader"),
        num_hidden_layers=2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.2,
    )


@pytest.fixture(scope="session")
def towers_folder(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder without a re-ranker; its towers were not trained."""
    folder = tmp_path_factory.mktemp("towers") / "model"
    tower = build_tower(
        tiny_model, pooling="mean", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    inference = Inference("independent", 0)
    write_towers(folder, tower, tower, ModelSettings(32, 32, inference=inference))
    return folder


@pytest.fixture(scope="session")
def trained(tiny_model: Path, towers_folder: Path) -> TrainedReranker:
    """A re-ranker that has learned the letters."""
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    train, dev = letter_documents("t", 120, 1), letter_documents("d", 30, 2)
    return train_reranker(linker, letter_kb(), train, dev, quick_config(tiny_model), progress=False)


@pytest.fixture
def reranked_folder(towers_folder: Path, trained: TrainedReranker, tmp_path: Path) -> Path:
    """A copy of the model with the re-ranker in it, to be spoilt as a test likes."""
    folder = tmp_path / "model"
    copytree(towers_folder, folder)
    write_reranker(folder, trained.reranker)
    return folder
