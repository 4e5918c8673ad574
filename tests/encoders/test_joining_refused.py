"""What does not go together is told, and a joined model is whole or not there."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dying import KilledError, dies_at
from joined_world import affinities, change, names_in

from arborlink import files
from arborlink.encoders import joining, load_encoder
from arborlink.encoders.blended import BlendedEncoder
from arborlink.encoders.joining import join_models
from arborlink.encoders.model_folder import is_model_folder, read_settings
from arborlink.errors import InputError, ModelError


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": "(gone)"}, "not a model ArborLink saved: parts is missing"),
        ({"parts": {}}, r"parts is \{\}; expected a list"),
        ({"parts": []}, "parts: no models are nothing to join"),
        ({"parts": [7]}, r"parts\[0\] is 7; expected an object"),
        ({"parts": [{"folder": "a"}]}, r"parts\[0\] has the fields folder; expected folder, share, fing"),
        ({"name_share": 1}, r"name_share is 1\.0; expected a number from 0 to less than 1"),
        ({"temperature": 0}, r"temperature is 0\.0; expected a number above 0"),
        ({"detour": -1}, r"detour is -1\.0; expected a finite number"),
        ({"inference": {}}, r"inference has the fields \(none\)"),
        ({"fingerprint": "other"}, "the fingerprint is not that of these parts and shares; join the models"),
        ({"version": 2}, "not a model ArborLink saved: mention_tower is missing"),
    ],
)
def test_settings_that_do_not_fit(both: Path, changes: dict[str, Any], message: str) -> None:
    change(both, **changes)
    with pytest.raises(ModelError, match=message) as refused:
        load_encoder(both, device="cpu")
    assert str(refused.value).startswith(f"{both / 'arborlink.json'}: ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"folder": "../small"}, r"parts\[1\]\.folder is '\.\./small'; expected the name of a folder"),
        ({"folder": "part-1"}, "parts name a folder twice; expected a folder for each"),
        ({"folder": "gone"}, "there is no folder .*gone; copy the model again, with all its folders"),
        ({"share": "half"}, r"parts\[1\]\.share is 'half'; expected a number"),
        ({"share": 10**400}, r"parts\[1\]\.share: int too large"),
        ({"share": 0.5}, r"parts: shares are 0\.75, 0\.5, which add up to 1\.25; expected 1"),
        ({"fingerprint": None}, r"parts\[1\]\.fingerprint is None; expected a string"),
    ],
)
def test_parts_that_do_not_fit(both: Path, changes: dict[str, Any], message: str) -> None:
    parts = json.loads((both / "arborlink.json").read_text())["parts"]
    change(both, parts=[parts[0], parts[1] | changes])
    with pytest.raises(ModelError, match=message) as refused:
        load_encoder(both, device="cpu")
    assert str(refused.value).startswith(f"{both / 'arborlink.json'}: ")


def test_a_part_that_is_missing_damaged_or_another(both: Path, small: Path) -> None:
    weights = both / "part-2" / "entity" / "model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ModelError, match=rf"^{re.escape(str(weights))}: the weights are not those"):
        load_encoder(both, device="cpu")
    weights.unlink()
    with pytest.raises(ModelError, match="the weights cannot be read: No such file"):
        load_encoder(both, device="cpu")
    shutil.rmtree(both / "part-2")
    with pytest.raises(ModelError, match=r"there is no folder .*part-2; copy the model again"):
        read_settings(both)
    (both / "part-2").mkdir()
    with pytest.raises(ModelError, match=r"part-2.arborlink\.json: not a model ArborLink saved"):
        read_settings(both)
    (both / "part-2").rmdir()
    shutil.copytree(small, both / "part-2")
    with pytest.raises(ModelError, match=r"part-2: is not the model that was joined \(fingerprint"):
        read_settings(both)


def test_what_cannot_be_joined(small: Path, large: Path, both: Path, tiny_folder: Path) -> None:
    output = small.parent / "output"

    def refused(error: type[Exception], message: str, *models: Path, **options: Any) -> None:
        with pytest.raises(error, match=message):
            join_models(models, output, **options)
        assert not output.exists()

    refused(InputError, "one model is nothing to join; name two or more", small)
    refused(InputError, "2 models, but the shares are 1; give one for each", small, large, shares=[1])
    refused(InputError, r"which add up to 1\.1; expected 1", small, large, shares=[0.5, 0.6])
    refused(InputError, "holds no model of `arborlink train`, and only such", small, tiny_folder)
    refused(InputError, "holds no model of `arborlink train`", small, output)
    refused(InputError, r"joins several models itself; name them instead: .*part-1 .*part-2", both, small)
    refused(InputError, "large: is the same model as .*large", small, large, large)
    refused(InputError, r"name_share is 1\.0; expected", small, large, name_share=1.0)
    refused(InputError, "detour is nan; expected", small, large, detour=float("nan"))
    message = "sameness is 0.2, but name_share is 0, so that names are not compared"
    refused(InputError, message, small, large, name_share=0, sameness=0.2)
    message = "description_names is true, but name_share is 0"
    refused(InputError, message, large, small, description_names=True)
    (large / "mention" / "model.safetensors").write_bytes(b"")
    refused(ModelError, "the weights are not those the model was saved with", small, large)


def test_one_part_may_read_names_one_by_one(small: Path, large: Path, tmp_path: Path) -> None:
    change(small, entity_views="names")
    join_models([small, large], tmp_path / "both")
    assert np.isfinite(affinities(load_encoder(tmp_path / "both", device="cpu"))).all()
    change(large, entity_views="names")
    with pytest.raises(
        InputError, match=r"large: has a vector for each name of an entity, as .*small has; tog"
    ):
        join_models([small, large], tmp_path / "more")


def test_an_output_that_is_there(small: Path, large: Path, tmp_path: Path) -> None:
    for output in (small, small / "arborlink.json"):
        with pytest.raises(InputError, match="is there and no empty folder; name another one"):
            join_models([small, large], output)
    with pytest.raises(InputError, match="the joined model cannot be written: File exists"):
        join_models([small, large], small / "arborlink.json" / "deeper")
    (tmp_path / "empty").mkdir()
    join_models([small, large], tmp_path / "empty")
    assert is_model_folder(tmp_path / "empty")
    join_models([small, large], tmp_path / "new" / "folder")
    assert is_model_folder(tmp_path / "new" / "folder")


@pytest.mark.parametrize("was_there", [False, True])
@pytest.mark.parametrize(
    ("place", "name", "call"),
    [
        (Path, "mkdir", 2),
        (joining, "_copy", 1),
        (shutil, "copyfile", 7),
        (joining, "write_settings", 1),
        (joining, "sync_tree", 1),
        (Path, "rename", 1),
        (joining, "sync_folder", 1),
    ],
)
def test_killed_at_any_step_it_leaves_a_whole_model_or_none(
    small: Path,
    large: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: Any,
    name: str,
    call: int,
    was_there: bool,
) -> None:
    output = tmp_path / "joined"
    if was_there:
        output.mkdir()
    before = names_in(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", lambda *_, **__: None)  # who is killed does not clean up
        patched.setattr(place, name, dies_at(call, getattr(place, name)))
        with pytest.raises(KilledError):
            join_models([small, large], output)
    if name == "sync_folder":
        assert isinstance(load_encoder(output, device="cpu"), BlendedEncoder)
        return
    assert not is_model_folder(output)
    assert not output.exists() or not names_in(output)
    monkeypatch.setattr(files, "_is_running", lambda process: False)
    join_models([small, large], output)
    assert isinstance(load_encoder(output, device="cpu"), BlendedEncoder)
    assert names_in(tmp_path) == sorted({*before, "joined"}), "what was left is gone"


def test_what_fails_leaves_nothing(
    small: Path, large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    before = names_in(tmp_path)
    monkeypatch.setattr(joining, "write_settings", full)
    with pytest.raises(InputError, match="joined: the joined model cannot be written: No space left"):
        join_models([small, large], tmp_path / "joined")
    assert names_in(tmp_path) == before
