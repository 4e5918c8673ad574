"""Importing ArborLink, and asking its command for help, loads no heavy library and takes no time to speak of."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

HEAVY = {
    "faiss",
    "numba",
    "pandas",
    "rich",
    "scipy",
    "sentence_transformers",
    "sklearn",
    "torch",
    "transformers",
}
TELL = "import json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
HELP = "import sys; sys.argv = ['arborlink', '--help']; from arborlink.cli.main import main; main()"


@pytest.mark.parametrize(
    ("code", "loaded"),
    [
        ("import arborlink", "arborlink"),
        ("from arborlink import Corpus, Document, Entity, InputError, KnowledgeBase", "arborlink.corpus"),
        ("from arborlink import Result", "arborlink.result"),
        ("import arborlink.cli.main", "arborlink.cli.main"),
        (f"import atexit; atexit.register(lambda: exec({TELL!r})); {HELP}", "arborlink.cli.main"),
    ],
)
def test_nothing_heavy_is_loaded(code: str, loaded: str) -> None:
    source = code if TELL in code else f"{code}\n{TELL}"
    run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    modules = set(json.loads(run.stderr))
    assert loaded in modules
    assert modules & HEAVY == set()


@pytest.mark.parametrize("code", ["import arborlink", HELP])
def test_it_takes_less_than_a_second(code: str) -> None:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    assert min(times) < 1
