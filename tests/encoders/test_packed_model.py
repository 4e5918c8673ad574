"""A packed model is a model folder like any other, with nearly the vectors of the model that it was made of."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoders import TowerEncoder, load_encoder
from arborlink.encoders.building import build_tower
from arborlink.encoders.fingerprint import model_fingerprint
from arborlink.encoders.model_folder import (
    Inference,
    ModelSettings,
    read_settings,
    read_towers,
    write_inference,
)
from arborlink.encoders.packed_model.differences import Bits
from arborlink.encoders.packed_model.packing import Packed, pack_model
from arborlink.encoders.packed_model.tower_file import PackedTower
from arborlink.encoders.packed_model.unpacking import load_packed
from arborlink.entity import Entity
from arborlink.errors import ModelError
from arborlink.knowledge_base import KnowledgeBase

TrainALittle = Callable[..., Path]

CORPUS = Corpus(
    [Document("d", "the rat had a fever of the liver", (Mention("m", 4, 7), Mention("n", 14, 19)))]
)
KB = KnowledgeBase([Entity("r", "rat", ("rats",)), Entity("f", "fever", (), "a failure of the liver")])
SETTINGS = ModelSettings(24, 32, entity_views="names", inference=Inference("minimax", 3, 0.25))


@pytest.fixture
def trained(tiny_base: Path, train_a_little: TrainALittle) -> Path:
    return train_a_little(tiny_base, n_towers=2, settings=SETTINGS)


def cosines(one: Path, other: Path) -> NDArray[np.float32]:
    found = []
    for folder in (one, other):
        encoder = load_encoder(folder, device="cpu")
        assert isinstance(encoder, TowerEncoder)
        found.append([encoder.encode_mentions(CORPUS).vectors, encoder.encode_entities(KB).vectors])
    before, after = (np.concatenate(each) for each in found)
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return np.asarray((before * after).sum(axis=1) / lengths, dtype=np.float32)


@pytest.mark.parametrize("pooling", ["mean", "cls", "span"])
@pytest.mark.parametrize("n_towers", [1, 2])
def test_the_vectors_are_those_of_the_trained_model_nearly(
    tiny_base: Path, train_a_little: TrainALittle, tmp_path: Path, pooling: str, n_towers: int
) -> None:
    trained = train_a_little(tiny_base, n_towers=n_towers, pooling=pooling, settings=SETTINGS)
    packed = pack_model(trained, tmp_path / "packed")
    assert packed.bits == Bits(8, 8)
    assert (
        cosines(trained, tmp_path / "packed").min() > 0.9998
    )  # bfloat16, where the machine has it, is no nearer
    assert (
        cosines(trained, tmp_path / "packed").min()
        > cosines(trained, before_training(trained, tiny_base)).min()
    )
    size = sum(path.stat().st_size for path in (tmp_path / "packed").rglob("*") if path.is_file())
    assert packed.n_bytes == size < sum(path.stat().st_size for path in trained.rglob("*")) / 2


def before_training(trained: Path, base: Path) -> Path:
    """The model as it was before it was trained."""
    from arborlink.encoders.model_folder import write_towers

    settings = read_towers(trained)
    options: dict[str, Any] = {"normalise": True, "markers": settings.markers, "device": "cpu"}
    tower = build_tower(base, pooling="mean", role="both", **options)
    write_towers(trained.parent / "untrained", tower, tower, settings)
    return trained.parent / "untrained"


def test_the_folder(trained: Path, tmp_path: Path) -> None:
    packed = pack_model(trained, tmp_path / "packed")
    files = sorted(str(path.relative_to(tmp_path / "packed")) for path in (tmp_path / "packed").rglob("*.*"))
    assert files == ["README.md", "arborlink.json", "entity/delta.safetensors", "mention/delta.safetensors"]
    before, after = read_towers(trained), read_towers(tmp_path / "packed")
    assert after == packed.settings
    assert (after.inference, after.mention_tokens, after.entity_tokens) == (SETTINGS.inference, 24, 32)
    assert (after.markers, after.entity_views) == (before.markers, "names")
    assert after.fingerprint != before.fingerprint
    for name, digest in after.weights.items():
        content = (tmp_path / "packed" / name / "delta.safetensors").read_bytes()
        assert digest == sha256(content).hexdigest()


def test_bytes_weights_and_names_are_the_same_every_time(trained: Path, tmp_path: Path) -> None:
    one, other = (pack_model(trained, tmp_path / name).settings for name in ("one", "other"))
    assert one == other
    towers = [load_packed(tmp_path / name / "mention", "cpu", torch.float32) for name in ("one", "other")]
    prints = [model_fingerprint(tower, 24) for tower in towers]
    assert prints[0] == prints[1]
    assert (
        load_packed(tmp_path / "one" / "mention", "cpu", torch.bfloat16)[0].auto_model.dtype == torch.bfloat16
    )


def test_the_fingerprint_is_the_encoders_in_single_precision(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arborlink.encoders import network

    monkeypatch.setattr(network, "resolve_precision", lambda device: torch.float32)
    packed = pack_model(trained, tmp_path / "packed")
    assert load_encoder(tmp_path / "packed", device="cpu").fingerprint == packed.settings.fingerprint
    kept = load_encoder(tmp_path / "packed", device="cpu", cache=tmp_path / "cache")
    kept.encode_entities(KB)
    again = load_encoder(tmp_path / "packed", device="cpu", cache=tmp_path / "cache")
    again.encode_entities(KB)
    assert isinstance(again, TowerEncoder)
    assert again.entity_tower.n_encoded == 0


def test_of_frozen_embeddings_the_markers_alone_are_stored(
    tiny_base: Path, train_a_little: TrainALittle, tmp_path: Path
) -> None:
    trained = train_a_little(tiny_base, freeze=True)
    pack_model(trained, tmp_path / "packed")
    stored = PackedTower.read(tmp_path / "packed" / "tower" / "delta.safetensors").tensors
    of_words = {key for key in stored if "word_embeddings" in key}
    assert of_words == {"added/embeddings.word_embeddings.weight"}
    assert stored["added/embeddings.word_embeddings.weight"].shape == (3, 32)
    assert not any("pooler" in key or "position_embeddings" in key for key in stored)


def test_a_packed_model_can_be_tuned_trained_on_and_packed_again(trained: Path, tmp_path: Path) -> None:
    pack_model(trained, tmp_path / "packed")
    write_inference(tmp_path / "packed", Inference("directed", 1, 0.5))
    assert read_settings(tmp_path / "packed").inference == Inference("directed", 1, 0.5)
    tower = build_tower(
        tmp_path / "packed",
        pooling="span",
        normalise=True,
        role="entity",
        markers=SETTINGS.markers,
        device="cpu",
    )
    unpacked = load_packed(tmp_path / "packed" / "entity", "cpu", torch.float32)
    for name, values in unpacked.state_dict().items():
        assert torch.equal(values, tower.state_dict()[name])
    pack_model(tmp_path / "packed", tmp_path / "again")
    assert cosines(tmp_path / "packed", tmp_path / "again").min() > 0.9998


def test_bits_go_down_until_it_fits(trained: Path, tmp_path: Path) -> None:
    large = pack_model(trained, tmp_path / "large")
    limit = large.n_bytes - 4000 + (1 << 15)
    small = pack_model(trained, tmp_path / "small", most_bytes=limit)
    assert small.n_bytes < large.n_bytes
    assert small.bits.embeddings < 8
    with pytest.raises(
        ModelError, match=r"trained: packed at 2 bits, embeddings 2, it still has [\d,]+ bytes, .* room for"
    ):
        pack_model(trained, tmp_path / "tiny", most_bytes=50_000)
    assert not (tmp_path / "tiny").exists()


def test_what_is_added_counts_and_a_refusal_leaves_the_earlier_model(trained: Path, tmp_path: Path) -> None:
    seen = []

    def add(folder: Path, packed: Packed) -> None:
        seen.append(read_settings(folder).fingerprint == packed.settings.fingerprint)
        (folder / "more").write_bytes(bytes(1000))

    packed = pack_model(trained, tmp_path / "packed", finish=add)
    assert seen == [True]
    assert (tmp_path / "packed" / "more").stat().st_size == 1000

    def add_much(folder: Path, packed: Packed) -> None:
        (folder / "more").write_bytes(bytes(100_000))

    with pytest.raises(ModelError, match=rf"with all its files, it has {packed.n_bytes + 99_000:,} bytes"):
        pack_model(
            trained,
            tmp_path / "packed",
            most_bytes=packed.n_bytes + 90_000,
            finish=add_much,
        )
    assert (tmp_path / "packed" / "more").stat().st_size == 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["packed", "trained"]
    pack_model(trained, tmp_path / "packed")
    assert not (tmp_path / "packed" / "more").exists()


def test_the_real_base_with_small_differences(train_a_little: TrainALittle, tmp_path: Path) -> None:
    """All 22.7 million weights; embeddings frozen, so that a tower has 10.6 million numbers to store."""
    trained = train_a_little(None, freeze=True, amount=0.0005)
    packed = pack_model(trained, tmp_path / "packed")
    assert packed.bits == Bits(8, 8)
    assert packed.n_bytes < 10_800_000
    start = time.process_time()
    load_packed(tmp_path / "packed" / "tower", "cpu", torch.float32)
    assert time.process_time() - start < 3  # half a second, mostly
    assert cosines(trained, tmp_path / "packed").min() > 0.9995
