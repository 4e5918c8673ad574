"""Killed at any moment and resumed, a training ends as if nothing had been; what cannot be resumed is refused."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from killing import TRAINER, kill_before, outcome, start
from training_world import dev_documents, documents, run, settings, small_kb, train_documents, without_times

from arborlink.encoders.model_folder import Inference
from arborlink.errors import InputError
from arborlink.linker import Linker
from arborlink.training import train
from arborlink.training.judge import Choice, Judgement

Outcome = tuple[dict[str, Any], dict[str, bytes]]
# 3 epochs of 4 steps, checkpoints at 3, 4, 6, 8, 9, 12; the base model drops out a tenth.
SECTIONS: dict[str, Any] = {"trainer": {"epochs": 3, "checkpoint_steps": 3}}
WRITING = "arborlink.training.course:Course.write"
# What is called for the nth time when the process dies, and the checkpoints that are whole by then.
MOMENTS = {
    "before the first checkpoint": ((f"{TRAINER}.training_step", 2), []),
    "in mid-epoch": ((f"{TRAINER}.training_step", 8), [4, 6]),
    "at the start of an epoch": (("arborlink.training.mining:Mining.mine", 3), [6, 8]),
    "while weights of a checkpoint are written": (
        ("transformers:Trainer._save_optimizer_and_scheduler", 3),
        [3, 4],
    ),
    "before a checkpoint is whole": ((WRITING, 5), [8]),
    "after an epoch that was not judged": ((f"{TRAINER}.evaluate", 2), [4, 6]),
    "at the end, before the model": (("arborlink.training.run:write_towers", 1), [9, 12]),
}


def whole_checkpoints(folder: Path) -> list[int]:
    paths = (folder / "unfinished").glob("checkpoint-*/course.json")
    return sorted(int(path.parent.name.rpartition("-")[2]) for path in paths)


def finish(base: Path, folder: Path, sections: dict[str, Any]) -> Outcome:
    process = start(base, folder, sections)
    process.join()
    assert process.exitcode == 0
    assert not (folder / "unfinished").exists()
    return outcome(folder)


@pytest.fixture(scope="module")
def uninterrupted(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return finish(tiny_model, tmp_path_factory.mktemp("uninterrupted") / "model", SECTIONS)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_training_ends_as_one_that_was_not(
    tiny_model: Path, tmp_path: Path, uninterrupted: Outcome, moment: str
) -> None:
    where, whole = MOMENTS[moment]
    process = start(tiny_model, tmp_path / "model", SECTIONS, where)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert not (tmp_path / "model" / "arborlink.json").exists()
    assert whole_checkpoints(tmp_path / "model") == whole
    report, weights = finish(tiny_model, tmp_path / "model", SECTIONS)
    assert report == uninterrupted[0]
    assert weights == uninterrupted[1]


def test_a_checkpoint_at_the_end_of_an_epoch_waits_for_its_judgement(
    tiny_model: Path, tmp_path: Path
) -> None:
    sections: dict[str, Any] = {"trainer": {"epochs": 3, "checkpoint_steps": 2}}
    expected = finish(tiny_model, tmp_path / "uninterrupted", sections)
    process = start(tiny_model, tmp_path / "model", sections, (f"{TRAINER}.evaluate", 2))
    process.join()
    assert whole_checkpoints(tmp_path / "model") == [4, 6]
    assert finish(tiny_model, tmp_path / "model", sections) == expected


class Cut(BaseException):
    """Ends a training of this process like a signal would."""


def cut_before(monkeypatch: pytest.MonkeyPatch, moment: str, nth: int) -> None:
    def die(process: int, number: int) -> None:
        raise Cut

    monkeypatch.setattr("killing.os.kill", die)
    kill_before(moment, nth, monkeypatch.setattr)


VARIANTS: dict[str, dict[str, Any]] = {
    "adapters": {"encoder": {"lora_rank": 2}},
    "frozen embeddings, chunks": {"encoder": {"freeze_embeddings": True}, "trainer": {"chunk_tokens": 128}},
    "steps added up, mined in mid-epoch": {
        "objective": {"mine_every": 2},
        "trainer": {"accumulate": 3, "batch_size": 4},
    },
    "one tower, names, in-batch": {
        "encoder": {"towers": "one", "entity_views": "names"},
        "objective": {"name": "in-batch"},
    },
    "names as mentions, masks, mined in mid-epoch": {
        "objective": {"name_mentions": 0.15, "context_dropout": 0.2, "name_dropout": 0.2, "mine_every": 2}
    },
    "names as mentions, in-batch, views of names": {
        "encoder": {"entity_views": "names"},
        "objective": {"name": "in-batch", "name_mentions": 0.15, "context_dropout": 0.5},
    },
    "random positives, cosine": {"objective": {"positives": "random"}, "trainer": {"schedule": "cosine"}},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_kind_of_training_is_resumed_exactly(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    sections = VARIANTS[variant]
    sections = sections | {"trainer": {"checkpoint_steps": 1} | sections.get("trainer", {})}
    expected = run(tiny_model, tmp_path / "uninterrupted", **sections)
    for nth in (6, 2):  # in the second epoch or late in the first, then again soon after
        cut_before(monkeypatch, f"{TRAINER}.training_step", nth)
        with pytest.raises(Cut):
            run(tiny_model, tmp_path / "model", resume=True, **sections)
        monkeypatch.undo()
    resumed = run(tiny_model, tmp_path / "model", resume=True, **sections)
    assert without_times(resumed) == without_times(expected)
    assert outcome(tmp_path / "model") == outcome(tmp_path / "uninterrupted")


def test_a_training_that_patience_ended_is_not_taken_up_again(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter([0.9, 0.4, 0.3, 1.0])
    judged: list[float] = []

    def choices(hood: Judgement) -> list[Choice]:
        judged.append(next(left))
        return [Choice("directed", 2, judged[-1])]

    monkeypatch.setattr(Judgement, "choices", choices)
    monkeypatch.setattr(Judgement, "inference", lambda hood, by_type: Inference("directed", 2))
    sections: dict[str, Any] = {"trainer": {"epochs": 6, "patience": 1}}
    with monkeypatch.context() as patch:
        cut_before(patch, "arborlink.training.run:write_towers", 1)
        with pytest.raises(Cut):
            run(tiny_model, tmp_path / "model", **sections)
    report = run(tiny_model, tmp_path / "model", resume=True, **sections)
    assert judged == [0.9, 0.4]
    assert (len(report.epochs), report.best.number) == (2, 1)
    once = iter([0.9, 0.4])
    monkeypatch.setattr(Judgement, "choices", lambda hood: [Choice("directed", 2, next(once))])
    run(tiny_model, tmp_path / "once", **sections)
    assert outcome(tmp_path / "model") == outcome(tmp_path / "once")


def test_a_half_written_checkpoint_is_ignored_and_removed(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run(tiny_model, tmp_path / "uninterrupted", **SECTIONS)
    with monkeypatch.context() as patch:
        cut_before(patch, f"{TRAINER}.training_step", 8)
        with pytest.raises(Cut):
            run(tiny_model, tmp_path / "model", **SECTIONS)
    unfinished = tmp_path / "model" / "unfinished"
    assert whole_checkpoints(tmp_path / "model") == [4, 6]
    (unfinished / "checkpoint-6" / "course.json").unlink()
    (unfinished / "checkpoint-7").mkdir()
    lines: list[str] = []
    with monkeypatch.context() as patch:
        cut_before(patch, f"{TRAINER}.training_step", 1)
        with pytest.raises(Cut):
            run(tiny_model, tmp_path / "model", resume=True, tell=lines.append, **SECTIONS)
    assert lines[1:] == [f"resumed from {unfinished / 'checkpoint-4'}"]
    assert sorted(path.name for path in unfinished.glob("checkpoint-*")) == ["checkpoint-4"]
    assert without_times(run(tiny_model, tmp_path / "model", resume=True, **SECTIONS)) == without_times(
        expected
    )


def test_a_model_is_whole_before_its_checkpoints_go(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_removed(folder: Path, **options: Any) -> None:
        weights = list(Path(folder).glob("checkpoint-*/model.safetensors"))
        if len(weights) == 2:
            weights[0].unlink()
            raise Cut
        removed(folder, **options)

    removed = shutil.rmtree
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", half_removed)
        with pytest.raises(Cut):
            run(tiny_model, tmp_path / "model")
    assert Linker.load(tmp_path / "model", device="cpu", cache=False).link(dev_documents(), small_kb())
    with pytest.raises(InputError, match="holds a model already"):
        run(tiny_model, tmp_path / "model", resume=True)


@pytest.fixture(scope="module")
def cut_off(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training that was cut off in its second epoch."""
    folder = tmp_path_factory.mktemp("cut-off") / "model"
    with pytest.MonkeyPatch.context() as patch:
        cut_before(patch, f"{TRAINER}.training_step", 6)
        with pytest.raises(Cut):
            run(tiny_model, folder)
    return folder


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_other_settings_or_data_are_refused(tiny_model: Path, cut_off: Path) -> None:
    before = everything(cut_off)
    with pytest.raises(InputError) as refused:
        run(tiny_model, cut_off, resume=True, trainer={"epochs": 3, "seed": 4}, dev={"recall_at": 5})
    assert str(refused.value) == (
        f"the run in {cut_off} began with other settings (trainer.epochs, trainer.seed, dev.recall_at); resume it "
        "with the same ones, or train into another folder"
    )
    config = settings(tiny_model)
    kb, learnt, dev = small_kb(), train_documents(), dev_documents()
    for entities, learned, judged in (
        (small_kb(description=False), learnt, dev),
        (kb, documents("t", 30, 9), dev),
        (kb, learnt, documents("d", 10, 9)),
        (kb, learnt, None),
    ):
        with pytest.raises(InputError) as refused:
            train(entities, learned, judged, cut_off, config, resume=True, device="cpu")
        assert "other settings (the documents or the knowledge base); resume it" in str(refused.value)
    assert everything(cut_off) == before


def test_an_unfinished_training_is_not_overwritten(tiny_model: Path, cut_off: Path) -> None:
    before = everything(cut_off)
    with pytest.raises(InputError) as refused:
        run(tiny_model, cut_off)
    assert str(refused.value) == (
        f"{cut_off}: holds a training that was not finished; --resume goes on with it, or name another folder"
    )
    assert everything(cut_off) == before


def test_where_there_is_nothing_to_resume_it_begins(tiny_model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    report = run(tiny_model, tmp_path / "empty", resume=True)
    assert len(report.epochs) == 2
    for resume in (False, True):
        with pytest.raises(InputError) as refused:
            run(tiny_model, tmp_path / "empty", resume=resume)
        assert str(refused.value) == (
            f"{tmp_path / 'empty'}: holds a model already; name another folder, or remove it first"
        )
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty and holds no training of ours; name another folder"):
        run(tiny_model, tmp_path / "notes", resume=True)
    with pytest.raises(InputError, match="is a file; name a folder for the model"):
        run(tiny_model, tmp_path / "notes" / "mine.txt")
    assert json.loads((tmp_path / "empty" / "training.json").read_text())["best_epoch"] == report.best.number
