"""A model on disk: what is written is read, and what is damaged, cut off or foreign is told."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dying import KilledError, dies_at

from arborlink import files
from arborlink.encoders import TowerEncoder, load_encoder, model_folder
from arborlink.encoders.building import build_tower
from arborlink.encoders.model_folder import (
    INFERENCE_MODES,
    Inference,
    ModelSettings,
    is_model_folder,
    read_settings,
    write_towers,
)
from arborlink.encoders.views import Markers
from arborlink.errors import InputError, ModelError
from arborlink.partition import MODES

MARKERS = Markers("[S]", "[E]", "[T]")
SETTINGS = ModelSettings(
    mention_tokens=32,
    entity_tokens=48,
    markers=MARKERS,
    entity_views="names",
    inference=Inference("minimax", 4, 0.25, by_type=True),
)


@pytest.fixture(scope="session")
def two_towers(tiny_folder: Path, build_model: Any) -> tuple[Any, Any]:
    mention, entity = (
        build_tower(base, pooling=pooling, normalise=True, role=role, markers=MARKERS, device="cpu")  # type: ignore[arg-type]
        for base, pooling, role in ((tiny_folder, "span", "mention"), (build_model(seed=1), "mean", "entity"))
    )
    return mention, entity


@pytest.fixture
def saved(two_towers: tuple[Any, Any], tmp_path: Path) -> Path:
    write_towers(tmp_path / "model", *two_towers, SETTINGS)
    return tmp_path / "model"


def change(folder: Path, **changes: Any) -> None:
    path = folder / "arborlink.json"
    content = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in content.items() if value != "(gone)"}))


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_modes_are_those_of_the_partition() -> None:
    assert INFERENCE_MODES == MODES


def test_what_is_written_is_read(two_towers: tuple[Any, Any], tmp_path: Path) -> None:
    assert not is_model_folder(tmp_path)
    written = write_towers(tmp_path, *two_towers, SETTINGS)
    assert is_model_folder(tmp_path)
    assert read_settings(tmp_path) == written
    assert written.inference == SETTINGS.inference
    assert names_in(tmp_path) == ["arborlink.json", "entity", "mention"]
    assert json.loads((tmp_path / "arborlink.json").read_text()) == {
        "version": 2,
        "mention_tower": "mention",
        "entity_tower": "entity",
        "mention_tokens": 32,
        "entity_tokens": 48,
        "markers": {"start": "[S]", "end": "[E]", "title": "[T]"},
        "entity_views": "names",
        "inference": {"mode": "minimax", "neighbours": 4, "threshold": 0.25, "by_type": True},
        "temperature": 0.05,
        "name_share": 0.0,
        "sameness": 0.0,
        "description_names": False,
        "detour": 0.0,
        "weights": {
            name: sha256((tmp_path / name / "model.safetensors").read_bytes()).hexdigest()
            for name in ("mention", "entity")
        },
        "fingerprint": written.fingerprint,
    }


def test_the_documentation_shows_the_file_as_it_is(saved: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "encoders.md"
    block = re.findall(r"^```json\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[0]
    shown, written = json.loads(block), json.loads((saved / "arborlink.json").read_text())
    assert list(shown) == list(written)
    for field in ("markers", "inference", "weights"):
        assert list(shown[field]) == list(written[field])
    assert shown["version"] == written["version"]


def test_the_vectors_are_those_of_the_towers(saved: Path, two_towers: tuple[Any, Any]) -> None:
    from sentence_transformers import SentenceTransformer

    text = "the [S] rat [E] had a fever of the liver " * 10
    encoder = load_encoder(saved, device="cpu")
    assert isinstance(encoder, TowerEncoder)
    assert (encoder.mention_tower.max_length, encoder.entity_tower.max_length) == (32, 48)
    for tower, length, again in zip(
        two_towers, (32, 48), (encoder.mention_tower, encoder.entity_tower), strict=True
    ):
        assert tower.max_seq_length == 160, "saving leaves the tower as it was"
        alone = SentenceTransformer(str(saved / again.name), device="cpu", trust_remote_code=True)
        assert alone.max_seq_length == length
        np.testing.assert_allclose(alone.encode(text), again.encode([text], "texts")[0], atol=2e-2)


def test_the_fingerprint_is_the_encoders_in_single_precision(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from arborlink.encoders import network

    prints = {}
    for precision in (torch.float32, torch.bfloat16):
        monkeypatch.setattr(network, "resolve_precision", lambda device, precision=precision: precision)
        prints[precision] = load_encoder(saved, device="cpu").fingerprint
    assert prints[torch.float32] == read_settings(saved).fingerprint
    assert prints[torch.bfloat16] != prints[torch.float32]


@pytest.mark.parametrize(
    "changes",
    [{"mention_tokens": 40}, {"entity_tokens": 40}, {"entity_views": "text"}, {"markers": Markers()}],
)
def test_the_fingerprint_names_what_decides_the_vectors(
    two_towers: tuple[Any, Any], saved: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    other = write_towers(tmp_path / "other", *two_towers, replace(SETTINGS, **changes))
    assert other.fingerprint != read_settings(saved).fingerprint


def test_the_fingerprint_does_not_name_how_the_vectors_are_linked(
    two_towers: tuple[Any, Any], saved: Path, tmp_path: Path
) -> None:
    other = write_towers(tmp_path / "other", *two_towers, replace(SETTINGS, inference=Inference()))
    assert other.fingerprint == read_settings(saved).fingerprint


def test_one_tower_is_saved_once(two_towers: tuple[Any, Any], tmp_path: Path) -> None:
    written = write_towers(tmp_path, two_towers[1], two_towers[1], SETTINGS)
    assert names_in(tmp_path) == ["arborlink.json", "tower"]
    assert written.towers == ("tower",)
    encoder = load_encoder(tmp_path, device="cpu")
    assert isinstance(encoder, TowerEncoder)
    assert encoder.mention_tower.model is encoder.entity_tower.model
    assert (encoder.mention_tower.max_length, encoder.entity_tower.max_length) == (32, 48)


def test_lengths_are_lowered_to_what_a_tower_can_read(two_towers: tuple[Any, Any], tmp_path: Path) -> None:
    written = write_towers(tmp_path, *two_towers, replace(SETTINGS, mention_tokens=5000, entity_tokens=5000))
    assert (written.mention_tokens, written.entity_tokens) == (160, 160)
    with pytest.raises(ModelError, match="mention_tokens is 3; expected 16 or more"):
        write_towers(tmp_path / "short", *two_towers, replace(SETTINGS, mention_tokens=3))
    assert not is_model_folder(tmp_path / "short")


def test_an_earlier_model_is_replaced_and_nothing_else(
    saved: Path, two_towers: tuple[Any, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    (saved / "notes.txt").write_text("mine")
    (saved / "mention" / "old.txt").write_text("of the earlier tower")
    capfd.readouterr()
    write_towers(saved, two_towers[0], two_towers[0], SETTINGS)
    assert names_in(saved) == ["arborlink.json", "notes.txt", "tower"]
    write_towers(saved, *two_towers, SETTINGS)
    assert names_in(saved) == ["arborlink.json", "entity", "mention", "notes.txt"]
    assert not (saved / "mention" / "old.txt").exists()
    assert load_encoder(saved, device="cpu").fingerprint
    assert capfd.readouterr() == ("", ""), "saving is quiet"


def test_somebody_elses_folder_is_not_touched(two_towers: tuple[Any, Any], tmp_path: Path) -> None:
    (tmp_path / "entity").mkdir()
    (tmp_path / "entity" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="entity is there and not of a model ArborLink saved; move it away"):
        write_towers(tmp_path, *two_towers, SETTINGS)
    assert [path.name for path in tmp_path.rglob("*")] == ["entity", "thesis.txt"]


@contextmanager
def left_behind(path: Path) -> Iterator[Path]:
    """The place where a tower is written, without the cleaning up that a killed process does not get to."""
    staging = files.partial_path(path)
    staging.mkdir()
    yield staging


@pytest.mark.parametrize(
    ("place", "name", "call", "is_left"),
    [
        (model_folder, "_save", 1, "earlier"),
        (model_folder, "_save", 2, "earlier"),
        (model_folder, "_fingerprint", 1, "earlier"),
        (model_folder, "_publish", 1, "earlier"),
        (model_folder, "sync_folder", 1, "none"),
        (Path, "rename", 1, "none"),
        (Path, "rename", 2, "none"),
        (model_folder, "sync_folder", 2, "none"),
        (model_folder, "write_text", 1, "none"),
        (json, "dump", 1, "none"),
        (Path, "unlink", 1, "new"),
    ],
)
def test_killed_at_any_step_it_leaves_a_whole_model_or_none(
    saved: Path,
    two_towers: tuple[Any, Any],
    monkeypatch: pytest.MonkeyPatch,
    place: Any,
    name: str,
    call: int,
    is_left: str,
) -> None:
    before, after = read_settings(saved), replace(SETTINGS, mention_tokens=64)
    counts: dict[str, Callable[..., bool]] = {
        "sync_folder": lambda folder: folder == saved,
        "unlink": lambda path, **_: path.name == ".arborlink-model",
        "dump": lambda content, *_, **options: "fingerprint" in content,
    }
    with monkeypatch.context() as patched:
        patched.setattr(model_folder, "_staging", left_behind)
        patched.setattr(place, name, dies_at(call, getattr(place, name), counts.get(name, lambda *_: True)))
        with pytest.raises(KilledError):
            write_towers(saved, two_towers[1], two_towers[0], after)
    assert is_model_folder(saved) == (is_left != "none")
    if is_left == "earlier":
        assert read_settings(saved) == before
    if is_left != "none":
        encoder = load_encoder(saved, device="cpu")
        assert isinstance(encoder, TowerEncoder)
        assert encoder.mention_tower.max_length == (32 if is_left == "earlier" else 64)
    monkeypatch.setattr(files, "_is_running", lambda process: False)
    again = write_towers(saved, two_towers[1], two_towers[0], after)
    assert read_settings(saved) == again
    assert names_in(saved) == ["arborlink.json", "entity", "mention"]


def test_a_folder_that_cannot_be_written(two_towers: tuple[Any, Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=r"file: the model cannot be written: File exists"):
        write_towers(tmp_path / "file", *two_towers, SETTINGS)


@pytest.mark.filterwarnings("ignore:Setting `save_embedding_layers`:UserWarning")
def test_adapters_have_to_be_merged_first(tiny_folder: Path, tmp_path: Path) -> None:
    from peft import LoraConfig

    tower = build_tower(
        tiny_folder, pooling="mean", normalise=True, role="both", markers=MARKERS, device="cpu"
    )
    tower.add_adapter(LoraConfig(target_modules=["query"], r=2))
    with pytest.raises(ModelError, match=r"saved no model\.safetensors: .*; merge adapters first"):
        write_towers(tmp_path, tower, tower, SETTINGS)
    assert names_in(tmp_path) == []


INFERENCE = {"mode": "directed", "neighbours": 1, "threshold": None, "by_type": False}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 1}, "version 1, but this ArborLink reads versions 2 and 3"),
        ({"version": 4, "markers": None}, "version 4, but this ArborLink reads versions 2 and 3"),
        ({"version": True}, "version is True; expected a whole number"),
        ({"version": "(gone)"}, "not a model ArborLink saved: version is missing"),
        ({"mention_tower": 5}, "mention_tower is 5; expected a string"),
        (
            {"mention_tower": "../mention"},
            "mention_tower is '../mention'; expected the name of a folder beside",
        ),
        ({"entity_tower": ".."}, r"entity_tower is '\.\.'; expected the name of a folder beside the file"),
        ({"entity_tower": "gone"}, "weights are of entity, mention; expected gone, mention"),
        ({"mention_tokens": "many"}, "mention_tokens is 'many'; expected a whole number"),
        ({"mention_tokens": 15}, "mention_tokens is 15; expected 16 or more"),
        ({"entity_tokens": 32.5}, "entity_tokens is 32.5; expected a whole number"),
        ({"entity_tokens": "(gone)"}, "not a model ArborLink saved: entity_tokens is missing"),
        ({"markers": None}, "markers is None; expected an object"),
        ({"markers": {"start": "x"}}, "markers has the fields start; expected start, end, title"),
        ({"markers": {"start": 1, "end": "b", "title": "c"}}, r"markers\.start is 1; expected a string"),
        (
            {"markers": {"start": "a", "end": "a", "title": "c"}},
            "markers are 'a', 'a', 'c'; expected three different",
        ),
        ({"entity_views": "words"}, "entity_views is 'words'; expected text or names"),
        (
            {"inference": INFERENCE | {"mode": "guess"}},
            "inference: inference 'guess' is not known; choose one",
        ),
        ({"inference": INFERENCE | {"neighbours": -1}}, "inference: neighbours is -1; expected 0 or more"),
        ({"inference": INFERENCE | {"neighbours": 1.0}}, r"inference\.neighbours is 1\.0; expected a whole"),
        (
            {"inference": INFERENCE | {"threshold": "0.5"}},
            r"inference\.threshold is '0\.5'; expected a number",
        ),
        (
            {"inference": INFERENCE | {"threshold": float("nan")}},
            "inference: threshold is nan; expected a fin",
        ),
        ({"inference": INFERENCE | {"threshold": 10**400}}, "inference: int too large"),
        ({"inference": INFERENCE | {"by_type": 1}}, r"inference\.by_type is 1; expected true or false"),
        ({"inference": INFERENCE | {"k": 1}}, "inference has the fields .*, k; expected mode, neighbours"),
        ({"inference": {}}, r"inference has the fields \(none\); expected mode"),
        ({"weights": {}}, "weights are of nothing; expected entity, mention"),
        (
            {"weights": {"mention": "00", "entity": "0" * 64}},
            r"weights\.mention is '00'; expected the 64 digits",
        ),
        ({"fingerprint": None}, "fingerprint is None; expected a string"),
    ],
)
def test_settings_that_do_not_fit(saved: Path, changes: dict[str, Any], message: str) -> None:
    change(saved, **changes)
    with pytest.raises(ModelError, match=message) as refused:
        load_encoder(saved, device="cpu")
    assert str(refused.value).startswith(f"{saved / 'arborlink.json'}: ")


def test_a_tower_that_is_not_there(saved: Path) -> None:
    shutil.rmtree(saved / "entity")
    with pytest.raises(
        ModelError, match=r"arborlink\.json: there is no folder .*entity; copy the model again"
    ):
        read_settings(saved)


@pytest.mark.parametrize("content", ["{broken", "[]", "7", "\xff", "[" * 100_000])
def test_settings_that_cannot_be_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "arborlink.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(ModelError, match=r"arborlink\.json: not a model ArborLink saved"):
        load_encoder(tmp_path, device="cpu")


def test_a_number_will_do_for_a_threshold(saved: Path) -> None:
    change(saved, inference=INFERENCE | {"threshold": 1})
    assert read_settings(saved).inference == Inference(threshold=1.0)


def test_fields_of_others_are_left_alone(saved: Path) -> None:
    expected = read_settings(saved)
    change(saved, note="trained on a Sunday")
    assert read_settings(saved) == expected
