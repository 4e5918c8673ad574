"""The documentation names every option of the two commands, every key of a run file and every data set."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from arborlink.cli.main import app
from arborlink.experiments import LAYOUTS
from arborlink.experiments.run_file import Experiment

DOCS = Path(__file__).parents[2] / "docs"
HOWTO = (DOCS / "experiments_howto.md").read_text(encoding="utf-8")
GROUP: Any = get_command(app).commands["experiment"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("verb", ["run", "tables"])
def test_every_option_is_in_the_table_and_no_other(verb: str) -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    options = {name for parameter in GROUP.commands[verb].params for name in parameter.opts if "--" in name}
    assert set(re.findall(rf"^\| `{verb} (--[a-z-]+)", page, re.MULTILINE)) == options - {"--help"}


def test_there_are_two_commands() -> None:
    assert set(GROUP.commands) == {"run", "tables"}


def test_every_key_of_a_run_file_is_in_the_table_and_no_other() -> None:
    table = HOWTO.split("| `[experiment]` |", 1)[1].split("\n\n", 1)[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) != []
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(Experiment.model_fields)


def test_every_data_set_is_in_the_table_and_no_other() -> None:
    table = HOWTO.split("| Folder |", 1)[1].split("\n\n", 1)[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(LAYOUTS)
