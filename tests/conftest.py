"""What several rooms' tests share: a model of a few kilobytes, and the command line run in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from letter_encoder import save_letter_encoder

pytest_plugins = ["browser"]


@dataclass(frozen=True)
class Finished:
    """How a run of the command line ended."""

    status: int
    out: str
    err: str


RunCommand = Callable[..., Finished]


@pytest.fixture
def run_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> RunCommand:
    """``run_command("link", "--kb", path, ...)``: the command with its own error handling and cache folder."""
    monkeypatch.setenv("ARBORLINK_CACHE", str(tmp_path / "cache-of-embeddings"))

    def run(*arguments: object) -> Finished:
        from arborlink.cli.main import main

        monkeypatch.setattr(sys, "argv", ["arborlink", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return Finished(int(ended.value.code or 0), shown.out, shown.err)

    return run


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sentence encoder with 32 dimensions, one layer, letters for tokens and random weights."""
    return save_letter_encoder(tmp_path_factory.mktemp("tiny-model"), num_hidden_layers=1)
