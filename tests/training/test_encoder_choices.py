"""The choices in ``[encoder]`` and the trainer's ways: each trains, and changes what it says and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from training_world import dev_documents, run, small_kb, weights

from arborlink.encoder import Embeddings
from arborlink.encoders.blended import BlendedEncoder, NamesBeside
from arborlink.encoders.building import build_tower
from arborlink.encoders.views import Markers
from arborlink.linker import Linker
from arborlink.training import TrainingReport

Sections = dict[str, Any]
WORDS = "embeddings.word_embeddings.weight"
PLACES = ("embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight")
N_MARKERS = 3

CHOICES: dict[str, Sections] = {
    "one tower": {"encoder": {"towers": "one"}},
    "cls": {"encoder": {"pooling": "cls"}},
    "span": {"encoder": {"pooling": "span"}},
    "one tower, span": {"encoder": {"pooling": "span", "towers": "one"}},
    "raw inner product": {"encoder": {"normalise": False, "temperature": 1.0}},
    "names": {"encoder": {"entity_views": "names"}},
    "names beside the towers": {"encoder": {"name_share": 0.3}},
    "sameness of names": {"encoder": {"name_share": 0.3, "sameness": 0.4}},
    "names of descriptions": {"encoder": {"name_share": 0.3, "description_names": True}},
    "adapters": {"encoder": {"lora_rank": 4}, "trainer": {"learning_rate": 2e-2}},
    "one tower, adapters": {"encoder": {"lora_rank": 4, "towers": "one"}, "trainer": {"learning_rate": 2e-2}},
    "frozen embeddings": {"encoder": {"freeze_embeddings": True}},
    "no dropout": {"encoder": {"dropout": 0.0}},
    "nearest positives": {"objective": {"positives": "nearest"}},
    "random positives": {"objective": {"positives": "random"}},
    "by type": {"objective": {"by_type": True}},
    "own negatives": {
        "objective": {"shared_negatives": False, "entity_negatives": 8, "mention_negatives": 8},
        "trainer": {"epochs": 8},
    },
    "mined in mid-epoch": {"objective": {"mine_every": 2}},
    "a constant rate": {"trainer": {"schedule": "constant"}},
    "a cosine": {"trainer": {"schedule": "cosine"}},
    "mentions from everywhere": {"trainer": {"block_size": 1}},
    "bf16": {"trainer": {"precision": "bf16"}},
}


@pytest.fixture
def full_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linking would take half of it where the hardware has it, and these trainings take all."""
    monkeypatch.setattr("arborlink.encoders.network.resolve_precision", lambda device: torch.float32)


def trained(base: Path, folder: Path, sections: Sections) -> TrainingReport:
    return run(base, folder, **(sections | {"trainer": {"epochs": 4} | sections.get("trainer", {})}))


@pytest.mark.usefixtures("full_precision")
@pytest.mark.parametrize("choice", CHOICES)
def test_every_choice_learns_and_links_as_it_was_judged(
    tiny_model: Path, tmp_path: Path, choice: str
) -> None:
    sections, folder = CHOICES[choice], tmp_path / "model"
    report = trained(tiny_model, folder, sections)
    assert report.epochs[-1].loss < 0.98 * report.epochs[0].loss
    linker = Linker.load(folder, device="cpu", cache=False)
    assert linker.defaults == report.inference
    assert linker.defaults.by_type == (choice == "by type")
    dev = dev_documents()
    result = linker.link(dev, small_kb())
    right = [result[mention.id].entity == (mention.entities or ("",))[0] for _, mention in dev.mentions]
    # Linking keeps vectors in half precision, and bf16 rounds what the judge sees: a near tie may fall otherwise.
    allowed = 2 if choice == "bf16" else 1
    assert abs(sum(right) - len(right) * report.best.dev["accuracy"]) <= allowed + 1e-9
    towers = {"tower"} if sections.get("encoder", {}).get("towers") == "one" else {"mention", "entity"}
    assert {path.parent.name for path in folder.glob("*/model.safetensors")} == towers
    for name in towers:
        tower = SentenceTransformer(str(folder / name), device="cpu", trust_remote_code="span" in choice)
        assert tower.encode(["we saw one"]).shape == (1, 32)


def first_and_last(base: Path, folder: Path, tower: str = "mention") -> tuple[dict[str, Any], dict[str, Any]]:
    """The weights a tower began with, markers included, and those that were saved."""
    begun = build_tower(
        str(base), role="mention", pooling="mean", normalise=True, markers=Markers(), device="cpu"
    )
    network: Any = begun[0].auto_model
    return network.state_dict(), weights(folder / tower)


def assert_markers_alone_moved(before: torch.Tensor, after: torch.Tensor, n_moved: int) -> None:
    assert after.shape == before.shape
    assert before[:-N_MARKERS].equal(after[:-N_MARKERS])
    moved = [not before[row].equal(after[row]) for row in range(-N_MARKERS, 0)]
    assert moved.count(True) == n_moved


def test_frozen_embeddings_stay_but_for_the_markers(tiny_model: Path, tmp_path: Path) -> None:
    sections: Sections = {"encoder": {"freeze_embeddings": True}, "trainer": {"weight_decay": 0.1}}
    trained(tiny_model, tmp_path / "model", sections)
    for tower, n_markers_seen in (("mention", 2), ("entity", 1)):
        before, after = first_and_last(tiny_model, tmp_path / "model", tower)
        assert_markers_alone_moved(before[WORDS], after[WORDS], n_markers_seen)
        assert all(before[name].equal(after[name]) for name in PLACES)
        assert not before["embeddings.LayerNorm.weight"].equal(after["embeddings.LayerNorm.weight"])
        layer = "encoder.layer.0.attention.self.query.weight"
        assert not before[layer].equal(after[layer])


def test_otherwise_embeddings_are_trained(tiny_model: Path, tmp_path: Path) -> None:
    trained(tiny_model, tmp_path / "model", {})
    before, after = first_and_last(tiny_model, tmp_path / "model")
    assert not before[WORDS][:-N_MARKERS].equal(after[WORDS][:-N_MARKERS])
    assert not before[PLACES[0]].equal(after[PLACES[0]])


@pytest.mark.parametrize("towers", ["two", "one"])
def test_adapters_are_merged_into_layers_and_leave_the_rest(
    tiny_model: Path, tmp_path: Path, towers: str
) -> None:
    sections: Sections = {"encoder": {"lora_rank": 2, "towers": towers}, "trainer": {"weight_decay": 0.0}}
    trained(tiny_model, tmp_path / "model", sections)
    before, after = first_and_last(tiny_model, tmp_path / "model", "mention" if towers == "two" else "tower")
    assert set(after) <= set(before)
    assert_markers_alone_moved(before[WORDS], after[WORDS], 2 if towers == "two" else N_MARKERS)
    for name, value in after.items():
        is_layer = name.startswith("encoder.") and name.endswith(".weight") and "LayerNorm" not in name
        assert name == WORDS or value.equal(before[name]) != is_layer, name
        if is_layer:
            assert torch.linalg.matrix_rank(value - before[name], rtol=1e-3) <= 2


def test_chunks_change_memory_and_not_the_training(tiny_model: Path, tmp_path: Path) -> None:
    whole, chunked = (
        run(tiny_model, tmp_path / str(tokens), encoder={"dropout": 0.0}, trainer={"chunk_tokens": tokens})
        for tokens in (0, 64)
    )
    assert [loss for _, loss in chunked.losses] == pytest.approx([loss for _, loss in whole.losses], rel=1e-5)
    assert [epoch.dev for epoch in chunked.epochs] == [epoch.dev for epoch in whole.epochs]


def test_steps_added_up_are_one_update(tiny_model: Path, tmp_path: Path) -> None:
    report = run(tiny_model, tmp_path / "model", trainer={"batch_size": 12, "accumulate": 3})
    assert [epoch.n_steps for epoch in report.epochs] == [2, 2]  # 5 steps: three, and the remaining two
    # the loss is a mean over steps, however many are added up
    alone = run(tiny_model, tmp_path / "alone", trainer={"batch_size": 12, "accumulate": 1})
    assert report.epochs[0].loss == pytest.approx(alone.epochs[0].loss, rel=0.2)


def test_mining_again_in_mid_epoch_takes_the_weights_of_the_moment(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arborlink.training.mining import Mining

    mined: list[torch.Tensor] = []
    mine = Mining.mine

    def remember(mining: Mining, mentions: torch.Tensor, entities: torch.Tensor, epoch: int) -> Any:
        mined.append(mentions.clone())
        return mine(mining, mentions, entities, epoch)

    monkeypatch.setattr(Mining, "mine", remember)
    run(tiny_model, tmp_path / "model", objective={"mine_every": 2})
    assert len(mined) == 4  # twice in each epoch of four steps
    assert not any(mined[number].equal(mined[number + 1]) for number in range(3))


def test_lengths_and_views_are_those_of_the_training(tiny_model: Path, tmp_path: Path) -> None:
    run(tiny_model, tmp_path / "model", encoder={"mention_tokens": 24, "entity_views": "names"})
    settings = json.loads((tmp_path / "model" / "arborlink.json").read_text())
    assert (settings["mention_tokens"], settings["entity_tokens"], settings["entity_views"]) == (
        24,
        32,
        "names",
    )


def test_the_shares_of_names_are_those_of_the_training(tiny_model: Path, tmp_path: Path) -> None:
    encoder = {"name_share": 0.3, "sameness": 0.4, "description_names": True}
    report = run(tiny_model, tmp_path / "model", encoder=encoder)
    settings = json.loads((tmp_path / "model" / "arborlink.json").read_text())
    assert {name: settings[name] for name in encoder} == encoder
    assert {name: report.config["encoder"][name] for name in encoder} == encoder
    card = (tmp_path / "model" / "README.md").read_text()
    told = "the comparison of names has a share of 0.3 in an affinity, and sameness one of 0.4 in that"
    assert f"{told}; descriptions give names too" in card
    loaded = Linker.load(tmp_path / "model", device="cpu", cache=False).encoder
    assert isinstance(loaded, BlendedEncoder)
    assert (loaded.share, loaded.names.sameness, loaded.names.description_names) == (0.3, 0.4, True)


def test_the_judge_sees_the_vectors_that_linking_makes(
    tiny_model: Path, tmp_path: Path, full_precision: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[tuple[Embeddings, Embeddings]] = []
    beside = NamesBeside.beside

    def remember(names: NamesBeside, *vectors: Embeddings) -> tuple[Embeddings, Embeddings]:
        judged.append(beside(names, *vectors))
        return judged[-1]

    monkeypatch.setattr(NamesBeside, "beside", remember)
    encoder = {"name_share": 0.3, "sameness": 0.4}
    run(tiny_model, tmp_path / "model", encoder=encoder, trainer={"epochs": 1})
    loaded = Linker.load(tmp_path / "model", device="cpu", cache=False).encoder
    dev, kb = dev_documents(), small_kb()
    linked = loaded.encode_mentions(dev), loaded.encode_entities(kb, dev)
    for found, expected in zip(linked, judged[-1], strict=True):
        np.testing.assert_array_equal(found.offsets, expected.offsets)
        np.testing.assert_allclose(found.vectors[found.rows], expected.vectors[expected.rows], atol=2e-3)
