"""A re-ranker inside a run: trained for what the run finds, measured beside the rest, kept with the model."""

from __future__ import annotations

import copy
import gc
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.evaluation import evaluate
from arborlink.experiments import read_run_file, second_look
from arborlink.experiments.data_sets import open_data_set
from arborlink.experiments.models import LinkerFinder
from arborlink.experiments.results import AFTER_RERANKING, VARIANTS
from arborlink.experiments.second_look import train_second_look
from arborlink.experiments.workbench import Workbench
from arborlink.linker import Linker
from arborlink.reranking import Reranker, has_reranker, read_reranker
from arborlink.training.reranker.candidates import mine
from arborlink.training.reranker.lists import Lists
from arborlink.training.reranker.training import RerankerTraining
from arborlink.training.trainer import ArborTrainer

RunCommand = Callable[..., Any]
MakeRun = Callable[..., Path]
QUICK = """
[reranker]
mention_tokens = 32
entity_tokens = 32
candidates = 4
n = 4
weights = [0.0, 0.5, 2.0]
[reranker_trainer]
epochs = 1
batch_size = 16
learning_rate = 2e-3
precision = "fp32"
"""


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


@pytest.fixture
def make_reranked(make_run: MakeRun) -> MakeRun:
    """As ``make_run``, with quick settings of a re-ranker."""

    def make(name: str, **experiment: Any) -> Path:
        path = make_run(name, **experiment)
        path.write_text(path.read_text(encoding="utf-8") + QUICK, encoding="utf-8")
        return path

    return make


Call = tuple[tuple[int, int], set[str] | None]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """Mentions and columns of every list that a re-ranker scores, and the splits that its examples are from."""
    found: list[Call] = []
    scores = Reranker.scores

    def counted(self: Reranker, corpus: Any, kb: Any, items: Any, examples: Corpus | None = None) -> Any:
        splits = None if examples is None else {document.id.rstrip("0123456789") for document in examples}
        found.append((items.shape, splits))
        return scores(self, corpus, kb, items, examples)

    monkeypatch.setattr(Reranker, "scores", counted)
    return found


def test_a_run_with_a_re_ranker_measures_every_variant_and_keeps_it_with_the_model(
    run: RunCommand,
    make_reranked: MakeRun,
    tmp_path: Path,
    data_folder: Path,
    calls: list[Call],
) -> None:
    file = make_reranked("own", row="joint", evaluate=["medmentions"], examples=True, seeds=[3])
    done = run(file, "--models", tmp_path / "models")
    assert done.status == 0, done.err
    # dev and test of each variant once: protocols share the scores
    data_set = open_data_set("medmentions", data_folder)
    shapes = [(data_set.split(name).corpus.n_mentions, 4) for name in ("dev", "test")]
    assert calls == [(shape, examples) for examples in (None, {"train"}) for shape in shapes]
    result = read(tmp_path / "out" / "own-seed3.json")
    assert result["config"]["reranker"]["n"] == 4
    assert result["config"]["reranker_trainer"]["seed"] == result["config"]["trainer"]["seed"] == 3
    assert result["config"]["reranker"]["base"] == result["config"]["encoder"]["base"]
    assert "/" not in result["config"]["reranker"]["base"]
    told = result["training"]["reranker"]
    assert set(told["seconds"]) == {"searching", "reading", "training"}
    assert told["pairs_per_second"] > 0
    assert told["peak_memory_gb"] is None
    assert len(told["epochs"]) == told["best_epoch"] == 1
    assert result["training"]["seconds"]["training"] > 0
    figures = result["evaluation"]["medmentions"]
    assert set(VARIANTS) - {""} <= set(figures)
    for before, after in AFTER_RERANKING.items():
        plain, own = figures[before] if before else figures, figures[after]
        assert own["linking"]["recall"] == plain["linking"]["recall"]
        for protocol in ("hidden", "missing"):
            assert own[protocol]["counts"] == plain[protocol]["counts"]
        assert own["seconds"]["rerank"] > 0
        assert "rerank" not in plain["seconds"]
        chosen = own["reranker"]
        by_weight = dict(map(tuple, chosen["by_weight"]))
        assert list(by_weight) == [0.0, 0.5, 2.0]
        assert by_weight[chosen["weight"]] == max(by_weight.values())
        assert own["linking"]["modes"]["independent"]["dev_accuracy"] == pytest.approx(chosen["accuracy"])
        assert plain["linking"]["modes"]["independent"]["dev_accuracy"] == pytest.approx(
            chosen["accuracy_before"]
        )
    kept = tmp_path / "models" / "own-seed3"
    assert has_reranker(kept)
    assert read_reranker(kept).settings.weight == pytest.approx(told["weight"])
    assert "medmentions + examples + re-ranker, independent" in done.err


@pytest.mark.parametrize(("name", "passages"), [("medmentions", 0), ("bc5cdr", 0), ("medmentions", 2)])
def test_a_linker_with_the_re_ranker_links_as_the_run_says(
    make_reranked: MakeRun,
    run: RunCommand,
    tmp_path: Path,
    data_folder: Path,
    tiny_model: Path,
    name: str,
    passages: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Any] = []

    def kept(*arguments: Any) -> Any:
        made.append(train_second_look(*arguments))
        return made[-1]

    monkeypatch.setattr("arborlink.experiments.runner.train_second_look", kept)
    of_model = {"model": "folder", "folder": str(tiny_model), "protocols": ["linking"]}
    file = make_reranked("own", row="x", evaluate=[name], examples=True, **of_model)
    reads = [f"reranker.passages={passages}", "reranker.passage_tokens=20", "reranker.opening_tokens=8"]
    done = run(file, *(part for own in reads for part in ("--set", own)))
    assert done.status == 0, done.err
    result = read(tmp_path / "out" / "own-seed0.json")
    assert set(result["training"]) == {"reranker"}
    assert set(result["config"]) == {"reranker", "reranker_trainer"}
    look = made[0][0]
    data_set = open_data_set(name, data_folder)
    test = data_set.split("test")
    plain = Linker.load(tiny_model, device="cpu", cache=False)
    for variant, linker in (
        ("reranked", plain),
        ("examples_reranked", plain.with_examples(data_set.corpus("train"))),
    ):
        if passages and variant == "reranked":
            assert variant not in result["evaluation"][name]
            continue
        own = result["evaluation"][name][variant]
        weighed = copy.copy(look.reranker)
        weighed.settings = replace(weighed.settings, weight=own["reranker"]["weight"])
        for mode, figures in own["linking"]["modes"].items():
            linked = linker.with_reranker(weighed).link(
                test.corpus,
                test.kb,
                inference=mode,
                neighbours=max(1, figures["k"]),
                threshold=None,
                by_type=data_set.by_type,
                candidates=64,
            )
            told = evaluate(linked, test.corpus, test.kb, bootstrap=0)
            assert figures["accuracy"]["all"] == pytest.approx(told["accuracy"], abs=1e-6)


def test_candidates_keep_to_their_data_set_type_and_world(
    make_reranked: MakeRun,
    run: RunCommand,
    tmp_path: Path,
    calls: list[Call],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[Lists] = []
    go = RerankerTraining.go

    def noted(self: RerankerTraining, lists: Lists, seconds: dict[str, float]) -> Any:
        given.append(lists)
        return go(self, lists, seconds)

    monkeypatch.setattr(RerankerTraining, "go", noted)
    names = ["medmentions", "wikis", "bc5cdr"]
    done = run(make_reranked("all", row="default model", evaluate=names, examples=True))
    assert done.status == 0, done.err
    lists = given[0]
    assert lists.dev is not None
    dev, judged = lists.dev
    sides = [
        (lists.train, lists.candidates.mentions.tolist(), lists.candidates.items),
        (dev, range(dev.n_mentions), judged.near.items),
    ]
    for corpus, mentions, items in sides:
        marked = list(corpus.mentions)
        for number, own in zip(mentions, items.tolist(), strict=True):
            mention = marked[number][1]
            for entity in (lists.kb.entities[item] for item in own if item >= 0):
                assert entity.id.split(":")[0] == mention.id.split(":")[0]
                if mention.types:
                    assert set(entity.types) & set(mention.types)
    evaluation = read(tmp_path / "out" / "all-seed0.json")["evaluation"]
    assert "examples_reranked" in evaluation["bc5cdr"]
    assert "reranked" in evaluation["wikis"]
    assert "examples_reranked" not in evaluation["wikis"]  # nobody of train knows its worlds
    assert evaluation["wikis"]["reranked"]["missing"]["counts"]["outside"] == 8
    assert len(calls) == 4 + 4 + 4  # wikis have no examples, but other splits for what is missing


def test_dev_and_train_are_voted_on_by_other_documents(
    make_reranked: MakeRun, data_folder: Path, tiny_model: Path
) -> None:
    file = make_reranked("own", row="x", evaluate=["medmentions"], model="folder", folder=str(tiny_model))
    config = read_run_file(file)
    assert config.reranker is not None
    data = Workbench(data_folder, "cpu").training_data(config.experiment)
    finder = LinkerFinder(Linker.load(tiny_model, device="cpu", cache=False, progress=False))
    plain, voted = (
        second_look._lists(finder, data, config.reranker, "cpu", with_examples)
        for with_examples in (False, True)
    )
    assert (plain.examples, voted.examples) == (None, data.train)
    assert not np.array_equal(plain.candidates.items, voted.candidates.items)
    assert plain.dev is not None
    assert voted.dev is not None
    assert not np.array_equal(plain.dev[1].near.affinities, voted.dev[1].near.affinities)
    linker = finder.linker.with_examples(data.train)
    expected = linker.neighbourhood(data.dev, data.kb, 4, 0).near
    assert np.array_equal(voted.dev[1].near.items, expected.items)
    # a linker leaves out what is of the mention's own document
    for lists, looking in ((plain, finder.linker), (voted, linker)):
        assert np.array_equal(lists.candidates.items, mine(looking, data.kb, data.train, 4).items)


def test_all_candidates_that_are_asked_for_are_found(
    make_reranked: MakeRun, data_folder: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(second_look, "RECALL_AT", 4)
    file = make_reranked("own", row="x", evaluate=["medmentions"], model="folder", folder=str(tiny_model))
    config = read_run_file(file, ["reranker.candidates=8"])
    assert config.reranker is not None
    data = Workbench(data_folder, "cpu").training_data(config.experiment)
    finder = LinkerFinder(Linker.load(tiny_model, device="cpu", cache=False, progress=False))
    lists = second_look._lists(finder, data, config.reranker, "cpu", True)
    assert (lists.candidates.items >= 0).all()
    assert lists.candidates.items.shape[1] == 8


def test_passages_of_dev_are_read_on_test_and_a_data_set_without_examples_is_measured_without(
    make_reranked: MakeRun, run: RunCommand, tmp_path: Path, data_folder: Path, calls: list[Call]
) -> None:
    file = make_reranked(
        "own",
        row="x",
        evaluate=["medmentions", "wikis"],
        examples=True,
        dev_examples=True,
        protocols=["linking"],
    )
    done = run(file, "--set", "reranker.passages=1")
    assert done.status == 0, done.err
    evaluation = read(tmp_path / "out" / "own-seed0.json")["evaluation"]
    assert set(evaluation["medmentions"]) & set(VARIANTS) == {"examples", "examples_reranked"}
    assert set(evaluation["wikis"]) & set(VARIANTS) == {"reranked"}
    assert [examples for _, examples in calls] == [{"train"}, {"train", "dev"}, None, None]


def test_the_towers_trainer_is_let_go_before_the_re_ranker_is_trained(
    make_reranked: MakeRun, run: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[int] = []
    go = RerankerTraining.go

    def counted(self: RerankerTraining, *arguments: Any) -> Any:
        alive.append(sum(type(each) is ArborTrainer for each in gc.get_objects()))
        return go(self, *arguments)

    monkeypatch.setattr(RerankerTraining, "go", counted)
    done = run(make_reranked("own", row="x", evaluate=["medmentions"], protocols=["linking"]))
    assert done.status == 0, done.err
    assert alive == [0]


def test_a_base_that_cannot_be_used_is_told_before_the_towers_are_trained(
    make_reranked: MakeRun, run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise AssertionError("the towers are trained")

    monkeypatch.setattr("arborlink.experiments.training.train", fail)
    file = make_reranked("own", row="x", evaluate=["medmentions"])
    done = run(file, "--set", f"reranker.base={tmp_path / 'none'}")
    assert (done.status, "none" in done.err) == (2, True)
    done = run(file, "--set", "reranker.mention_tokens=512", "--set", "reranker.entity_tokens=512")
    assert (done.status, "pairs of 512 + 512 tokens are longer" in done.err) == (2, True)


def test_a_result_without_the_re_ranker_is_told(
    make_run: MakeRun, run: RunCommand, tmp_path: Path, tiny_model: Path
) -> None:
    of_model = {"model": "folder", "folder": str(tiny_model), "protocols": ["linking"]}
    file = make_run("own", row="x", evaluate=["medmentions"], **of_model)
    assert run(file).status == 0
    file.write_text(file.read_text(encoding="utf-8") + QUICK, encoding="utf-8")
    assert "made with other settings (reranker); --again" in run(file).err
