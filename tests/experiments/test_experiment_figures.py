"""What a result says is what the other commands say of the same model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from arborlink.encoders.default_model import UNTRAINED
from arborlink.encoders.loading import load_encoder
from arborlink.evaluation import evaluate
from arborlink.evaluation.discovery_protocol import evaluate_discovery
from arborlink.evaluation.discovery_protocol.rows import METHODS
from arborlink.experiments import read_run_file
from arborlink.experiments.data_sets import open_data_set
from arborlink.experiments.models import LinkerFinder, TowersFinder
from arborlink.experiments.training import train
from arborlink.experiments.workbench import Workbench
from arborlink.linker import Linker

RunCommand = Callable[..., Any]
MakeRun = Callable[..., Path]


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


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


@pytest.mark.parametrize("name", ["medmentions", "bc5cdr"])
def test_with_examples_the_train_mentions_vote(
    run: RunCommand, make_run: MakeRun, data_folder: Path, tmp_path: Path, tiny_model: Path, name: str
) -> None:
    of_model = {"model": "folder", "folder": str(tiny_model), "protocols": ["linking"]}
    done = run(make_run("own", row="x", evaluate=[name, "wikis"], examples=True, **of_model))
    assert done.status == 0, done.err
    evaluation = read(tmp_path / "out" / "own-seed0.json")["evaluation"]
    assert "examples" not in evaluation["wikis"]  # no entity of its test world is in train
    plain, with_examples = evaluation[name]["linking"], evaluation[name]["examples"]["linking"]
    assert plain["modes"]["independent"] != with_examples["modes"]["independent"]
    data_set = open_data_set(name, data_folder)
    test = data_set.split("test")
    linker = Linker.load(tiny_model, device="cpu", cache=False).with_examples(data_set.corpus("train"))
    options: dict[str, Any] = {"threshold": None, "by_type": data_set.by_type, "candidates": 64}
    for mode, own in with_examples["modes"].items():
        linked = linker.link(test.corpus, test.kb, inference=mode, neighbours=max(1, own["k"]), **options)
        told = evaluate(linked, test.corpus, test.kb, bootstrap=0)
        assert own["accuracy"]["all"] == pytest.approx(told["accuracy"], abs=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_towers_in_training_find_what_the_model_they_are_kept_as_finds(
    make_run: MakeRun, data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    monkeypatch.setattr("arborlink.encoders.network.resolve_precision", lambda device: torch.float32)
    run = read_run_file(make_run("own", row="joint", evaluate=["bc5cdr"]), [f"encoder.name_share={share}"])
    bench = Workbench(data_folder, "cpu")
    material = bench.material(run.experiment, run.config)
    trainer, told = train(
        bench.training_data(run.experiment), material, run.config, tmp_path / "model", bench, keep=True
    )
    assert told["best_epoch"] == 1
    split = bench.data_set("bc5cdr", run.experiment).split("test")
    names = load_encoder(UNTRAINED, device="cpu") if share else None
    finder = TowersFinder(trainer, bench.reading(run.config.encoder), names, share)
    other = LinkerFinder(Linker.load(tmp_path / "model", device="cpu", cache=False))
    ours, theirs = (each.find(split, 10, 2) for each in (finder, other))
    # saved vectors have half precision
    np.testing.assert_allclose(ours.hood.near.affinities, theirs.hood.near.affinities, atol=2e-3)
    assert np.array_equal(ours.hood.near.items < 0, theirs.hood.near.items < 0)
    steps = {"read_mentions", "encode_mentions", "encode_entities", "search"}
    assert set(ours.seconds) == steps | ({"encode_names"} if share else set())
    train_corpus = bench.data_set("bc5cdr", run.experiment).corpus("train")
    voters = [each.examples(train_corpus, split.kb) for each in (finder, other)]
    vectors = [each.mentions.vectors[each.mentions.rows] for each in voters if each is not None]
    assert len(vectors) == 2
    np.testing.assert_allclose(vectors[0], vectors[1], atol=2e-3)
