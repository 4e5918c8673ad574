"""``tools/pack_model.py``: packs, measures, and refuses what is too large or too far off."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arborlink.confidence import Calibration, read_calibration, write_calibration
from arborlink.encoders.model_folder import Inference, ModelSettings, read_settings
from arborlink.encoders.packed_model.packing import MOST_BYTES

TrainALittle = Callable[..., Path]
RunTool = Callable[..., dict[str, Any]]

TOOL = Path(__file__).parents[2] / "tools" / "pack_model.py"
WAY = Inference("directed", 1, 0.25)


@pytest.fixture
def trained(tiny_base: Path, train_a_little: TrainALittle) -> Path:
    return train_a_little(tiny_base, settings=ModelSettings(32, 32, inference=WAY))


@pytest.fixture
def run_tool(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> RunTool:
    """Run the tool in this process, into the folder ``packed``; what it printed."""
    spec = importlib.util.spec_from_file_location("pack_model", TOOL)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)

    def run(*arguments: object) -> dict[str, Any]:
        given = ["--output", tmp_path / "packed", "--limit", 20, *arguments]
        monkeypatch.setattr(sys, "argv", ["pack_model.py", *map(str, given)])
        tool.main()
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        return printed

    return run


def test_what_is_measured(trained: Path, run_tool: RunTool, tmp_path: Path) -> None:
    said = run_tool(trained)
    assert said["bits"] == {"matrices": 8, "embeddings": 8}
    files = [path for path in (tmp_path / "packed").rglob("*") if path.is_file()]
    assert said["bytes"] == sum(path.stat().st_size for path in files) < said["most_bytes"]
    assert said["most_bytes"] == MOST_BYTES == 25_000_000
    assert said["fingerprint"] == read_settings(tmp_path / "packed").fingerprint
    assert said["mentions"]["n"] >= 15
    assert said["entities"]["n"] == 76
    assert 0.9999 < said["mentions"]["least_cosine"] <= said["mentions"]["mean_cosine"] <= 1
    assert said["largest_change_of_an_affinity"] < 0.01
    assert said["same_nearest_entity"] > 0.9
    assert said["calibration"] == "none"
    card = (tmp_path / "packed" / "README.md").read_text(encoding="utf-8")
    assert card.startswith(
        "# A model\n\nPacked: the differences to the weights of all-MiniLM-L6-v2, 8 bits, "
    )


def test_fewer_bits_are_farther_off(trained: Path, run_tool: RunTool) -> None:
    exact = run_tool(trained)
    rough = run_tool(trained, "--bits", 3, 2, "--least-cosine", 0)
    assert rough["bits"] == {"matrices": 3, "embeddings": 2}
    assert rough["bytes"] < exact["bytes"]
    assert rough["mentions"]["mean_cosine"] < exact["mentions"]["mean_cosine"]


def refused(run_tool: RunTool, capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as ended:
        run_tool(*arguments)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_a_model_that_is_too_large_or_too_far_off_is_refused(
    trained: Path, run_tool: RunTool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large = refused(run_tool, capsys, trained, "--most-bytes", 40_000)
    assert large.startswith(f"pack_model: {trained}: packed at 2 bits, embeddings 2, it still has ")
    far = refused(run_tool, capsys, trained, "--bits", 2, 2, "--least-cosine", 0.99999)
    assert far.startswith(
        f"pack_model: {trained}: packed at 2 bits, embeddings 2, a vector has a cosine of 0."
    )
    (trained / "README.md").unlink()
    assert "a model that ships needs a card" in refused(run_tool, capsys, trained)
    assert not (tmp_path / "packed").exists()


def test_a_calibration_is_taken_along_under_the_new_name(
    trained: Path, run_tool: RunTool, tmp_path: Path
) -> None:
    fingerprint = read_settings(trained).fingerprint
    write_calibration(Calibration(fingerprint, WAY, None, None, 0.1), trained / "calibration.json")
    said = run_tool(trained)
    assert said["calibration"] == "taken along"
    taken = read_calibration(tmp_path / "packed")
    assert (taken.model, taken.inference, taken.target_error) == (said["fingerprint"], WAY, 0.1)
    assert taken.about["packed_from"] == fingerprint

    write_calibration(Calibration("other", WAY, None, None), trained / "calibration.json")
    assert run_tool(trained)["calibration"] == f"left out: it is of other, and the model is {fingerprint}"
    assert not (tmp_path / "packed" / "calibration.json").exists()
