"""``link --name-share`` and ``tune --name-shares``: how much the comparison of names has to say beside towers."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from named_model import save_named_model

from arborlink.confidence import read_calibration
from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.result import Result

RunCommand = Callable[..., Any]
LABELLED = [
    ("Ada met Bob in London.", "Q1 Q2 Q3"),
    ("Ada saw Oslo.", "Q1 N1"),
    ("Bob left Oslo", "Q2 N1"),
    ("near Londinium came Lovelace and Bobby with Adam and Osla", "Q3 Q1 Q2 N2 N3"),
]


@pytest.fixture
def model(tiny_model: Path, tmp_path: Path) -> Path:
    return save_named_model(tiny_model, tmp_path / "model", 0.25)


@pytest.fixture
def dev(world: Path) -> Path:
    """The words that begin with a capital, in turn, are mentions of the entities that stand beside the sentence."""
    records = []
    for number, (text, entities) in enumerate(LABELLED):
        words = [word.strip(".") for word in text.split() if word[0].isupper()]
        spans = [(text.index(word), text.index(word) + len(word)) for word in words]
        mentions = [
            {"start": start, "end": end, "entity": entity}
            for (start, end), entity in zip(spans, entities.split(), strict=True)
        ]
        records.append({"id": f"s{number}", "text": text, "mentions": mentions})
    path = world / "dev.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def affinities(folder: Path) -> list[float | None]:
    return [link.affinity for link in Result.read(folder).links]


def test_link_with_a_share_is_link_with_a_model_that_has_it(
    link: RunCommand, world: Path, model: Path, tiny_model: Path, dev: Path
) -> None:
    other = save_named_model(tiny_model, world / "other", 0.7)
    assert link("--model", other).status == 0
    expected = affinities(world / "out")
    assert link("--model", model).status == 0
    plain = Result.read(world / "out").settings
    assert affinities(world / "out") != pytest.approx(expected)
    done = link("--model", model, "--name-share", 0.7)
    assert (done.status, done.err) == (0, "")
    assert affinities(world / "out") == pytest.approx(expected, abs=1e-6)
    settings = Result.read(world / "out").settings
    assert (plain["name_share"], settings["name_share"]) == (0.25, 0.7)
    assert settings["model"] == f"{plain['model']}+names-0.7"
    # examples vote with that share too
    assert link("--model", other, "--examples", dev).status == 0
    expected = affinities(world / "out")
    assert link("--model", model, "--examples", dev, "--name-share", 0.7).status == 0
    assert affinities(world / "out") == pytest.approx(expected, abs=1e-6)
    # its own share is as good as none
    assert link("--model", model, "--name-share", 0.25).status == 0
    assert Result.read(world / "out").settings["model"] == plain["model"]


def test_the_linker_comes_back_to_its_own(model: Path) -> None:
    linker = Linker.load(model, device="cpu", cache=False)
    assert linker.with_name_share(None) is linker
    other = linker.with_name_share(0.6)
    assert (linker.name_share, other.name_share) == (0.25, 0.6)
    assert other.name == f"{linker.name}+names-0.6"
    assert other.with_name_share(0.25).name == linker.name
    with pytest.raises(InputError, match=r"the share of names is 1; expected a number above 0 and below 1"):
        linker.with_name_share(1)


def test_a_calibration_is_for_the_share_that_it_was_learnt_with(
    link: RunCommand, run_command: RunCommand, world: Path, model: Path, dev: Path
) -> None:
    given = ("--kb", world / "kb.jsonl", "--dev", dev, "--model", model, "--name-share", 0.6)
    done = run_command("calibrate", *given, "--output", world / "calibrated", "--dry-run")
    assert done.status == 0, done.err
    calibration = world / "calibrated" / "calibration.json"
    assert read_calibration(calibration).model.endswith("+names-0.6")
    for share, fits in ((0.6, True), (0.25, False)):
        asked = ("--model", model, "--calibration", calibration, "--name-share", share)
        assert link(*asked, documents=dev).status == 0
        assert Result.read(world / "out").settings["calibration"].get("applied", True) is fits


def test_tune_takes_the_best_share(run_command: RunCommand, world: Path, model: Path, dev: Path) -> None:
    given = ("--kb", world / "kb.jsonl", "--dev", dev, "--model", model, "--modes", "minimax")
    before = (model / "arborlink.json").read_bytes()
    done = run_command("tune", *given, "--name-shares", "0.001, 0.05,0.5", "--output", world / "curve.json")
    assert (done.status, done.err) == (0, "")
    told = json.loads((world / "curve.json").read_text(encoding="utf-8"))
    tried = {each["name_share"]: each["nmi_ari_mean"] for each in told["name_shares"]}
    assert list(tried) == [0.001, 0.05, 0.5]
    for share, value in tried.items():
        alone = world / f"{share}.json"
        assert run_command("tune", *given, "--name-shares", share, "--output", alone).status == 0
        chosen = json.loads(alone.read_text(encoding="utf-8"))["chosen"]
        assert (chosen["name_share"], chosen["nmi_ari_mean"]) == (share, pytest.approx(value, abs=1e-9))
    best = told["chosen"]["name_share"]
    assert tried[best] == max(tried.values()) > min(tried.values())
    *_, chosen, where, last = done.out.splitlines()
    shown = [line.split() for line in done.out.splitlines() if " names " in line and "threshold" in line]
    assert [float(words[words.index("names") + 1]) for words in shown[:3]] == [0.001, 0.05, 0.5]
    assert [words[0] == "*" for words in shown[:3]] == [share == best for share in tried]
    assert chosen.endswith(f"share of names {best:g}")
    assert where == f"Written to {world / 'curve.json'}"
    # a share is not stored: the model would link all else by it as well
    begins = f"Not stored, as {model} has names with another share; link with: "
    assert last.startswith(begins)
    assert (model / "arborlink.json").read_bytes() == before
    options = shlex.split(last.removeprefix(begins))
    files = ("--kb", world / "kb.jsonl", "--documents", dev, "--output", world / "out", "--model", model)
    assert run_command("link", *files, *options).status == 0
    asked = ("--links", world / "out", "--documents", dev, "--kb", world / "kb.jsonl", "--json")
    figures = json.loads(run_command("evaluate", *asked).out)
    assert figures["ari"] == pytest.approx(told["chosen"]["ari"], abs=1e-9)


def test_a_model_that_has_the_best_share_keeps_what_was_chosen(
    run_command: RunCommand, world: Path, model: Path, dev: Path
) -> None:
    given = ("--kb", world / "kb.jsonl", "--dev", dev, "--model", model, "--modes", "minimax")
    done = run_command("tune", *given, "--name-shares", "0.25", "--neighbours", "1")
    assert done.out.splitlines()[-1] == f"Stored: {model} links so from now on"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("0.1,many", "--name-shares 0.1,many is not a list of numbers; write for example 0.1,0.2,0.3,0.45"),
        ("0.1,,0.2", "--name-shares 0.1,,0.2 is not a list of numbers; write for example 0.1,0.2,0.3,0.45"),
        ("0", "the share of names is 0; expected a number above 0 and below 1, such as 0.3"),
        ("0.2,1", "the share of names is 1; expected a number above 0 and below 1, such as 0.3"),
        ("nan", "the share of names is nan; expected a number above 0 and below 1, such as 0.3"),
    ],
)
def test_what_is_no_list_of_shares_is_told_before_anything_is_read(
    run_command: RunCommand, world: Path, given: str, told: str
) -> None:
    done = run_command("tune", "--kb", world / "nowhere", "--dev", world / "nowhere", "--name-shares", given)
    assert (done.status, done.out, done.err) == (2, "", f"arborlink: {told}\n")


@pytest.mark.parametrize("verb", ["link", "calibrate"])
def test_what_is_no_share_is_told_before_anything_is_read(
    run_command: RunCommand, world: Path, verb: str
) -> None:
    documents = "--documents" if verb == "link" else "--dev"
    files = ("--kb", world / "nowhere", documents, world / "nowhere", "--output", world / "out")
    done = run_command(verb, *files, "--name-share", "1.5")
    told = "arborlink: the share of names is 1.5; expected a number above 0 and below 1, such as 0.3\n"
    assert (done.status, done.out, done.err) == (2, "", told)
    assert not (world / "out").exists()


def test_a_model_without_names_beside_towers_has_no_share(
    link: RunCommand, run_command: RunCommand, world: Path, tiny_model: Path, dev: Path
) -> None:
    told = (
        "arborlink: the share of names is 0.3, but this model has no comparison of names beside towers; "
        "leave it out\n"
    )
    done = link("--model", tiny_model, "--name-share", 0.3)
    assert (done.status, done.err) == (2, told)
    assert not (world / "out").exists()
    given = ("--kb", world / "kb.jsonl", "--dev", dev, "--model", tiny_model, "--name-shares", "0.3")
    assert (run_command("tune", *given).err) == told
    linker = Linker.load(tiny_model, device="cpu", cache=False)
    assert (
        linker.link(Corpus.read(dev), KnowledgeBase.read(world / "kb.jsonl")).settings["name_share"] is None
    )
