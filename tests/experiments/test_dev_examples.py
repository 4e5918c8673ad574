"""Once dev has chosen, its labels are examples on test; and no mention has a say about its own document."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.evaluation import evaluate
from arborlink.evaluation.gold import gold_ids
from arborlink.experiments.data_sets import open_data_set
from arborlink.experiments.models import Found, LinkerFinder, Voters, voted
from arborlink.experiments.reordering import Reordering, Way
from arborlink.experiments.second_look import SecondLook
from arborlink.linker import Linker
from arborlink.voting import known_entities

RunCommand = Callable[..., Any]
MakeRun = Callable[..., Path]


@pytest.mark.parametrize("name", ["medmentions", "bc5cdr"])
def test_labels_of_dev_vote_on_test_and_nowhere_else(
    run: RunCommand,
    make_run: MakeRun,
    data_folder: Path,
    tmp_path: Path,
    tiny_model: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    voters_of: dict[str, set[str]] = {}

    def noted(found: Found, voters: Voters, device: str) -> Found:
        voters_of[found.split.name] = {each.id.rstrip("0123456789") for each in voters.corpus}
        return voted(found, voters, device)

    monkeypatch.setattr("arborlink.experiments.measuring.voted", noted)
    of_model = {"model": "folder", "folder": str(tiny_model), "protocols": ["linking"]}
    done = run(make_run("own", row="x", evaluate=[name], examples=True, dev_examples=True, **of_model))
    assert done.status == 0, done.err
    assert voters_of == {"dev": {"train"}, "test": {"train", "dev"}}
    evaluation = json.loads((tmp_path / "out" / "own-seed0.json").read_text(encoding="utf-8"))["evaluation"]
    data_set = open_data_set(name, data_folder)
    train, both = data_set.corpus("train"), data_set.corpus("train", "dev")
    linker = Linker.load(tiny_model, device="cpu", cache=False)
    variants = (
        (evaluation[name], linker, linker, train),
        (evaluation[name]["examples"], linker.with_examples(train), linker.with_examples(both), both),
    )
    for figures, on_dev, on_test, seen in variants:
        for mode, own in figures["linking"]["modes"].items():
            for looking, split in ((on_dev, "dev"), (on_test, "test")):
                corpus, kb = data_set.split(split).corpus, data_set.split(split).kb
                linked = looking.link(
                    corpus,
                    kb,
                    inference=mode,
                    neighbours=max(1, own["k"]),
                    threshold=None,
                    by_type=data_set.by_type,
                    candidates=64,
                )
                told = evaluate(linked, corpus, kb, train=seen, bootstrap=0)
                if split == "dev":
                    assert own["dev_accuracy"] == pytest.approx(told["accuracy"], abs=1e-6)
                    continue
                parts = {"all": "accuracy", "seen": "accuracy_seen", "unseen": "accuracy_unseen"}
                for part, key in parts.items():
                    assert own["accuracy"][part] == pytest.approx(told[key], abs=1e-6)


def test_what_dev_mentions_is_seen_by_those_who_read_it(
    run: RunCommand, make_run: MakeRun, data_folder: Path, tmp_path: Path, tiny_model: Path
) -> None:
    of_model = {"model": "folder", "folder": str(tiny_model), "protocols": ["linking"]}
    for name, more in (("plain", {}), ("own", {"dev_examples": True})):
        done = run(make_run(name, row="x", evaluate=["medmentions"], examples=True, **more, **of_model))
        assert done.status == 0, done.err
    data_set = open_data_set("medmentions", data_folder)
    test = [mention.entities for _, mention in data_set.corpus("test").mentions]
    ids = {split: gold_ids(data_set.corpus(split)) for split in ("train", "dev")}
    assert (data_set.train_ids, data_set.dev_ids) == (ids["train"], ids["dev"])
    assert ids["dev"] - ids["train"]
    for name, variant, seen in (
        ("plain", "", ids["train"]),
        ("plain", "examples", ids["train"]),
        ("own", "", ids["train"]),
        ("own", "examples", ids["train"] | ids["dev"]),
    ):
        content = json.loads((tmp_path / "out" / f"{name}-seed0.json").read_text(encoding="utf-8"))
        figures = content["evaluation"]["medmentions"]
        documents = (figures[variant] if variant else figures)["linking"]["documents"]
        n_seen = sum(bool(set(own or ()) & seen & data_set.kb().index.keys()) for own in test)
        assert sum(documents["linkable"]["seen"]) == n_seen


def test_a_mention_gets_no_votes_from_its_own_document(data_folder: Path, tiny_model: Path) -> None:
    data_set = open_data_set("medmentions", data_folder)
    finder = LinkerFinder(Linker.load(tiny_model, device="cpu", cache=False, progress=False))
    split = data_set.split("dev")
    found = finder.find(split, 64, 0)
    # one document under another id, one space more: the other documents are voted on by it, its mentions are not
    (first, *_) = split.corpus
    copy = Corpus([Document("copy", f"{first.text} ", _of(first, "copy"))])
    voters = Voters.of(finder, copy, split.kb)
    assert voters is not None
    near = voted(found, voters, "cpu").hood.near
    expected = finder.linker.with_examples(copy).neighbourhood(split.corpus, split.kb, 64, 0).near
    assert np.array_equal(near.items, expected.items)
    own = [number for number, (document, _) in enumerate(split.corpus.mentions) if document is first]
    plain = found.hood.near
    assert np.array_equal(near.items[own], plain.items[own])
    lead = near.affinities[own] - plain.affinities[own]
    is_there = plain.items[own] >= 0
    np.testing.assert_allclose(lead[is_there], lead[is_there][0], atol=1e-5)
    others = np.setdiff1d(np.arange(len(plain.items)), own)
    assert not np.array_equal(near.items[others], plain.items[others])


def _of(document: Document, name: str) -> tuple[Mention, ...]:
    return tuple(replace(each, id=f"{name}.{number}") for number, each in enumerate(document.mentions))


def test_a_linkers_own_examples_equal_those_of_a_finder(data_folder: Path, tiny_model: Path) -> None:
    data_set = open_data_set("medmentions", data_folder)
    finder = LinkerFinder(Linker.load(tiny_model, device="cpu", cache=False, progress=False))
    kb, dev = data_set.kb(), data_set.corpus("dev")
    assert Voters.of(finder, Corpus([Document("d", "no labels", ())]), kb) is None
    voters = Voters.of(finder, dev, kb)
    assert voters is not None
    about = voters.about(dev)
    assert about.own is not None
    known = np.flatnonzero(known_entities(dev, kb) >= 0)
    assert np.array_equal(about.entity, known_entities(dev, kb)[known])
    assert np.array_equal(about.own.of_examples, about.own.of_mentions[known])


class Told:
    """In place of a re-ranker: the scores are those of the towers turned round, and it notes its examples."""

    n = 4

    def __init__(self) -> None:
        self.examples: list[Corpus | None] = []

    def scores(self, corpus: Corpus, kb: object, items: Any, examples: Corpus | None) -> Any:
        self.examples.append(examples)
        return np.tile(np.arange(items.shape[1], dtype=np.float32), (len(items), 1))


def test_each_split_of_a_way_is_scored_once_with_its_own_examples(
    data_folder: Path, tiny_model: Path
) -> None:
    data_set = open_data_set("medmentions", data_folder)
    finder = LinkerFinder(Linker.load(tiny_model, device="cpu", cache=False, progress=False))
    examples = {"dev": data_set.corpus("train"), "test": data_set.corpus("train", "dev")}
    told: Any = Told()

    def find(split: str) -> Any:
        return finder.find(data_set.split(split), 8, 0)

    order = Reordering(
        SecondLook(told, [0.0, 1.0], 0.05), {"": Way(find), "examples": Way(find, examples.get)}
    )
    assert Way(find).examples("test") is None
    for variant in ("examples", "", "examples"):
        for split in ("test", "dev"):
            found = order.find(variant, split)
            assert found.before is not None
    assert told.examples == [examples["test"], examples["dev"], None, None]
