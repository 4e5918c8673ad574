"""Whatever moment a run is killed at, its folder holds a whole result or is refused, and the next run succeeds."""

from __future__ import annotations

import json
import multiprocessing
import random
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

RunCommand = Callable[..., Any]
Start = Callable[..., BaseProcess]
Content = dict[str, bytes]

N_MENTIONS, N_ENTITIES = 300, 60
# of each of the two tests
N_KILLS, N_KILLS_WHILE_WRITING = 10, 4
OLD = ("--inference", "independent", "--threshold", 0.99)
NEW = ("--inference", "directed", "--neighbours", 4, "--candidates", 50)
MANIFEST = "manifest.json"
NAMES = {"links.jsonl", "clusters.jsonl", "candidates.jsonl"}
# Loaded once, in a process that every run is then forked from: a run takes a fraction of a second.
PRELOADED = [
    "pytest",
    "faiss",
    "numba.typed.typedlist",
    "safetensors.numpy",
    "sentence_transformers",
    "transformers.models.bert.modeling_bert",
    "arborlink.cli.main",
    "arborlink.encoders",
    "arborlink.linker",
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents with a mention each, of entities with made-up names."""
    folder = tmp_path_factory.mktemp("world")
    chance = random.Random(0)
    names = ["".join(chance.choices("abdegiklmnorstu", k=8)) for _ in range(N_ENTITIES)]
    entities = [{"id": f"Q{number}", "name": name} for number, name in enumerate(names)]
    documents = []
    for number in range(N_MENTIONS):
        name = chance.choice(names)[: chance.randint(4, 8)]
        mention = {"start": 4, "end": 4 + len(name), "entity": None}
        documents.append({"id": f"d{number}", "text": f"See {name}.", "mentions": [mention]})
    for file, records in (("kb.jsonl", entities), ("documents.jsonl", documents)):
        (folder / file).write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


@pytest.fixture(scope="module")
def start(world: Path, tiny_model: Path) -> Start:
    """``start(output, "--candidates", 50)``: the command ``link``, in a process of its own."""
    from arborlink.cli.main import main

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)

    def begin(output: Path, *options: object) -> BaseProcess:
        files = ("--kb", world / "kb.jsonl", "--documents", world / "documents.jsonl", "--output", output)
        arguments = ["link", *files, "--model", tiny_model, "--cache", world / "cache", *options]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["arborlink", *map(str, arguments)])  # goes along to the process
            process = context.Process(target=main)
            process.start()
        return process

    return begin


@pytest.fixture(scope="module")
def wholes(start: Start, world: Path) -> list[Content]:
    """What the files of the earlier and of the new result hold."""
    finish(start(world / "old", *OLD))
    finish(start(world / "new", *NEW))
    wholes = [content_of(world / "old"), content_of(world / "new")]
    assert wholes[0]["links.jsonl"] != wholes[1]["links.jsonl"]
    assert (set(wholes[0]), set(wholes[1])) == (NAMES - {"candidates.jsonl"}, NAMES)
    return wholes


def finish(process: BaseProcess) -> None:
    """Wait for a run that nobody kills."""
    process.join()
    assert process.exitcode == 0


def kill(process: BaseProcess) -> None:
    process.kill()
    process.join()
    assert process.exitcode in (-signal.SIGKILL, 0)


def content_of(folder: Path) -> Content:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name in NAMES}


def leftovers(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {*NAMES, MANIFEST} if folder.exists() else set()


def wait_for_writing(folder: Path, process: BaseProcess) -> None:
    known = leftovers(folder)
    while process.is_alive() and not leftovers(folder) - known:
        time.sleep(0.0005)


@pytest.mark.parametrize("earlier", [False, True])
def test_a_run_killed_at_any_moment(
    start: Start, wholes: list[Content], run_command: RunCommand, world: Path, tmp_path: Path, earlier: bool
) -> None:
    chance = random.Random(int(earlier))
    folder = tmp_path / "out"
    if earlier:
        finish(start(folder, *OLD))
    begin = time.perf_counter()
    finish(start(tmp_path / "timed", *NEW))
    seconds = time.perf_counter() - begin
    states = []
    for number in range(N_KILLS):
        process = start(folder, *NEW)
        time.sleep(seconds * (number + chance.random()) / N_KILLS)
        kill(process)
        states.append(state(folder, wholes, run_command, world))
    for _ in range(N_KILLS_WHILE_WRITING):
        process = start(folder, *NEW)
        wait_for_writing(folder, process)
        time.sleep(chance.random() * 0.08)
        kill(process)
        states.append(state(folder, wholes, run_command, world))
    assert states[0] == ("old" if earlier else "refused")
    finish(start(folder, *NEW))
    assert state(folder, wholes, run_command, world) == "new"
    assert leftovers(folder) == set()


def state(folder: Path, wholes: list[Content], run_command: RunCommand, world: Path) -> str:
    """What a reader finds: ``old``, ``new`` or ``refused``; anything between them fails the test."""
    found = content_of(folder) if folder.exists() else {}
    for name, content in found.items():
        assert content in [whole[name] for whole in wholes if name in whole], name
    explained = run_command("explain", folder, "d0.0", "--json")
    files = ("--links", folder, "--documents", world / "documents.jsonl", "--kb", world / "kb.jsonl")
    evaluated = run_command("evaluate", *files, "--json", "--bootstrap", 0)
    if not (folder / MANIFEST).exists():
        assert (explained.status, evaluated.status) == (2, 2)
        return "refused"
    assert (explained.status, evaluated.status) == (0, 0)
    assert json.loads(evaluated.out)["n_without_prediction"] == 0
    return ("old", "new")[wholes.index(found)]
