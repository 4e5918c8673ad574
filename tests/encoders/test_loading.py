"""From a name or a folder to an encoder, and the messages where there is none."""

from __future__ import annotations

import json
import logging
import shutil
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Encoder
from arborlink.encoders import NameEncoder, TowerEncoder, load_encoder
from arborlink.encoders.views import Markers
from arborlink.errors import ModelError

CORPUS = Corpus([Document("d", "the rat had a fever", (Mention("m1", 4, 7), Mention("m2", 14, 19)))])


def save_towers(folder: Path, mention: Path, entity: Path, **changes: Any) -> Path:
    """A folder as training leaves it."""
    for name, tower in (("mention", mention), ("entity", entity)):
        if not (folder / name).exists():
            shutil.copytree(tower, folder / name)
    weights = {
        name: sha256((folder / name / "model.safetensors").read_bytes()).hexdigest()
        for name in ("mention", "entity")
    }
    settings: dict[str, Any] = {
        "version": 2,
        "mention_tower": "mention",
        "entity_tower": "entity",
        "mention_tokens": 32,
        "entity_tokens": 32,
        "markers": {"start": "[S]", "end": "[E]", "title": "[T]"},
        "entity_views": "text",
        "inference": {"mode": "directed", "neighbours": 1, "threshold": None, "by_type": False},
        "weights": weights,
        "fingerprint": "f",
    }
    settings |= changes
    settings["weights"] = {
        name: weights.get(name, "0" * 64) for name in (settings["mention_tower"], settings["entity_tower"])
    }
    (folder / "arborlink.json").write_text(json.dumps(settings))
    return folder


def test_untrained_is_the_embedded_model(capfd: pytest.CaptureFixture[str]) -> None:
    encoder = load_encoder("untrained", device="cpu")
    assert isinstance(encoder, NameEncoder)
    assert isinstance(encoder, Encoder)
    mentions = encoder.encode_mentions(CORPUS)
    assert mentions.n_items == 2
    np.testing.assert_allclose(np.linalg.norm(mentions.vectors, axis=1), 1, atol=1e-2)
    assert load_encoder("untrained", device="cpu").fingerprint == encoder.fingerprint
    assert capfd.readouterr() == ("", "")


def test_a_folder_compares_names(tiny_folder: Path) -> None:
    for model in (tiny_folder, str(tiny_folder)):
        encoder = load_encoder(model, device="cpu")
        assert isinstance(encoder, NameEncoder)
        assert encoder.text_encoder.max_length == 64
    assert isinstance(load_encoder(tiny_folder, view="names", device="cpu"), NameEncoder)


def test_a_folder_reads_context_if_told_to(tiny_folder: Path) -> None:
    encoder = load_encoder(tiny_folder, view="context", device="cpu")
    assert isinstance(encoder, TowerEncoder)
    assert encoder.mention_tower is encoder.entity_tower
    assert encoder.mention_tower.max_length == 128
    assert encoder.markers == Markers()
    assert encoder.encode_mentions(CORPUS).n_items == 2


def test_a_plain_transformer_is_mean_pooled_without_a_word(
    build_model: Any, tiny_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plain = build_model(pooling=None)
    capfd.readouterr()
    encoder = load_encoder(plain, device="cpu")
    assert capfd.readouterr() == ("", "")
    assert encoder.fingerprint == load_encoder(tiny_folder, device="cpu").fingerprint


def without(folder: Path, part: str) -> Path:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    kept = {key: value for key, value in weights.items() if part not in key}
    assert len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def test_a_pooler_that_is_not_there_does_not_change_from_load_to_load(
    build_model: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nobody uses it, but it would be drawn anew each time, and nothing in the cache would be found again."""
    import torch

    folder = without(build_model(pooling=None), "pooler")
    capfd.readouterr()
    torch.manual_seed(5)
    following = torch.rand(1)
    prints = []
    for seed in (5, 6):
        torch.manual_seed(seed)
        prints.append(load_encoder(folder, device="cpu").fingerprint)
        if seed == 5:
            assert torch.rand(1) == following, "loading leaves the caller's random numbers alone"
    assert prints[0] == prints[1]
    assert capfd.readouterr() == ("", "")


def test_a_folder_that_lacks_weights_is_refused(build_model: Any) -> None:
    folder = without(build_model(pooling=None), "layer.1.attention")
    with pytest.raises(
        ModelError, match=r"has no weights for encoder\.layer\.1\.attention.* and \d+ more"
    ) as refused:
        load_encoder(folder, device="cpu")
    assert str(folder) in str(refused.value)


def test_the_libraries_may_speak_again_after_a_load(tiny_folder: Path) -> None:
    loggers = [
        logging.getLogger(name) for name in ("sentence_transformers", "transformers", "huggingface_hub")
    ]
    before = [(logger.handlers, logger.propagate, logger.level) for logger in loggers]
    load_encoder(tiny_folder, device="cpu")
    with pytest.raises(ModelError):
        load_encoder("./no/such", device="cpu")
    assert [(logger.handlers, logger.propagate, logger.level) for logger in loggers] == before


@pytest.mark.parametrize(
    "model", ["./no/such", "no/such/folder", "../models", "/no/such", "~/models", "a b", "", "x/"]
)
def test_a_path_that_leads_nowhere_is_told_at_once(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    start = time.perf_counter()
    with pytest.raises(ModelError) as refused:
        load_encoder(model, device="cpu")
    assert time.perf_counter() - start < 5
    assert repr(model) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_is_not_a_folder(tiny_folder: Path) -> None:
    with pytest.raises(ModelError, match=r"model\.safetensors' is a file; give the folder that holds it"):
        load_encoder(tiny_folder / "model.safetensors", device="cpu")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ModelError, match=r"cannot be loaded: .*; give a folder with a sentence-transformers"
    ) as refused:
        load_encoder(tmp_path, device="cpu")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "modules.json"])
def test_a_damaged_folder_is_refused(tiny_folder: Path, tmp_path: Path, file: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_folder, folder)
    (folder / file).write_text("{damaged")
    with pytest.raises(ModelError, match="cannot be loaded") as refused:
        load_encoder(folder, device="cpu")
    assert str(folder) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_name_without_a_network_is_told_quickly(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Nothing listens at the address: one question, no answer, no second one for each file of the model."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    start = time.perf_counter()
    with pytest.raises(ModelError, match="model 'no-such-group/no-such-model' cannot be loaded"):
        load_encoder("no-such-group/no-such-model", device="cpu")
    assert time.perf_counter() - start < 5
    assert capfd.readouterr() == ("", "")


def test_two_saved_towers(tiny_folder: Path, build_model: Any, tmp_path: Path) -> None:
    folder = save_towers(tmp_path, tiny_folder, build_model(seed=1))
    encoder = load_encoder(folder, device="cpu")
    assert isinstance(encoder, TowerEncoder)
    assert encoder.mention_tower.fingerprint != encoder.entity_tower.fingerprint
    assert encoder.mention_tower.max_length == encoder.entity_tower.max_length == 32
    assert encoder.markers == Markers("[S]", "[E]", "[T]")
    assert "[S]" in encoder.mention_tower.tokenizer.get_vocab()
    assert load_encoder(folder, view="context", device="cpu").fingerprint == encoder.fingerprint


def test_one_saved_tower(tiny_folder: Path, tmp_path: Path) -> None:
    encoder = load_encoder(
        save_towers(tmp_path, tiny_folder, tiny_folder, entity_tower="mention"), device="cpu"
    )
    assert isinstance(encoder, TowerEncoder)
    assert encoder.mention_tower is encoder.entity_tower


def test_one_saved_tower_with_two_lengths(tiny_folder: Path, tmp_path: Path) -> None:
    changes = {"entity_tower": "mention", "mention_tokens": 40, "entity_tokens": 500}
    encoder = load_encoder(save_towers(tmp_path, tiny_folder, tiny_folder, **changes), device="cpu")
    assert isinstance(encoder, TowerEncoder)
    assert encoder.mention_tower.model is encoder.entity_tower.model
    assert encoder.mention_tower.max_length == 40
    assert encoder.entity_tower.max_length == 160, "no more than the model has positions for"


def test_a_saved_model_says_how_entities_are_read(tiny_folder: Path, tmp_path: Path) -> None:
    encoder = load_encoder(
        save_towers(tmp_path, tiny_folder, tiny_folder, entity_views="names"), device="cpu"
    )
    assert isinstance(encoder, TowerEncoder)
    assert encoder.entity_views == "names"


@pytest.mark.parametrize("tower", ["mention", "entity"])
def test_other_weights_than_those_saved_are_refused(tiny_folder: Path, tmp_path: Path, tower: str) -> None:
    folder = save_towers(tmp_path, tiny_folder, tiny_folder)
    weights = folder / tower / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    with pytest.raises(
        ModelError, match=r"not those the model was saved with .*; copy the model again"
    ) as told:
        load_encoder(folder, device="cpu")
    assert str(told.value).startswith(f"{weights}: ")
    weights.unlink()
    with pytest.raises(ModelError, match=r"model\.safetensors: the weights cannot be read: No such file"):
        load_encoder(folder, device="cpu")


def test_the_cache_is_shared_between_loads(tiny_folder: Path, tmp_path: Path) -> None:
    for n_encoded in (2, 0):
        encoder = load_encoder(tiny_folder, view="context", device="cpu", cache=tmp_path)
        assert isinstance(encoder, TowerEncoder)
        encoder.encode_mentions(CORPUS)
        assert encoder.mention_tower.n_encoded == n_encoded


def test_towers_of_different_length_do_not_fit(tiny_folder: Path, build_model: Any, tmp_path: Path) -> None:
    wide = build_model(dimension=48)
    message = "the towers do not fit: mention vectors have 32 dimensions, entity vectors 48"
    with pytest.raises(ModelError, match=message):
        load_encoder(tiny_folder, entity_model=wide, device="cpu")
    with pytest.raises(ModelError, match=message):
        load_encoder(save_towers(tmp_path, tiny_folder, wide), device="cpu")


def test_an_entity_model_makes_two_towers(tiny_folder: Path, build_model: Any) -> None:
    encoder = load_encoder(tiny_folder, entity_model=build_model(seed=1), device="cpu")
    assert isinstance(encoder, TowerEncoder)
    assert encoder.mention_tower.fingerprint != encoder.entity_tower.fingerprint


def test_what_cannot_go_together_is_refused(tiny_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="leave out view='names'"):
        load_encoder(tiny_folder, entity_model=tiny_folder, view="names", device="cpu")
    saved = save_towers(tmp_path, tiny_folder, tiny_folder)
    with pytest.raises(ModelError, match="has its own towers, which read context; leave out view='names'"):
        load_encoder(saved, view="names", device="cpu")
    with pytest.raises(ModelError, match="has its own towers, which read context; leave out an entity model"):
        load_encoder(saved, entity_model=tiny_folder, device="cpu")
    with pytest.raises(ModelError, match="view 'words' is not known; choose 'names' or 'context'"):
        load_encoder(tiny_folder, view="words", device="cpu")  # type: ignore[arg-type]
