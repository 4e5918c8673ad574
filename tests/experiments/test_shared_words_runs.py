"""Words around mentions have their say in a run: in what is measured, and before a re-ranker."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.evaluation import evaluate
from arborlink.experiments.data_sets import open_data_set
from arborlink.experiments.models import LinkerFinder, looked_at, n_searched
from arborlink.experiments.second_look import train_second_look
from arborlink.experiments.taking_out import taken_out
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.shared_words import SharedWords
from arborlink.training.reranker.candidates import mine
from arborlink.training.reranker.lists import Lists
from arborlink.training.reranker.training import RerankerTraining

RunCommand = Callable[..., Any]
MakeRun = Callable[..., Path]
SHARE = 2.0
RERANKER = """
[reranker]
mention_tokens = 32
entity_tokens = 32
candidates = 3
n = 3
weights = [0.5]
[reranker_trainer]
epochs = 1
batch_size = 16
precision = "fp32"
"""


@pytest.fixture
def described(data_folder: Path, tmp_path: Path) -> Path:
    """A data folder with MedMentions alone, where each entity is said to be the next one and the one after that."""
    shutil.copytree(data_folder / "medmentions", tmp_path / "described" / "medmentions")
    path = tmp_path / "described" / "medmentions" / "kb.jsonl.gz"
    entities = list(KnowledgeBase.read(path))
    for number, entity in enumerate(entities):
        after = [entities[(number + more) % len(entities)].name for more in (1, 2)]
        entities[number] = replace(entity, description=" and ".join(after))
    KnowledgeBase(entities).write(path)
    return tmp_path / "described"


@pytest.fixture
def figures(run_command: RunCommand, make_run: MakeRun, described: Path, tmp_path: Path) -> RunCommand:
    """``figures("own", shared_words=0.3)``: what a run says of MedMentions with descriptions."""

    def measured(name: str, reranker: str = "", **experiment: Any) -> dict[str, Any]:
        path = make_run(name, row="x", evaluate=["medmentions"], protocols=["linking"], **experiment)
        path.write_text(path.read_text(encoding="utf-8") + reranker, encoding="utf-8")
        given = ("--data", described, "--output", tmp_path / "out", "--device", "cpu")
        done = run_command("experiment", "run", path, *given)
        assert done.status == 0, done.err
        content = json.loads((tmp_path / "out" / f"{name}-seed0.json").read_text(encoding="utf-8"))
        assert content["experiment"]["shared_words"] == experiment.get("shared_words", 0.0)
        found: dict[str, Any] = content["evaluation"]["medmentions"]
        return found

    return measured


def as_linked(figures: dict[str, Any], linker: Linker, folder: Path) -> None:
    """The accuracy of every mode on test is that of a linker."""
    test = open_data_set("medmentions", folder).split("test")
    for mode, own in figures["linking"]["modes"].items():
        linked = linker.link(
            test.corpus, test.kb, inference=mode, neighbours=max(1, own["k"]), threshold=None
        )
        told = evaluate(linked, test.corpus, test.kb, bootstrap=0)["accuracy"]
        assert own["accuracy"]["all"] == pytest.approx(told, abs=1e-6)


def accuracy(figures: dict[str, Any]) -> float:
    found: float = figures["linking"]["modes"]["independent"]["accuracy"]["all"]
    return found


def test_a_run_measures_in_the_order_that_words_give(
    figures: RunCommand, described: Path, tiny_model: Path
) -> None:
    of_model = {"model": "folder", "folder": str(tiny_model), "examples": True}
    plain, words = figures("plain", **of_model), figures("own", shared_words=SHARE, **of_model)
    linker = Linker.load(tiny_model, device="cpu", cache=False, progress=False)
    with_words = linker.with_shared_words(SHARE)
    train = open_data_set("medmentions", described).corpus("train")
    as_linked(plain, linker, described)
    as_linked(words, with_words, described)
    as_linked(words["examples"], with_words.with_examples(train), described)
    # descriptions that are wrong lead astray
    assert accuracy(words) < accuracy(plain) - 0.2
    assert words["seconds"]["shared_words"] > 0
    assert words["examples"]["seconds"]["shared_words"] > 0
    assert "shared_words" not in plain["seconds"]


def test_a_re_ranker_learns_and_looks_after_words_have_had_their_say(
    figures: RunCommand, described: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Lists] = []
    go = RerankerTraining.go

    def noted(self: RerankerTraining, lists: Lists, seconds: dict[str, float]) -> Any:
        given.append(lists)
        return go(self, lists, seconds)

    monkeypatch.setattr(RerankerTraining, "go", noted)
    made: list[Any] = []

    def kept(*arguments: Any) -> Any:
        made.append((train_second_look(*arguments), arguments[-1]))
        return made[-1][0]

    monkeypatch.setattr("arborlink.experiments.runner.train_second_look", kept)
    own = figures("own", RERANKER, shared_words=SHARE, model="folder", folder=str(tiny_model))
    (((look, _), words),) = made
    assert words.share == SHARE
    weighed = copy.copy(look.reranker)
    weighed.settings = replace(weighed.settings, weight=own["reranked"]["reranker"]["weight"])
    linker = Linker.load(tiny_model, device="cpu", cache=False, progress=False).with_shared_words(SHARE)
    as_linked(own, linker, described)
    as_linked(own["reranked"], linker.with_reranker(weighed), described)
    (lists,) = given
    assert lists.dev is not None
    dev, judged = lists.dev
    assert np.array_equal(judged.near.items, linker.neighbourhood(dev, lists.kb, 3, 0).near.items)
    assert np.array_equal(lists.candidates.items, mine(linker, lists.kb, lists.train, 3).items)
    assert {"shared_words", "rerank"} <= own["reranked"]["seconds"].keys()


def test_more_are_searched_than_are_kept(described: Path, tiny_model: Path) -> None:
    split = open_data_set("medmentions", described).split("test")
    linker = Linker.load(tiny_model, device="cpu", cache=False, progress=False)
    words = SharedWords(SHARE, n=8, progress=False)
    assert (n_searched(None, 3), n_searched(words, 3), n_searched(words, 9)) == (3, 8, 9)
    found = LinkerFinder(linker).find(split, n_searched(words, 3), 1)
    none = looked_at(found, None, 3)
    assert np.array_equal(none.hood.near.items, found.hood.near.items[:, :3])
    assert (none.before, none.seconds) == (None, found.seconds)
    looked = looked_at(found, words, 3)
    expected = words.rerank(split.corpus, split.kb, found.hood.near)
    assert np.array_equal(looked.hood.near.items, expected.items[:, :3])
    assert np.array_equal(looked.hood.near.affinities, found.hood.near.affinities[:, :3])
    assert np.array_equal(looked.hood.others.items, found.hood.others.items)
    # somebody came in who was not among the first three
    assert not np.array_equal(np.sort(looked.hood.near.items), np.sort(found.hood.near.items[:, :3]))
    # an affinity is that of the place: where the nearest is taken out, that of the next
    first = found.hood.near
    left = taken_out(looked, ["C0"]).hood.near
    place = (first.items[:, 0] == split.kb.index["C0"]).astype(int)[:, None]
    assert place.any()
    assert np.array_equal(left.affinities, np.take_along_axis(first.affinities, place, axis=1))
    assert (left.items != split.kb.index["C0"]).all()
