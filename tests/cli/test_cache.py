"""``arborlink cache``: what is kept, and clearing it without touching anything else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.encoders.cache import EmbeddingStore, text_keys

RunCommand = Callable[..., Any]
FINGERPRINT = "0123456789abcdef01234567"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A cache folder with two pieces of one model, and a piece a killed run left half written."""
    store = EmbeddingStore(tmp_path / "kept" / FINGERPRINT, 3)
    for text in ("Ada", "Bob"):
        store.add(text_keys([text]), np.ones((1, 3), dtype=np.float16))
    (tmp_path / "kept" / FINGERPRINT / f".{'f' * 32}.partial").write_bytes(b"half")
    return tmp_path / "kept"


def test_nothing_kept_is_told(run_command: RunCommand, tmp_path: Path) -> None:
    done = run_command("cache")
    assert (done.status, done.out) == (0, f"No embeddings in {tmp_path / 'cache-of-embeddings'}\n")
    assert run_command("cache", "--clear").out == done.out


def test_each_model_is_shown_with_its_size(run_command: RunCommand, kept: Path) -> None:
    done = run_command("cache", "--folder", kept)
    assert done.status == 0
    (line,) = done.out.splitlines()
    assert line.split() == ["0.0", "MiB", "3", "pieces", str(kept / FINGERPRINT)]
    assert len(list((kept / FINGERPRINT).iterdir())) == 3


def test_clearing_removes_all_of_it(run_command: RunCommand, kept: Path) -> None:
    done = run_command("cache", "--folder", kept, "--clear")
    assert (done.status, done.out.splitlines()[-1]) == (0, "Removed")
    assert list(kept.iterdir()) == []


def test_half_a_piece_alone_is_cleared_too(run_command: RunCommand, kept: Path) -> None:
    for piece in (kept / FINGERPRINT).glob("*.safetensors"):
        piece.unlink()
    assert "1 pieces" in run_command("cache", "--folder", kept, "--clear").out
    assert list(kept.iterdir()) == []


def test_models_and_other_files_are_left_alone(run_command: RunCommand, kept: Path) -> None:
    others = [
        kept / "all-MiniLM-L6-v2" / "model.safetensors",
        kept / FINGERPRINT / "notes.txt",
        kept / ("a" * 24) / "model.safetensors",
        kept / ("b" * 32 + ".safetensors"),
        kept / "models" / ("c" * 32 + ".safetensors"),
    ]
    for path in others:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("mine")
    run_command("cache", "--folder", kept, "--clear")
    assert sorted(path for path in kept.rglob("*") if path.is_file()) == sorted(others)


def test_the_folder_comes_from_the_environment(
    run_command: RunCommand, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARBORLINK_CACHE", str(kept))
    assert FINGERPRINT in run_command("cache").out
