"""The command as a whole: its verbs, and how it ends when something goes wrong."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from arborlink.errors import ModelError
from arborlink.result import Link, Result

RunCommand = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A result folder with one link."""
    link = Link("d", "d.0", 0, 3, "Ada", "Q1", "Ada", 0, 0.9, "Q1", "entity", None)
    Result([link], {}).write(tmp_path / "result")
    return tmp_path / "result"


def fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def read(folder: Path) -> Result:
        raise error

    monkeypatch.setattr(Result, "read", read)


def test_the_version_is_that_of_the_package(run_command: RunCommand) -> None:
    done = run_command("--version")
    assert (done.status, done.out.strip()) == (0, version("arborlink"))


def test_help_names_every_verb(run_command: RunCommand) -> None:
    done = run_command("--help")
    assert done.status == 0
    for verb in ("link", "explain", "evaluate", "convert", "demo", "cache"):
        assert f"\n  {verb} " in done.out


def test_a_verb_that_is_none_is_told(run_command: RunCommand) -> None:
    done = run_command("lnik")
    assert done.status == 2
    assert "No such command 'lnik'" in done.err


def test_an_error_is_one_line_without_a_traceback(
    run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_with(monkeypatch, ModelError("first\nsecond"))
    done = run_command("explain", "x", "y")
    assert (done.status, done.out, done.err) == (2, "", "arborlink: first second\n")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            PermissionError(13, "Permission denied", "/some/file"),
            "arborlink: /some/file: Permission denied\n",
        ),
        (OSError(28, "No space left on device"), "arborlink: No space left on device\n"),
    ],
)
def test_what_the_system_refuses_is_one_line_too(
    run_command: RunCommand, monkeypatch: pytest.MonkeyPatch, error: OSError, message: str
) -> None:
    fail_with(monkeypatch, error)
    done = run_command("explain", "x", "y")
    assert (done.status, done.err) == (2, message)


def test_an_interrupt_is_told(run_command: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(monkeypatch, KeyboardInterrupt())
    done = run_command("explain", "x", "y")
    assert (done.status, done.err) == (130, "arborlink: interrupted\n")


def test_an_error_of_ours_keeps_its_traceback(
    run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_with(monkeypatch, ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        run_command("explain", "x", "y")


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "arborlink.cli.main", *map(str, arguments)]


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(
            command("explain", folder, "d.0"), stdout=pipe, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (0, "")


def test_output_that_cannot_be_written_is_told(folder: Path, tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as out:
        done = subprocess.run(
            command("explain", folder, "d.0"),
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        )
    assert (done.returncode, done.stderr) == (2, "arborlink: File too large\n")


def test_the_installed_command_does_the_same(folder: Path, tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("arborlink")
    done = subprocess.run([script, "explain", folder, "d.9"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "arborlink: there is no mention 'd.9' in the result\n"
