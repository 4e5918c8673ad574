"""``arborlink experiment run``: what it writes, what it passes over, what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.encoders import network
from arborlink.encoders.sequences import Sequences
from arborlink.errors import TrainingError
from arborlink.evaluation.discovery_protocol.rows import METHODS
from arborlink.linker import Linker

RunCommand = Callable[..., Any]
MakeRun = Callable[..., Path]


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def test_a_result_holds_what_it_takes_to_repeat_and_to_compare_it(
    run: RunCommand, make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARBORLINK_COMMIT", "feed")
    done = run(make_run("own", row="knn", objective="knn", evaluate=["bc5cdr"]), "--set", "trainer.epochs=2")
    assert done.status == 0, done.err
    path = tmp_path / "out" / "own-seed0.json"
    assert done.out.splitlines() == [str(path)]
    result = read(path)
    assert (result["run"], result["row"], result["seed"], result["limit"]) == ("own", "knn", 0, None)
    assert result["provenance"]["commit"] == "feed"
    assert str(tmp_path) not in path.read_text(encoding="utf-8")
    assert (result["config"]["trainer"]["epochs"], result["config"]["objective"]["by_type"]) == (2, True)
    assert len(result["training"]["epochs"]) == 2
    assert result["training"]["seconds"]["training"] > 0
    assert {len(digest) for digest in result["data"]["bc5cdr"]["files"].values()} == {64}
    figures = result["evaluation"]["bc5cdr"]
    assert figures["linking_mapped"]["counts"]["linkable"] > figures["linking"]["counts"]["linkable"]
    for variant in ("linking", "linking_mapped"):
        documents = figures[variant]["documents"]
        for mode, own in figures[variant]["modes"].items():
            for part in ("all", "Chemical", "Disease"):
                right, linkable = documents["right"][mode][part], documents["linkable"][part]
                assert sum(right) / sum(linkable) == pytest.approx(own["accuracy"][part], abs=1e-6)
            low, high = own["interval"]["all"]
            assert low <= own["accuracy"]["all"] <= high
        whole = np.array(documents["linkable"]["Chemical"]) + documents["linkable"]["Disease"]
        assert whole.tolist() == documents["linkable"]["all"]


def test_a_result_that_is_there_is_not_made_again_unless_asked(
    run: RunCommand, make_run: MakeRun, tmp_path: Path
) -> None:
    file = make_run("own", row="look-up", model="look-up", evaluate=["wikis"], seeds=[0, 1])
    assert run(file).status == 0
    first, second = (tmp_path / "out" / f"own-seed{seed}.json" for seed in (0, 1))
    before = first.stat().st_mtime_ns
    second.unlink()
    done = run(file)
    assert f"{first}: is there already; --again does it again" in done.err
    assert (first.stat().st_mtime_ns, second.is_file()) == (before, True)
    assert run(file, "--again", "--seed", 0).status == 0
    assert first.stat().st_mtime_ns > before
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["own-seed0.json", "own-seed1.json"]


def test_a_result_of_other_settings_is_told_and_a_trial_stands_apart(
    run: RunCommand, make_run: MakeRun, tmp_path: Path
) -> None:
    file = make_run("own", row="x", evaluate=["medmentions"], protocols=["linking"])
    assert run(file, "--limit", 5).status == 0
    assert run(file).status == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "own-seed0-limit5.json",
        "own-seed0.json",
    ]
    done = run(file, "--set", "trainer.epochs=2", "--set", "encoder.temperature=0.1")
    assert "made with other settings (encoder.temperature, trainer.epochs); --again" in done.err
    assert "is there already; --again" in run(file).err


def test_a_training_that_fails_does_not_keep_the_others_from_their_results(
    run: RunCommand, make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise TrainingError("the loss was not a finite number")

    monkeypatch.setattr("arborlink.experiments.training.train", fail)
    bad = make_run("bad", row="x", evaluate=["medmentions"])
    good = make_run("good", row="y", model="look-up", evaluate=["medmentions"])
    done = run(bad, good)
    assert done.status == 2
    assert done.err.endswith("1 of 2 runs failed: bad-seed0: the loss was not a finite number\n")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good-seed0.json"]


def test_runs_of_one_command_share_what_they_read(
    run: RunCommand, make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_texts: list[str] = []
    tokenise = Sequences.of.__func__  # type: ignore[attr-defined]

    def counted(
        cls: type[Sequences], texts: Any, tokenizer: Any, max_length: int, what: str, *rest: Any
    ) -> Any:
        read_texts.append(what)
        return tokenise(cls, texts, tokenizer, max_length, what, *rest)

    monkeypatch.setattr(Sequences, "of", classmethod(counted))
    files = [
        make_run(name, objective=name, row=name, evaluate=["medmentions"], protocols=["linking"])
        for name in ("in-batch", "knn")
    ]
    assert run(*files).status == 0
    # train, dev and test mentions and the entities, each once for both runs
    assert sorted(read_texts) == ["entities", "mentions", "mentions", "mentions"]
    assert sorted(path.stem for path in (tmp_path / "out").iterdir()) == ["in-batch-seed0", "knn-seed0"]


def test_one_model_for_all_data_sets(run: RunCommand, make_run: MakeRun, tmp_path: Path) -> None:
    names = ["medmentions", "wikis", "bc5cdr"]
    done = run(make_run("all", row="default model", evaluate=names))
    assert done.status == 0, done.err
    result = read(tmp_path / "out" / "all-seed0.json")
    assert list(result["evaluation"]) == names
    wikis = result["evaluation"]["wikis"]
    assert wikis["missing"]["counts"]["outside"] == 8
    assert wikis["missing"]["counts"]["dev_taken_out"] == 0
    # dev of medmentions has no missing entity: those that train never mentions stand in for them
    assert result["evaluation"]["medmentions"]["missing"]["counts"]["dev_taken_out"] > 0
    assert set(wikis["missing"]["methods"]) == set(METHODS)


def test_trained_on_others_and_a_model_that_is_there(
    run: RunCommand, make_run: MakeRun, tmp_path: Path, tiny_model: Path
) -> None:
    left_out = make_run("left-out", row="x", train=["bc5cdr", "medmentions"], evaluate=["wikis"])
    there = make_run("there", row="y", model="folder", folder=str(tiny_model), evaluate=["wikis"])
    done = run(left_out, there, "--limit", 6)
    assert done.status == 0, done.err
    first, second = (read(tmp_path / "out" / f"{name}-seed0-limit6.json") for name in ("left-out", "there"))
    assert list(first["data"]) == ["bc5cdr", "medmentions", "wikis"]
    assert first["limit"] == second["limit"] == 6
    assert (second["training"], second["config"]) == (None, None)
    assert second["experiment"]["folder"] == tiny_model.name
    assert first["training"]["best_epoch"] == 1


def test_the_model_that_ships(
    run: RunCommand, make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = make_run("shipped", row="x", model="shipped", evaluate=["wikis"])
    monkeypatch.setattr("arborlink.encoders.default_model.SHIPPED_FOLDER", tmp_path / "none")
    done = run(shipped, "--limit", 6)
    assert (done.status, "comes with no trained model" in done.err) == (2, True)
    own = make_run("own", row="z", evaluate=["wikis"])
    assert run(own, "--limit", 6, "--models", tmp_path / "models").status == 0
    model = tmp_path / "models" / "own-seed0-limit6"
    monkeypatch.setattr("arborlink.encoders.default_model.SHIPPED_FOLDER", model)
    there = make_run("there", row="y", model="folder", folder=str(model), evaluate=["wikis"])
    assert run(shipped, there, "--limit", 6).status == 0
    first, second = (read(tmp_path / "out" / f"{name}-seed0-limit6.json") for name in ("shipped", "there"))
    linking = [each["evaluation"]["wikis"]["linking"]["modes"]["directed"] for each in (first, second)]
    assert [each["accuracy"] for each in linking[:1]] == [each["accuracy"] for each in linking[1:]]


def test_what_cannot_be_run_is_told_before_the_work(
    run: RunCommand, run_command: RunCommand, make_run: MakeRun, tmp_path: Path
) -> None:
    file = make_run("own", row="x", evaluate=["zeshel"])
    first = make_run("first", row="x", model="look-up", evaluate=["medmentions"])
    assert "there is no folder zeshel, which the run needs" in run(first, file).err
    assert not (tmp_path / "out").exists()
    done = run_command("experiment", "run", file, "--data", tmp_path / "nowhere")
    assert (done.status, "is no folder; --data names the one" in done.err) == (2, True)
    assert "two run files have the name 'own'" in run(file, file).err
    checkpoints = make_run("checkpoints", row="x", evaluate=["medmentions"])
    done = run(checkpoints, "--set", "trainer.checkpoint_steps=5")
    assert (done.status, "experiments write no checkpoints" in done.err) == (2, True)


@pytest.mark.parametrize("folder", ["none", "models/none"])
def test_a_model_that_is_not_there_is_told_before_the_work(
    run: RunCommand, make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setattr(network, "_must_download", lambda model: False)  # as where there is no network
    monkeypatch.chdir(tmp_path)
    first = make_run("first", row="x", model="look-up", evaluate=["medmentions"])
    own = make_run("own", row="y", model="folder", folder=folder, evaluate=["medmentions"])
    done = run(first, own)
    told = f'{own}: experiment.folder is "{folder}", and there is no such folder; train it first'
    assert (done.status, told in done.err) == (2, True)
    assert "or a Hugging Face name and a network" in done.err
    assert not (tmp_path / "out").exists()
    (tmp_path / folder).mkdir(parents=True)
    done = run(first, own)
    assert (done.status, f"model '{folder}' cannot be loaded" in done.err) == (2, True)
    assert "no such folder" not in done.err
    assert not (tmp_path / "out").exists()


def test_a_hugging_face_name_is_not_taken_for_a_folder(
    run: RunCommand, make_run: MakeRun, tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = Linker.load

    def fetched(model: str, **options: Any) -> Linker:
        assert model == "some/model"
        return load(tiny_model, **options)

    monkeypatch.setattr(Linker, "load", fetched)
    own = make_run(
        "own", row="y", model="folder", folder="some/model", evaluate=["medmentions"], protocols=["linking"]
    )
    done = run(own)
    assert done.status == 0, done.err
    assert read(tmp_path / "out" / "own-seed0.json")["experiment"]["folder"] == "some/model"


BARE = """
import sys
for name in ("faiss", "datasets"):
    sys.modules[name] = None
from arborlink.cli.main import main
main()
"""


def test_neither_faiss_nor_datasets_is_needed_for_a_run(
    make_run: MakeRun, data_folder: Path, tmp_path: Path
) -> None:
    file = make_run("own", row="joint", evaluate=["medmentions"], examples=True)
    reranker = "[reranker]\nmention_tokens = 32\nentity_tokens = 32\ncandidates = 3\nn = 3\n"
    file.write_text(file.read_text(encoding="utf-8") + reranker, encoding="utf-8")
    arguments = [
        "experiment",
        "run",
        str(file),
        "--data",
        str(data_folder),
        "--output",
        str(tmp_path / "out"),
    ]
    source = Path(__file__).parents[2] / "src"
    surroundings = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", BARE, *arguments, "--device", "cpu"],
        env=surroundings,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "own-seed0.json").is_file()
