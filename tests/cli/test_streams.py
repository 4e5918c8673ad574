"""Standard output and error that are closed, broken off, or cannot take every sign."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arborlink.demo import demo_documents_path
from arborlink.result import Link, Result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A result folder with one link, to a name beyond Latin-1."""
    link = Link("d", "d.0", 0, 3, "Ada", "Q1", "Łódź", 0, 0.9, "Q1", "entity", None)
    Result([link], {}).write(tmp_path / "result")
    return tmp_path / "result"


def run(*arguments: object, redirected: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "arborlink.cli.main", *map(str, arguments)]
    shell = ["bash", "-c", f'"$@" {redirected}', "bash", *words]
    return subprocess.run(shell, text=True, check=False, **options)


@pytest.mark.parametrize("redirected", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_error(folder: Path, tmp_path: Path, redirected: str) -> None:
    done = run("explain", folder, "d.0", redirected=redirected, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    written = tmp_path / "x.pubtator"
    done = run("convert", demo_documents_path(), written, redirected=redirected, capture_output=True)
    assert done.returncode == 0
    assert written.exists()


def test_a_reader_of_tables_that_goes_away_is_no_error(folder: Path) -> None:
    kb, documents = folder.parent / "kb.jsonl", folder.parent / "documents.jsonl"
    kb.write_text('{"id": "Q1", "name": "Ada"}')
    documents.write_text('{"id": "d", "text": "Ada", "mentions": [{"start": 0, "end": 3, "entity": "Q1"}]}')
    files = ("--links", folder, "--documents", documents, "--kb", kb)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = run("evaluate", *files, "--bootstrap", 0, stdout=pipe, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")


def test_signs_that_the_output_lacks_are_replaced(folder: Path) -> None:
    latin = os.environ | {"PYTHONIOENCODING": "latin-1"}
    done = run("explain", folder, "d.0", capture_output=True, env=latin, encoding="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"Ada" (d.0) ? ?ód? (Q1)' in done.stdout
    done = run("explain", folder, "d.0", "--json", capture_output=True, env=latin, encoding="latin-1")
    assert json.loads(done.stdout)["name"] == "Łódź"
