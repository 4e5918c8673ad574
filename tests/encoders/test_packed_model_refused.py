"""Models that cannot be packed, packed models that cannot be loaded, and folders that cannot be written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from arborlink.encoders import embedded, load_encoder
from arborlink.encoders.model_folder import ModelSettings
from arborlink.encoders.packed_model.packing import pack_model
from arborlink.encoders.packed_model.tower_file import PackedTower
from arborlink.encoders.packed_model.unpacking import load_packed
from arborlink.errors import InputError, ModelError

TrainALittle = Callable[..., Path]


@pytest.fixture
def trained(tiny_base: Path, train_a_little: TrainALittle) -> Path:
    return train_a_little(tiny_base, n_towers=2)


def test_folders_that_are_in_use(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter").touch()
    for target, message in (
        (tmp_path / "file", "is a file; name a folder"),
        (tmp_path / "full", "is not empty and holds no packed model"),
        (trained, "is the model itself"),
    ):
        with pytest.raises(InputError, match=message):
            pack_model(trained, target)
    (tmp_path / "empty").mkdir()
    assert pack_model(trained, tmp_path / "empty").n_bytes > 0


def test_a_damaged_pack_is_told(trained: Path, tmp_path: Path) -> None:
    pack_model(trained, tmp_path / "packed")
    path = tmp_path / "packed" / "entity" / "delta.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(
        ModelError, match=rf"^{re.escape(str(path))}: the weights are not those the model was saved"
    ):
        load_encoder(tmp_path / "packed", device="cpu")
    path.write_bytes(content[:-100])
    with pytest.raises(
        ModelError, match=r"delta\.safetensors: the packed tower cannot be read: .*copy the model"
    ):
        load_packed(path.parent, "cpu", torch.float32)
    path.unlink()
    with pytest.raises(ModelError, match="the weights cannot be read"):
        load_encoder(tmp_path / "packed", device="cpu")


def rewrite(path: Path, tensors: dict[str, Any] | None = None, **changes: Any) -> None:
    from safetensors.numpy import load_file, save_file

    packed = PackedTower.read(path)
    about = {
        "version": 1,
        "base": packed.base,
        "markers": list(packed.markers.all),
        "modules": packed.modules,
        "max_length": packed.max_length,
    }
    save_file(load_file(path) | (tensors or {}), path, metadata={"arborlink": json.dumps(about | changes)})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"base": "0" * 64}, "was packed for another base model .*000000000000…, the embedded one has"),
        ({"version": 2}, "packed as version 2, but this ArborLink reads version 1"),
        ({"markers": ["[S]"]}, "not a tower that ArborLink packed"),
        ({"modules": [["Dense", {}]]}, "is damaged: it has a module 'Dense'; expected one of Pooling"),
        ({"modules": [["Pooling", {"colour": 1}]]}, "is damaged: .*colour"),
        ({"tensors": {"values/gone": np.zeros(2)}}, "is damaged: 'gone'; copy the model again"),
        (
            {"tensors": {"values/pooler.dense.bias": np.zeros(2)}},
            r"damaged: pooler.dense.bias has the shape \(2,\)",
        ),
        ({"tensors": {"levels/pooler.dense.weight": np.zeros(2)}}, "damaged: pooler.dense.weight: "),
    ],
)
def test_a_pack_that_is_not_in_order_is_told(
    trained: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    pack_model(trained, tmp_path / "packed")
    path = tmp_path / "packed" / "mention" / "delta.safetensors"
    rewrite(path, **changes)
    with pytest.raises(ModelError, match=message):
        load_packed(path.parent, "cpu", torch.float32)


def test_a_file_of_somebody_else(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"a": np.zeros(2)}, tmp_path / "delta.safetensors")
    with pytest.raises(ModelError, match=r"not a tower that ArborLink packed \('arborlink'\)"):
        load_packed(tmp_path, "cpu", torch.float32)


def test_without_the_base_model(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack_model(trained, tmp_path / "packed")

    def gone() -> Path:
        raise ModelError("the embedded model is not installed")

    monkeypatch.setattr(embedded, "embedded_folder", gone)
    with pytest.raises(ModelError, match="not installed"):
        load_encoder(tmp_path / "packed", device="cpu")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"dimension": 16}, "was not trained from the embedded base model, or is damaged: .* has the shape"),
        ({"tokenizer": "byte pairs"}, "its vocabulary is not that of|has the shape"),
        ({"heads": 2}, "its settings is not that of the embedded base model"),
    ],
)
def test_models_of_another_base_cannot_be_packed(
    tiny_base: Path, build_model: Any, train_a_little: TrainALittle, tmp_path: Path, other: Any, message: str
) -> None:
    trained = train_a_little(build_model(**other))
    with pytest.raises(ModelError, match=message):
        pack_model(trained, tmp_path / "packed")
    assert not (tmp_path / "packed").exists()


def test_a_module_with_weights_cannot_be_packed(trained: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    from arborlink.encoders.model_folder import write_towers
    from arborlink.encoders.network import load_network

    network = load_network(trained / "mention", "m", "cpu", torch.float32)
    modules = [*list(network.children())[:1], build_pooling(), Dense(32, 32)]
    tower = SentenceTransformer(modules=modules, device="cpu")
    write_towers(tmp_path / "dense", tower, tower, ModelSettings(32, 32))
    with pytest.raises(ModelError, match="has a module Dense, which cannot be packed; expected Pooling"):
        pack_model(tmp_path / "dense", tmp_path / "packed")


def build_pooling() -> Any:
    from sentence_transformers.sentence_transformer.modules import Pooling

    return Pooling(32)
