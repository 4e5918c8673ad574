"""Which model is loaded where none is named: the one in the package if there is one, else the untrained one."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arborlink.confidence import Calibration, write_calibration
from arborlink.demo import demo_documents_path, demo_kb_path
from arborlink.encoders import NameEncoder, TowerEncoder, default_model, load_encoder
from arborlink.encoders.default_model import (
    UNTRAINED,
    folder_to_keep_in,
    resolve_model,
    shipped_model,
    why_nothing_is_kept,
)
from arborlink.encoders.model_folder import Inference, ModelSettings, read_settings
from arborlink.encoders.packed_model.packing import pack_model
from arborlink.errors import ModelError
from arborlink.linker import Linker

TrainALittle = Callable[..., Path]
RunCommand = Callable[..., Any]

ROOT = Path(__file__).parents[2]
OWN_WAY = Inference("undirected", 2, 0.25)


@pytest.fixture
def without_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default_model, "SHIPPED_FOLDER", tmp_path / "nothing")


@pytest.fixture
def with_a_model(
    tiny_base: Path, train_a_little: TrainALittle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The package as it is when a trained model is in it, with a calibration."""
    trained = train_a_little(tiny_base, settings=ModelSettings(32, 32, inference=OWN_WAY))
    packed = pack_model(trained, tmp_path / "shipped")
    known = Calibration(packed.settings.fingerprint, OWN_WAY, None, None)
    write_calibration(known, tmp_path / "shipped" / "calibration.json")
    monkeypatch.setattr(default_model, "SHIPPED_FOLDER", tmp_path / "shipped")
    return tmp_path / "shipped"


@pytest.mark.usefixtures("without_a_model")
def test_a_package_without_a_model_compares_names() -> None:
    assert shipped_model() is None
    assert resolve_model(None) is None
    default, untrained = load_encoder(device="cpu"), load_encoder(UNTRAINED, device="cpu")
    assert isinstance(default, NameEncoder)
    assert default.fingerprint == untrained.fingerprint
    linker = Linker.load(device="cpu", cache=False)
    assert (linker.model, linker.defaults, linker.calibration) == (None, Inference(), None)
    assert why_nothing_is_kept(None) == "the model is none of ours"


def test_a_package_with_a_model_uses_it(with_a_model: Path) -> None:
    encoder = load_encoder(device="cpu")
    assert isinstance(encoder, TowerEncoder)
    assert encoder.fingerprint == load_encoder(with_a_model, device="cpu").fingerprint
    linker = Linker.load(device="cpu", cache=False)
    assert linker.defaults == OWN_WAY
    assert linker.model == read_settings(with_a_model).fingerprint
    assert linker.calibration is not None
    assert linker.calibration.model == linker.model


def test_a_model_that_is_named_comes_before_the_default(with_a_model: Path, tiny_folder: Path) -> None:
    assert isinstance(load_encoder(UNTRAINED, device="cpu"), NameEncoder)
    assert isinstance(load_encoder(UNTRAINED, view="context", device="cpu"), TowerEncoder)
    assert isinstance(load_encoder(tiny_folder, device="cpu"), NameEncoder)
    plain = Linker.load(UNTRAINED, device="cpu", cache=False)
    assert (plain.model, plain.defaults, plain.calibration) == (None, Inference(), None)
    assert resolve_model(tiny_folder) == tiny_folder
    assert resolve_model(None) == with_a_model


def test_a_folder_of_the_name_untrained_can_be_named(
    with_a_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_model.rename(tmp_path / UNTRAINED)
    monkeypatch.chdir(tmp_path)
    assert isinstance(load_encoder(f"./{UNTRAINED}", device="cpu"), TowerEncoder)
    assert isinstance(load_encoder(Path(UNTRAINED), device="cpu"), TowerEncoder)
    assert isinstance(load_encoder(UNTRAINED, device="cpu"), NameEncoder)


@pytest.mark.usefixtures("with_a_model")
def test_what_the_default_cannot_do_names_the_untrained_one(tiny_folder: Path) -> None:
    for options, asked in (
        ({"view": "names"}, "view='names'"),
        ({"entity_model": tiny_folder}, "an entity model"),
    ):
        with pytest.raises(
            ModelError,
            match=rf"^the default model has its own towers, .*leave out {asked}, or choose the model 'untrained'$",
        ):
            load_encoder(device="cpu", **options)
    assert isinstance(load_encoder(view="context", device="cpu"), TowerEncoder)


def test_a_damaged_default_is_told_and_can_be_gone_without(with_a_model: Path) -> None:
    path = with_a_model / "tower" / "delta.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(
        ModelError,
        match=r"^the default model cannot be loaded; reinstall arborlink, or choose the model 'untrained': .*"
        r"delta\.safetensors: the weights are not those",
    ):
        Linker.load(device="cpu", cache=False)
    assert isinstance(load_encoder(UNTRAINED, device="cpu"), NameEncoder)


def test_where_something_can_be_kept(with_a_model: Path, tiny_folder: Path) -> None:
    assert folder_to_keep_in(None) is None
    assert folder_to_keep_in(UNTRAINED) is None
    assert folder_to_keep_in(tiny_folder) is None
    assert folder_to_keep_in(str(with_a_model)) == with_a_model
    assert why_nothing_is_kept(None) == "the default model is part of the installation"
    assert why_nothing_is_kept(UNTRAINED) == "the model is none of ours"


def test_the_command_links_with_it_and_leaves_it_as_it_is(
    with_a_model: Path, tmp_path: Path, run_command: RunCommand
) -> None:
    before = {path: path.read_bytes() for path in with_a_model.rglob("*") if path.is_file()}
    data = ("--kb", demo_kb_path(), "--device", "cpu")
    done = run_command("link", *data, "--documents", demo_documents_path(), "--output", tmp_path / "out")
    assert (done.status, done.err) == (0, "")
    said = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert said["model"] == read_settings(with_a_model).fingerprint
    assert (said["inference"], said["neighbours"], said["threshold"]) == ("undirected", 2, 0.25)
    assert said["calibration"]["applied"] is True

    dev = ("--dev", demo_documents_path())
    tuned = run_command("tune", *data, *dev, "--modes", "directed", "--neighbours", "1")
    told = "Not stored, as the default model is part of the installation; "
    assert tuned.out.splitlines()[-1].startswith(f"{told}link with: --inference directed --neighbours 1 ")
    calibrated = run_command("calibrate", *data, *dev)
    assert calibrated.out.splitlines()[-1] == f"{told}keep it with --output FOLDER"
    assert {path: path.read_bytes() for path in with_a_model.rglob("*") if path.is_file()} == before


def test_a_wheel_and_a_source_archive_hold_the_model(tmp_path: Path) -> None:
    """With the project's own settings, on as little of it as makes a package."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    package = tmp_path / "src" / "arborlink"
    place = default_model.SHIPPED_FOLDER.relative_to(ROOT / "src" / "arborlink")
    model = ["arborlink.json", "README.md", "calibration.json", "tower/delta.safetensors"]
    for name in ("__init__.py", "encoders/__init__.py", *(f"{place}/{name}" for name in model)):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("", encoding="utf-8")
    build = "from setuptools import build_meta as b; b.build_wheel('dist'); b.build_sdist('dist')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (archive,) = (tmp_path / "dist").glob("*.tar.gz")
    in_wheel = zipfile.ZipFile(wheel).namelist()
    with tarfile.open(archive) as opened:
        in_archive = opened.getnames()
    for name in model:
        assert f"arborlink/{place}/{name}" in in_wheel
        assert any(each.endswith(f"/src/arborlink/{place}/{name}") for each in in_archive)
