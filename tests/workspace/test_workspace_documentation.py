"""The worked example of docs/workspace.md prints what the page says; its Python and its benchmark can be run."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from arborlink.errors import InputError
from arborlink.linker import Linker
from arborlink.workspace.settings import ModelChoice

RunCommand = Callable[..., Any]
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "workspace.md").read_text(encoding="utf-8")


def examples() -> Iterator[tuple[list[str], list[str]]]:
    """The arguments of every command on the page, and the lines shown below it."""
    for block in re.findall(r"^```console\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            program, *arguments = shlex.split(command)
            assert program == "arborlink"
            yield arguments, lines


def words(lines: list[str]) -> list[str]:
    """Lines without times, fingerprints, affinities and the width of columns; ids and counts stay."""
    shorter = (re.sub(r"\b[0-9a-f]{24}\b|\d{4}-\d\d-\d\dT\S+|\d\.\d{3}\b", "#", line) for line in lines)
    return [" ".join(line.split()) for line in shorter]


@pytest.fixture
def one_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A model is loaded once for all commands."""

    @cache
    def load(choice: ModelChoice) -> Linker:
        return Linker.load(choice.model, device="cpu", cache=tmp_path / "kept", progress=False)

    monkeypatch.setattr(ModelChoice, "load", lambda self, device, cache, progress: load(self))


@pytest.mark.usefixtures("one_model")
def test_the_worked_example_prints_what_the_page_says(
    run_command: RunCommand,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "118")
    n_examples = 0
    for arguments, expected in examples():
        done = run_command(*arguments)
        shown = [line for line in (done.out + done.err).splitlines() if line.strip()]
        assert words(shown) == words(expected), arguments
        n_examples += 1
    assert n_examples > 10
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    exec(code, {})
    assert "new-000003 promoted to the knowledge base" in capsys.readouterr().out
    assert (tmp_path / "week-2" / "kb.jsonl").is_file()


def test_the_benchmark_takes_the_arguments_that_the_page_gives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.chdir(tmp_path)
    (arguments,) = re.findall(r"`python benchmarks/workspace\.py (.*?)`", PAGE, re.DOTALL)
    monkeypatch.setattr(sys, "argv", ["workspace.py", *shlex.split(arguments)])
    benchmark = run_path(str(ROOT / "benchmarks" / "workspace.py"))
    with pytest.raises(InputError, match="there is no such file"):  # the data; arguments come first
        benchmark["main"]()
