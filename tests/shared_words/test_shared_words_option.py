"""``--shared-words`` of ``link``, ``tune`` and ``calibrate``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result import Result
from arborlink.shared_words import usual_length

RunCommand = Callable[..., Any]

# a sentence, and who Mercury is in it; nobody of that name is in the knowledge base as "ship"
SENTENCES = [
    ("Mercury ran out of the glass thermometer", "metal"),
    ("Mercury in its orbit is near to the sun", "planet"),
    ("Rome saw Mercury with wings on", "god"),
    ("The Zephyr put to sea", "ship"),
]


@pytest.fixture
def place(tmp_path: Path, mercury: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands are run in, with a knowledge base and documents."""
    mercury.write(tmp_path / "kb.jsonl")
    records = []
    for number, (text, label) in enumerate(SENTENCES * 6):
        word = "Zephyr" if label == "ship" else "Mercury"
        start = text.index(word)
        mention = {"start": start, "end": start + len(word), "entity": label}
        records.append({"id": f"d{number}", "text": text, "mentions": [mention]})
    text = "".join(json.dumps(record) + "\n" for record in records)
    (tmp_path / "documents.jsonl").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def link(run_command: RunCommand, place: Path, tiny_model: Path) -> RunCommand:
    """``link("--shared-words", 0.3)``: into the folder ``out``, by names alone."""

    def run(*options: object) -> Any:
        files = ("--kb", "kb.jsonl", "--documents", "documents.jsonl", "--output", "out")
        return run_command("link", *files, "--model", tiny_model, "--inference", "independent", *options)

    return run


def linked(folder: Path) -> list[str | None]:
    """The entities of the first four mentions."""
    return [each.entity for each in Result.read(folder).links][:4]


def test_link_says_in_the_manifest_what_it_did(link: RunCommand, place: Path) -> None:
    done = link()
    assert (done.status, done.err) == (0, "")
    # three entities of one name are equally near: the first of them it is
    assert linked(place / "out")[:3] == ["planet"] * 3
    plain = json.loads((place / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert plain["shared_words"] == 0.0
    done = link("--shared-words", "0.3", "--candidates", "3")
    assert (done.status, done.err) == (0, "")
    assert linked(place / "out")[:3] == ["metal", "planet", "god"]
    manifest = json.loads((place / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["shared_words"] == 0.3
    assert manifest["model"] == f"{plain['model']}+shared-words-0.3"
    assert manifest["seconds"]["shared_words"] >= 0
    assert link("--shared-words", "0").status == 0
    again = json.loads((place / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (again["shared_words"], again["model"]) == (0.0, plain["model"])


def test_the_candidates_of_a_result_are_in_the_order_that_words_gave(
    link: RunCommand, run_command: RunCommand, place: Path
) -> None:
    recall = []
    for share in ("0", "0.3"):
        assert link("--shared-words", share, "--candidates", "1").status == 0
        given = ("--links", "out", "--documents", "documents.jsonl", "--kb", "kb.jsonl", "--json")
        recall.append(json.loads(run_command("evaluate", *given).out)["recall_at_1"])
    assert recall == pytest.approx([1 / 3, 1])


@pytest.mark.parametrize("verb", ["link", "tune", "calibrate"])
@pytest.mark.parametrize(
    ("given", "told"), [("nan", "nan"), ("-1", "-1.0"), ("inf", "inf"), ("-0.2", "-0.2")]
)
def test_what_is_no_share_is_told_in_one_line(
    run_command: RunCommand, place: Path, verb: str, given: str, told: str
) -> None:
    """Before a model is looked for, which is not there."""
    documents = "--documents" if verb == "link" else "--dev"
    files = ("--kb", "kb.jsonl", documents, "documents.jsonl", "--output", "out")
    done = run_command(verb, *files, "--model", "nowhere", "--no-cache", "--shared-words", given)
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        f"arborlink: the share of shared words is {told}; expected a number above 0, such as 0.4\n"
    )
    assert sorted(path.name for path in place.iterdir()) == ["documents.jsonl", "kb.jsonl"]


def test_what_is_no_number_is_a_matter_of_usage(link: RunCommand, place: Path) -> None:
    done = link("--shared-words", "many")
    assert done.status == 2
    assert "Invalid value for '--shared-words'" in done.err
    assert not (place / "out").exists()


def test_link_says_when_descriptions_are_long(link: RunCommand, place: Path, mercury: KnowledgeBase) -> None:
    hint = (
        "Descriptions have 63 words (median): --shared-words 0.4 would compare them with what stands around "
        "mentions\n"
    )
    assert "--shared-words" not in link().out
    KnowledgeBase(
        Entity(each.id, each.name, description=" ".join([each.description] * n))
        for each, n in zip(mercury, (8, 9, 1), strict=True)
    ).write(place / "kb.jsonl")
    assert hint in link().out
    assert "--shared-words" not in link("--shared-words", "0.4").out


def test_the_usual_length_is_that_of_the_middle_one() -> None:
    def usual(*lengths: int) -> int:
        return usual_length(
            KnowledgeBase(
                Entity(str(number), "name", description="so " * length)
                for number, length in enumerate(lengths)
            )
        )

    assert usual(0, 0, 70) == 0
    assert usual(0, 60, 70) == 60
    # of many entities some are looked at, from the first to the last
    assert usual(*range(5000)) == pytest.approx(2500, abs=10)


def test_tune_chooses_for_links_with_shared_words(
    run_command: RunCommand, link: RunCommand, place: Path, tiny_model: Path
) -> None:
    for share, accuracy in (("0", 1 / 3), ("0.3", 1)):
        done = run_command(
            *("tune", "--kb", "kb.jsonl", "--dev", "documents.jsonl", "--model", tiny_model),
            *("--modes", "independent", "--output", f"{share}.json", "--shared-words", share),
            *("--aim", "wrong-links<=0.8"),
        )
        assert (done.status, done.err) == (0, "")
        assert done.out.endswith(" --shared-words 0.3\n") == (share != "0")
        chosen = json.loads((place / f"{share}.json").read_text(encoding="utf-8"))["chosen"]
        assert chosen["accuracy"] == pytest.approx(accuracy)
        assert link("--shared-words", share, "--threshold", repr(chosen["threshold"])).status == 0
        assert Result.read(place / "out").settings["n_linked"] == chosen["n_linked"]


def test_a_calibration_is_for_the_words_that_it_was_learnt_with(
    run_command: RunCommand, link: RunCommand, place: Path, tiny_model: Path
) -> None:
    done = run_command(
        *("calibrate", "--kb", "kb.jsonl", "--dev", "documents.jsonl", "--model", tiny_model),
        *("--inference", "independent", "--output", "sure", "--shared-words", "0.3"),
    )
    assert (done.status, done.err) == (0, "")
    assert "link with: --calibration sure/calibration.json" in done.out
    assert done.out.endswith(" --shared-words 0.3\n")
    told = json.loads((place / "sure" / "calibration.json").read_text(encoding="utf-8"))
    assert told["model"].endswith("+shared-words-0.3")
    assert link("--calibration", "sure", "--shared-words", "0.3").status == 0
    assert Result.read(place / "out").settings["calibration"]["applied"]
    done = link("--calibration", "sure")
    assert "No probabilities: the calibration does not fit" in done.out
    assert not Result.read(place / "out").settings["calibration"]["applied"]
