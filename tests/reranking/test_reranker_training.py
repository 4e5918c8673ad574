"""A re-ranker learns what towers of random weights do not know, and goes on after a kill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from reranking_world import LETTERS, letter_documents, letter_kb, quick_config

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.errors import InputError, ModelError, TrainingError
from arborlink.linker import Linker
from arborlink.training.reranker import TrainedReranker, train_reranker
from arborlink.training.reranker import run as run_module
from arborlink.training.reranker.trainer import RerankerTrainer


def test_it_learns_what_the_towers_do_not_know(trained: TrainedReranker) -> None:
    best = trained.report.best
    assert best.dev["accuracy"] == 1.0
    assert best.dev["accuracy_before"] < 0.7
    assert best.dev["recall"] == 1.0
    assert trained.report.epochs[0].loss > 2 * best.loss
    assert trained.reranker.settings.weight == best.dev["weight"] == trained.report.weight
    assert trained.report.n_pairs == 120 * len(LETTERS)
    assert "accuracy 100.0" in trained.report.summary()


def test_chunks_and_whole_steps_learn_the_same(towers_folder: Path, tiny_model: Path) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    train = letter_documents("t", 16, 1)
    losses = []
    for chunk_tokens in (100_000, 64):
        config = quick_config(tiny_model, trainer={"epochs": 1, "chunk_tokens": chunk_tokens})
        losses.append(train_reranker(linker, letter_kb(), train, None, config, progress=False).report.losses)
    assert np.allclose(losses[0], losses[1], rtol=1e-4)


def test_as_many_mentions_are_learned_from_as_are_asked_for(towers_folder: Path, tiny_model: Path) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    config = quick_config(tiny_model, trainer={"epochs": 1})
    config = config.model_copy(update={"reranker": config.reranker.model_copy(update={"mentions": 5})})
    lines: list[str] = []
    train = letter_documents("t", 16, 1)
    made = train_reranker(linker, letter_kb(), train, None, config, progress=False, tell=lines.append)
    assert made.report.n_mentions == 5
    assert made.report.n_pairs == 5 * len(LETTERS)
    assert made.report.epochs[0].n_sequences == 5 * len(LETTERS)
    assert any(line.startswith(f"5 of {train.n_mentions} mentions to learn from") for line in lines)


def test_a_run_that_was_killed_ends_where_the_others_end(
    towers_folder: Path, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    train, dev, config = (
        letter_documents("t", 24, 1),
        letter_documents("d", 8, 2),
        quick_config(tiny_model, trainer={"epochs": 3}),
    )
    whole = train_reranker(linker, letter_kb(), train, dev, config, folder=tmp_path / "whole", progress=False)

    class Killed(BaseException):
        pass

    original, calls = RerankerTrainer.evaluate, iter(range(10))

    def evaluate(self: RerankerTrainer, *arguments: object, **options: object) -> dict[str, float]:
        if next(calls) == 1:
            raise Killed
        return original(self, *arguments, **options)

    folder = tmp_path / "cut"
    with monkeypatch.context() as patch:
        patch.setattr(RerankerTrainer, "evaluate", evaluate)
        with pytest.raises(Killed):
            train_reranker(linker, letter_kb(), train, dev, config, folder=folder, progress=False)
    (folder / "checkpoint-99").mkdir()  # half written: without its course
    monkeypatch.setattr(run_module, "mine", None)  # the candidates are kept
    lines: list[str] = []
    resumed = train_reranker(
        linker, letter_kb(), train, dev, config, folder=folder, progress=False, tell=lines.append
    )
    assert any(line.startswith("resumed from") and "checkpoint-3" in line for line in lines)
    before, after = whole.reranker.network.state_dict(), resumed.reranker.network.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert resumed.reranker.fingerprint == whole.reranker.fingerprint
    assert [epoch.loss for epoch in resumed.report.epochs] == [epoch.loss for epoch in whole.report.epochs]
    # once more, when all is done
    again = train_reranker(linker, letter_kb(), train, dev, config, folder=folder, progress=False)
    assert again.reranker.fingerprint == whole.reranker.fingerprint
    other_seed = quick_config(tiny_model, trainer={"epochs": 3, "seed": 1})
    for other, other_dev in ((other_seed, dev), (config, letter_documents("e", 8, 3))):
        with pytest.raises(InputError, match="began with other settings"):
            train_reranker(linker, letter_kb(), train, other_dev, other, folder=folder, progress=False)


def test_without_dev_the_last_epoch_and_the_set_weight_are_kept(
    towers_folder: Path, tiny_model: Path
) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    config = quick_config(tiny_model, reranker={"weight": 3.0}, trainer={"epochs": 1})
    trained = train_reranker(linker, letter_kb(), letter_documents("t", 8, 1), None, config, progress=False)
    assert trained.reranker.settings.weight == 3.0
    assert trained.report.best.number == 1
    assert not trained.report.best.dev
    assert "accuracy" not in trained.report.summary()


def test_nothing_to_learn_and_nothing_to_judge_by_are_told(towers_folder: Path, tiny_model: Path) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    unknown = Corpus([Document("u", "we 11.", (Mention("u.0", 3, 5, (), ("Z",)),))])
    config = quick_config(tiny_model)
    with pytest.raises(InputError, match="none of the 1 mentions of the training documents"):
        train_reranker(linker, letter_kb(), unknown, None, config, progress=False)
    with pytest.raises(InputError, match="none of the 1 mentions of the dev documents"):
        train_reranker(linker, letter_kb(), letter_documents("t", 8, 1), unknown, config, progress=False)


def test_a_base_that_cannot_be_used_is_told(towers_folder: Path, tmp_path: Path, tiny_model: Path) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    train = letter_documents("t", 8, 1)
    with pytest.raises(ModelError, match=r"cannot be loaded|no such folder"):
        train_reranker(linker, letter_kb(), train, None, quick_config(tmp_path / "none"), progress=False)
    long = quick_config(tiny_model, reranker={"mention_tokens": 512, "entity_tokens": 512})
    with pytest.raises(ModelError, match=r"pairs of 512 \+ 512 tokens are longer than the 512"):
        train_reranker(linker, letter_kb(), train, None, long, progress=False)


def test_a_loss_that_is_no_number_ends_the_training(
    towers_folder: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    original = RerankerTrainer.training_step

    def broken(self: RerankerTrainer, *arguments: object, **options: object) -> torch.Tensor:
        loss = original(self, *arguments, **options)
        self._loss_sum.fill_(torch.nan)
        return loss

    monkeypatch.setattr(RerankerTrainer, "training_step", broken)
    with pytest.raises(TrainingError, match="loss was not a finite number between step 1 and step"):
        train_reranker(
            linker,
            letter_kb(),
            letter_documents("t", 8, 1),
            None,
            quick_config(tiny_model, trainer={"epochs": 1}),
            progress=False,
        )


def test_a_saved_model_is_a_base_too(towers_folder: Path) -> None:
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    config = quick_config(towers_folder, trainer={"epochs": 1})
    trained = train_reranker(linker, letter_kb(), letter_documents("t", 8, 1), None, config, progress=False)
    assert trained.reranker.network.config.hidden_size == 32
    assert trained.reranker.n == 4


def test_temporary_checkpoints_are_gone(
    towers_folder: Path, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    linker = Linker.load(towers_folder, device="cpu", cache=False)
    config = quick_config(tiny_model, trainer={"epochs": 1})
    train_reranker(linker, letter_kb(), letter_documents("t", 8, 1), None, config, progress=False)
    assert [path for path in tmp_path.iterdir() if path.name.startswith("arborlink")] == []
