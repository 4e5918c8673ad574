"""Links that say how sure they are: in memory, on disk, in the evaluation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calibration_world import DrawnWorld, drawn_world

from arborlink.calibration import calibrate
from arborlink.calibration.picture import draw_reliability
from arborlink.confidence import Calibration
from arborlink.corpus import Corpus
from arborlink.document import Document
from arborlink.encoder import Embeddings
from arborlink.encoders.model_folder import Inference
from arborlink.errors import InputError, ResultError
from arborlink.evaluation import evaluate
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.result import Result

WAY = Inference("directed", 1, 0.6)
PAGE = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")


class VectorEncoder:
    """Entities in pairs that are alike, and mentions near to theirs, the farther the more their id says so."""

    fingerprint = "vectors"

    def __init__(self, n_entities: int = 40, noise: float = 0.3) -> None:
        rng = np.random.default_rng(7)
        twins = np.repeat(rng.normal(size=(n_entities // 2, 24)), 2, axis=0)
        self.entities = (twins + 0.6 * rng.normal(size=twins.shape)).astype(np.float32)
        self.entities /= np.linalg.norm(self.entities, axis=1, keepdims=True)
        self.noise = noise

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        vectors = []
        for _, mention in corpus.mentions:
            rng = np.random.default_rng([ord(letter) for letter in mention.id])
            label = (mention.entities or ("E0",))[0]
            near = self.entities[int(label[1:])] if label[0] == "E" else rng.normal(size=24) / 5
            vectors.append(near + rng.normal(size=24) * self.noise * rng.random())
        found = np.array(vectors, np.float32)
        return Embeddings.one_each(found / np.linalg.norm(found, axis=1, keepdims=True))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        return Embeddings.one_each(self.entities[[int(entity.id[1:]) for entity in kb]])


@pytest.fixture(scope="module")
def world() -> DrawnWorld:
    return drawn_world(1, n_documents=40)


@pytest.fixture(scope="module")
def linker(world: DrawnWorld) -> Linker:
    linker = Linker(VectorEncoder(), progress=False, defaults=WAY)
    linker.calibration = calibrate(linker, world.corpus, world.kb, target_error=0.1).calibration
    return linker


def test_links_carry_what_the_calibration_says(linker: Linker) -> None:
    other = drawn_world(2, n_documents=20)
    result = linker.link(other.corpus, other.kb)
    said = result.settings["calibration"]
    answers = [link.answer for link in result]
    assert said == {
        "applied": True,
        "target_error": 0.1,
        **{f"n_{each}": answers.count(each) for each in ("linked", "new", "unsure")},
    }
    assert min(said["n_linked"], said["n_new"], said["n_unsure"]) > 0
    assert all(link.probability is not None and 0 <= link.probability <= 1 for link in result)
    assert all((link.answer == "new") <= (link.entity is None) for link in result)
    fewer = linker.link(other.corpus, other.kb, target_error=0.03)
    assert fewer.settings["calibration"]["n_unsure"] > said["n_unsure"]
    assert fewer.settings["calibration"]["target_error"] == 0.03
    assert [link.probability for link in fewer] == [link.probability for link in result]
    assert linker.link(other.corpus, other.kb, candidates=8).links == result.links


def test_another_way_of_linking_has_no_probabilities_and_says_why(linker: Linker, world: DrawnWorld) -> None:
    result = linker.link(world.corpus, world.kb, neighbours=2)
    reason = "it is for neighbours 1, and the documents are linked with 2"
    assert result.settings["calibration"] == {"applied": False, "reason": reason}
    assert {(link.probability, link.answer) for link in result} == {(None, None)}
    with pytest.raises(
        InputError, match=f"a target error is given, but the calibration does not fit: {reason}"
    ):
        linker.link(world.corpus, world.kb, neighbours=2, target_error=0.1)
    with pytest.raises(
        InputError, match="a target error is given, but there is no calibration; run `arborlink"
    ):
        Linker(linker.encoder, progress=False).link(world.corpus, world.kb, target_error=0.1)
    with pytest.raises(InputError, match="the target error is 0; expected a share"):
        linker.link(world.corpus, world.kb, target_error=0)
    other = Linker(
        linker.encoder, progress=False, defaults=WAY, model="other", calibration=linker.calibration
    )
    assert "of the model vectors" in other.link(world.corpus, world.kb).settings["calibration"]["reason"]


def test_result_folders_with_and_without_probabilities_read_back(
    linker: Linker, world: DrawnWorld, tmp_path: Path
) -> None:
    result = linker.link(world.corpus, world.kb)
    result.write(tmp_path / "sure")
    assert Result.read(tmp_path / "sure").links == result.links
    plain = Linker(linker.encoder, progress=False, defaults=WAY).link(world.corpus, world.kb)
    assert "calibration" not in plain.settings
    plain.write(tmp_path / "plain")
    (first, *_) = (tmp_path / "plain" / "links.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(first).keys().isdisjoint({"probability", "answer"})
    assert Result.read(tmp_path / "plain").links == plain.links
    assert [replace(link, probability=None, answer=None) for link in result] == list(plain.links)


def test_a_link_of_an_unknown_field_is_of_another_version(
    linker: Linker, world: DrawnWorld, tmp_path: Path
) -> None:
    result = linker.link(world.corpus, world.kb)
    links = [{**link.to_dict(), "certainty": 1} for link in result.links]
    from arborlink.result.folder import write_folder

    write_folder(tmp_path, {"links.jsonl": links, "clusters.jsonl": []}, result.settings)
    with pytest.raises(ResultError, match="not links of this version"):
        Result.read(tmp_path)


def test_the_evaluation_judges_probabilities_and_answers(linker: Linker, tmp_path: Path) -> None:
    other = drawn_world(2, n_documents=20)
    result = linker.link(other.corpus, other.kb)
    found = evaluate(result, other.corpus, other.kb, bootstrap=0)
    links = list(result)
    was = np.array(
        [
            link.entity in (mention.entities or ())
            if link.entity
            else not (mention.entities or ("",))[0].startswith("E")
            for link, (_, mention) in zip(links, other.corpus.mentions, strict=True)
        ]
    )
    said = np.array([link.probability for link in links], float)
    answered = np.array([link.answer != "unsure" for link in links])
    is_link = np.array([link.entity is not None for link in links])
    assert found["brier_score"] == pytest.approx(np.mean((said - was) ** 2))
    assert found["brier_score_new"] == pytest.approx(np.mean((said - was)[~is_link] ** 2))
    assert found["answered"] == pytest.approx(answered.mean())
    assert found["answered_precision"] == pytest.approx(was[answered].mean())
    assert found["answered_links"] == pytest.approx(answered[is_link].mean())
    assert found["answered_new_precision"] == pytest.approx(was[answered & ~is_link].mean())
    assert found["calibration_error"] is not None
    assert found["calibration_error"] < 0.1
    assert "calibration over labelled mentions" in found.protocol
    result.write(tmp_path / "result")
    again = evaluate(tmp_path / "result", other.corpus, other.kb, bootstrap=0)
    assert again.to_dict() == found.to_dict()
    missing = [figure.key for figure in found.group("calibration") if f"`{figure.key}`" not in PAGE]
    assert missing == []


def test_links_without_probabilities_have_no_figures_of_calibration(
    world: DrawnWorld, tmp_path: Path
) -> None:
    result = Linker(VectorEncoder(), progress=False).link(world.corpus, world.kb)
    found = evaluate(result, world.corpus, world.kb, bootstrap=0)
    assert found.group("calibration") == ()
    assert "calibration" not in found.protocol


def test_links_of_one_kind_say_why_the_other_has_no_figure(world: DrawnWorld, tmp_path: Path) -> None:
    id_ = world.corpus.mentions[0][1].id
    record: dict[str, Any] = {"mention": id_, "entity": "E0", "probability": 0.25, "answer": "unsure"}
    (tmp_path / "links.jsonl").write_text(json.dumps(record), encoding="utf-8")
    found = evaluate(tmp_path / "links.jsonl", world.corpus, world.kb, bootstrap=0)
    assert found["answered"] == 0
    assert found.reasons["brier_score_new"] == "no labelled mention left unlinked has a probability"
    assert found.reasons["answered_precision"] == "nothing is answered"
    assert found.reasons["answered_new"] == "there is no labelled mention left unlinked"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"probability": 1.5}, "probability is 1.5; expected a number from 0 to 1, or null"),
        ({"probability": True}, "probability is True; expected"),
        ({"answer": "maybe"}, "answer is 'maybe'; expected one of linked, new, unsure, or null"),
    ],
)
def test_records_that_say_nonsense_are_told_with_their_line(
    world: DrawnWorld, tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    record = {"mention": world.corpus.mentions[0][1].id, "entity": None, **fields}
    (tmp_path / "links.jsonl").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError) as told:
        evaluate(tmp_path / "links.jsonl", world.corpus, world.kb)
    assert str(told.value).startswith(f"{tmp_path / 'links.jsonl'}:1: {message}")


def test_hiding_entities_makes_links_less_sure_and_new_ones_known(linker: Linker) -> None:
    whole = drawn_world(4, n_documents=30, missing=0.0)
    plain = calibrate(linker, whole.corpus, whole.kb)
    hidden = calibrate(linker, whole.corpus, whole.kb, hide=0.3, seed=1)
    assert plain.calibration.new is None
    assert plain.links is not None
    assert hidden.calibration.new is not None
    assert hidden.links is not None
    assert hidden.calibration.about["hidden"] == 0.3
    assert hidden.calibration.about["n_outside_kb"] > 0 == plain.calibration.about["n_outside_kb"]
    assert hidden.links.figures()["share_right"] < plain.links.figures()["share_right"]
    picture = draw_reliability(hidden)
    assert picture.count('class="line b"') == 3
    assert draw_reliability(plain).count('class="line b"') == 0


def test_labels_that_cannot_tell_are_told(linker: Linker, world: DrawnWorld) -> None:
    first, *_ = world.corpus.documents
    bare = Document(
        "bare", first.text, tuple(replace(each, id=f"b{each.id}", entities=None) for each in first.mentions)
    )
    with pytest.raises(
        InputError, match="documents with a labelled mention: 1; a calibration is learnt on some"
    ):
        calibrate(linker, Corpus([first, bare]), world.kb)
    assert isinstance(linker.calibration, Calibration)
