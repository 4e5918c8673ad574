"""The fingerprint changes with all that decides a vector, and with nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from arborlink.encoders.fingerprint import model_fingerprint
from arborlink.encoders.towers import add_markers
from arborlink.encoders.views import Markers


def load(folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu")


@pytest.fixture
def original(tiny: Any) -> str:
    return model_fingerprint(tiny, 64)


def test_equal_over_loads_and_places(original: str, tiny_folder: Path, tmp_path: Path) -> None:
    assert len(original) == 24
    assert model_fingerprint(load(tiny_folder), 64) == original
    shutil.copytree(tiny_folder, tmp_path / "copy")
    assert model_fingerprint(load(tmp_path / "copy"), 64) == original


def test_use_does_not_change_it(original: str, tiny: Any) -> None:
    """The tokenizer remembers how the last call cut and padded."""
    tiny.encode(["rat", "the rat"])
    tiny.tokenizer(["rat"], truncation=True, max_length=7)
    assert model_fingerprint(tiny, 64) == original


def test_saving_and_loading_does_not_change_it(tiny: Any, tmp_path: Path) -> None:
    add_markers(tiny, Markers())
    marked = model_fingerprint(tiny, 64)
    tiny.encode(["rat"])
    tiny.save(str(tmp_path / "saved"))
    assert model_fingerprint(load(tmp_path / "saved"), 64) == marked


def test_length(original: str, tiny: Any) -> None:
    assert model_fingerprint(tiny, 65) != original


def test_one_weight(original: str, tiny: Any) -> None:
    import torch

    with torch.no_grad():
        tiny[0].auto_model.encoder.layer[1].output.dense.weight[0, 0] += 1e-6
    assert model_fingerprint(tiny, 64) != original


def test_precision(original: str, tiny: Any) -> None:
    import torch

    assert model_fingerprint(tiny.to(torch.bfloat16), 64) != original


def test_added_tokens(original: str, tiny: Any) -> None:
    add_markers(tiny, Markers())
    marked = model_fingerprint(tiny, 64)
    assert marked != original
    other = load(Path(tiny[0].auto_model.config._name_or_path))
    add_markers(other, Markers(start="[BEGIN]"))
    assert model_fingerprint(other, 64) not in (original, marked), "the weights are equal, the names are not"


def test_pooling(original: str, build_model: Any) -> None:
    assert model_fingerprint(load(build_model(pooling="mean")), 64) == original
    assert model_fingerprint(load(build_model(pooling="cls")), 64) != original


def test_attention_heads(original: str, build_model: Any) -> None:
    """The weights are the same; only the configuration tells."""
    assert model_fingerprint(load(build_model(heads=2)), 64) != original


def test_a_weight_without_dimensions(original: str, tiny: Any) -> None:
    import torch

    tiny[0].register_parameter("scale", torch.nn.Parameter(torch.tensor(1.0)))
    one = model_fingerprint(tiny, 64)
    tiny[0].scale.data.fill_(2.0)
    assert len({original, one, model_fingerprint(tiny, 64)}) == 3
