"""The documentation names every verb, option and public name, and its examples print what it says."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import arborlink
from arborlink.cli.main import app
from arborlink.demo import demo_documents_path, demo_kb_path

RunCommand = Callable[..., Any]

ROOT = Path(__file__).parents[1]
CLI_PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]


def chapter(verb: str) -> str:
    """What the page says about a verb."""
    found = re.search(rf"^## {verb}\n(.*?)(?=^## |\Z)", CLI_PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, f"docs/cli.md has no chapter {verb!r}"
    return found[1]


def parameters(verb: str) -> list[Any]:
    """Arguments and options of a verb, or of all the verbs that stand below it."""
    command = COMMANDS[verb]
    below = getattr(command, "commands", {verb: command})
    return [parameter for each in below.values() for parameter in each.params]


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_option_is_in_the_table_of_its_verb_and_no_other(verb: str) -> None:
    options = {name for parameter in parameters(verb) for name in parameter.opts if name.startswith("--")}
    documented = set(re.findall(r"^\| `(?:[a-z]+ )?(--[a-z-]+)", chapter(verb), re.MULTILINE))
    assert documented == options - {"--help"}


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_argument_is_in_the_table_of_its_verb(verb: str) -> None:
    for parameter in parameters(verb):
        if parameter.param_type_name == "argument":
            name = (parameter.metavar or parameter.name).strip("{}").upper()
            assert f"| `{name}` |" in chapter(verb)


def test_every_verb_is_in_the_table_and_has_a_chapter() -> None:
    chapters = re.findall(r"^## ([\w-]+)$", CLI_PAGE, re.MULTILINE)
    assert set(chapters) == set(COMMANDS)
    assert re.findall(r"^\| \[`([\w-]+)`\]", CLI_PAGE, re.MULTILINE) == chapters


@pytest.mark.parametrize("name", arborlink.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert any(re.search(rf"\b{name}\b", page.read_text(encoding="utf-8")) for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def examples() -> Iterator[tuple[list[str], list[str]]]:
    """The arguments of every command on the page, and the lines shown below it."""
    for block in re.findall(r"^```console\n(.*?)^```", CLI_PAGE, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            program, *arguments = shlex.split(command)
            assert program == "arborlink"
            yield arguments, lines


def words(lines: list[str]) -> list[str]:
    """Lines without what differs between machines: numbers, fingerprints, times and the width of columns."""
    told = [line for line in lines if not line.startswith("Seconds: ")]
    return [" ".join(re.sub(r"\b[0-9a-f]{24}\b|\d[\d.,]*\d|\d", "#", line).split()) for line in told]


def test_the_examples_print_what_the_page_says(
    run_command: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (demo_kb_path(), demo_documents_path()):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "118")
    n_examples = 0
    for arguments, expected in examples():
        done = run_command(*arguments)
        shown = [line for line in (done.out + done.err).splitlines() if line.strip()]
        if expected[-1] == "...":
            expected = expected[:-1]
            shown = shown[: len(expected)]
        assert words(shown) == words(expected), arguments
        n_examples += 1
    assert n_examples >= len(COMMANDS)


def test_the_example_in_python_prints_figures_and_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (demo_kb_path(), demo_documents_path()):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARBORLINK_CACHE", str(tmp_path / "kept"))
    (code,) = re.findall(r"^```python\n(.*?)^```", CLI_PAGE, re.DOTALL | re.MULTILINE)
    exec(code, {})
    *path_lines, accuracy = capsys.readouterr().out.splitlines()
    assert words(path_lines) == words(
        next(lines for arguments, lines in examples() if arguments[0] == "explain")
    )
    assert 0.5 < float(accuracy) <= 1
