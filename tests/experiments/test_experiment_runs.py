"""``arborlink experiment run``: what a result says is what the other commands say of the same model."""

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
import torch

from arborlink.evaluation import evaluate
from arborlink.evaluation.discovery_protocol import evaluate_discovery
from arborlink.evaluation.discovery_protocol.rows import METHODS
from arborlink.experiments import read_run_file
from arborlink.experiments.data_sets import open_data_set
from arborlink.experiments.models import LinkerFinder, TowersFinder
from arborlink.experiments.training import train
from arborlink.experiments.workbench import Workbench
from arborlink.linker import Linker
from arborlink.training.sequences import Sequences

RunCommand = Callable[..., Any]
MakeRun = Callable[..., Path]


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


@pytest.fixture
def run(run_command: RunCommand, data_folder: Path, tmp_path: Path) -> RunCommand:
    """``run(path, "--seed", 1)``: into the folder ``out``."""

    def run_them(*arguments: object) -> Any:
        fixed = ("--data", data_folder, "--output", tmp_path / "out", "--device", "cpu")
        return run_command("experiment", "run", *arguments, *fixed)

    return run_them


@pytest.mark.parametrize("name", ["medmentions", "wikis", "bc5cdr"])
def test_linking_is_what_evaluate_says_of_the_same_model(
    run: RunCommand, make_run: MakeRun, data_folder: Path, tmp_path: Path, tiny_model: Path, name: str
) -> None:
    file = make_run(
        "own", row="x", model="folder", folder=str(tiny_model), evaluate=[name], protocols=["linking"]
    )
    assert run(file).status == 0
    linking = read(tmp_path / "out" / "own-seed0.json")["evaluation"][name]["linking"]
    data_set = open_data_set(name, data_folder)
    test = data_set.split("test")
    linker = Linker.load(tiny_model, device="cpu", cache=False)
    options: dict[str, Any] = {"threshold": None, "by_type": data_set.by_type, "candidates": 64}
    for mode, own in linking["modes"].items():
        linked = linker.link(test.corpus, test.kb, inference=mode, neighbours=max(1, own["k"]), **options)
        told = evaluate(linked, test.corpus, test.kb, train=data_set.corpus("train"), bootstrap=0)
        for part, key in {"all": "accuracy", "seen": "accuracy_seen", "unseen": "accuracy_unseen"}.items():
            assert own["accuracy"][part] == pytest.approx(told[key], abs=1e-6)
        assert linking["recall"]["share"]["all"] == pytest.approx(told["recall_at_64"], abs=1e-6)


@pytest.mark.parametrize("name", ["medmentions", "bc5cdr"])
def test_discovery_of_hidden_entities_is_that_of_the_protocol(
    run: RunCommand, make_run: MakeRun, data_folder: Path, tmp_path: Path, tiny_model: Path, name: str
) -> None:
    of_model = {"model": "folder", "folder": str(tiny_model), "protocols": ["hidden"], "hide": 0.2}
    assert run(make_run("own", row="x", evaluate=[name], **of_model), "--seed", 3).status == 0
    methods = read(tmp_path / "out" / "own-seed3.json")["evaluation"][name]["hidden"]["methods"]
    data_set = open_data_set(name, data_folder)
    test, dev = data_set.split("test"), data_set.split("dev")
    linker = Linker.load(tiny_model, device="cpu", cache=False)
    found = evaluate_discovery(
        linker,
        test.corpus,
        test.kb,
        dev.corpus,
        hide=0.2,
        seed=3,
        by_type=data_set.by_type,
        neighbours=(1, 2),
    )
    for method in METHODS:
        row = found[method]
        assert methods[method]["k"] == row.k
        expected = {"nmi": row.nmi, "ari": row.ari, "threshold": row.threshold, "dev_mean": row.chosen_mean}
        assert {figure: methods[method][figure] for figure in expected} == pytest.approx(expected, abs=1e-6)


def test_discovery_of_missing_entities_is_what_evaluate_says_at_that_threshold(
    run: RunCommand, make_run: MakeRun, data_folder: Path, tmp_path: Path, tiny_model: Path
) -> None:
    of_model = {"model": "folder", "folder": str(tiny_model), "protocols": ["missing"]}
    assert run(make_run("own", row="x", evaluate=["wikis"], **of_model)).status == 0
    methods = read(tmp_path / "out" / "own-seed0.json")["evaluation"]["wikis"]["missing"]["methods"]
    test = open_data_set("wikis", data_folder).split("test+missing")
    linker = Linker.load(tiny_model, device="cpu", cache=False)
    for method in METHODS[1:]:
        own = methods[method]
        linked = linker.link(
            test.corpus,
            test.kb,
            inference=method,  # type: ignore[arg-type]
            neighbours=own["k"],
            threshold=own["threshold"],
            by_type=True,
        )
        told = evaluate(linked, test.corpus, test.kb, bootstrap=0)
        keys = {
            "nmi": "nmi",
            "ari": "ari",
            "mean": "nmi_ari_mean",
            "nil_f1": "nil_f1",
            "accuracy": "accuracy",
        }
        for figure, key in keys.items():
            assert own[figure] == pytest.approx(told[key], abs=1e-6)


def test_towers_in_training_find_what_the_model_they_are_kept_as_finds(
    make_run: MakeRun, data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arborlink.encoders.network.resolve_precision", lambda device: torch.float32)
    run = read_run_file(make_run("own", row="joint", evaluate=["bc5cdr"]))
    bench = Workbench(data_folder, "cpu")
    material = bench.material(run.experiment, run.config)
    trainer, told = train(
        bench.training_data(run.experiment), material, run.config, tmp_path / "model", bench, keep=True
    )
    assert told["best_epoch"] == 1
    split = bench.data_set("bc5cdr", run.experiment).split("test")
    ours = TowersFinder(trainer, bench.reading(run.config.encoder)).find(split, 10, 2)
    theirs = LinkerFinder(Linker.load(tmp_path / "model", device="cpu", cache=False)).find(split, 10, 2)
    # saved vectors have half precision
    np.testing.assert_allclose(ours.hood.near.affinities, theirs.hood.near.affinities, atol=2e-3)
    assert np.array_equal(ours.hood.near.items < 0, theirs.hood.near.items < 0)
    assert set(ours.seconds) == {"read_mentions", "encode_mentions", "encode_entities", "search"}


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
    first, second = (read(tmp_path / "out" / f"{name}-seed0.json") for name in ("left-out", "there"))
    assert list(first["data"]) == ["bc5cdr", "medmentions", "wikis"]
    assert first["limit"] == second["limit"] == 6
    assert (second["training"], second["config"]) == (None, None)
    assert second["experiment"]["folder"] == tiny_model.name
    assert first["training"]["best_epoch"] == 1


def test_what_cannot_be_run_is_told_before_the_work(
    run: RunCommand, run_command: RunCommand, make_run: MakeRun, tmp_path: Path
) -> None:
    file = make_run("own", row="x", evaluate=["zeshel"])
    assert "there is no folder zeshel, which the run needs" in run(file).err
    done = run_command("experiment", "run", file, "--data", tmp_path / "nowhere")
    assert (done.status, "is no folder; --data names the one" in done.err) == (2, True)
    assert "two run files have the name 'own'" in run(file, file).err
    checkpoints = make_run("checkpoints", row="x", evaluate=["medmentions"])
    done = run(checkpoints, "--set", "trainer.checkpoint_steps=5")
    assert (done.status, "experiments write no checkpoints" in done.err) == (2, True)


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
    file = make_run("own", row="joint", evaluate=["medmentions"])
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
