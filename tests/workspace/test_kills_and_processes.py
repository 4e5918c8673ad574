"""Killed at any point a command has happened or not; two processes at once take turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from workspace_world import document, documents, entities, hash_linker, made

from arborlink.errors import WorkspaceError
from arborlink.workspace import Reject, Workspace

WORLDS = Path(__file__).parents[1] / "worlds"
ADDING = """
import random, sys
from pathlib import Path
from workspace_world import document, hash_linker
from arborlink.workspace import Workspace

folder, name, n = sys.argv[1:]
with Workspace.open(folder, linker=hash_linker(), wait=60) as workspace:
    for number in range(int(n)):
        workspace.add([document(random.Random(number), f"{name}{number}", 2)])
"""


def started(*arguments: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(WORLDS), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_killed_commands_leave_what_was_or_what_should_be() -> None:
    killing = started(WORLDS / "workspace_kills.py", "--kills", 24, "--seed", 1)
    out, err = killing.communicate(timeout=300)
    assert killing.returncode == 0, err
    told = json.loads(out)
    assert told["n_kills"] == 24
    assert sum(each["before"] for each in told["left"].values()) > 5
    assert sum(each["after"] for each in told["left"].values()) > 2


def test_two_processes_add_in_turns_and_nothing_is_lost(tmp_path: Path) -> None:
    made(tmp_path / "w").close()
    both = [started("-c", ADDING, tmp_path / "w", name, 4) for name in ("left", "right")]
    reader = Workspace.open(tmp_path / "w", linker=hash_linker())
    seen = []
    while any(process.poll() is None for process in both):
        seen.append((reader.version, len(reader.result())))
    for process in both:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert reader.version == 9
    assert {each.id for each in reader.corpus} == {
        f"{name}{number}" for name in ("left", "right") for number in range(4)
    }
    assert reader.check() == ()
    assert sorted(seen) == seen


def test_a_second_writer_waits_and_is_told(tmp_path: Path) -> None:
    workspace = made(tmp_path / "w")
    workspace.add(documents(1, 3))
    other = Workspace.open(tmp_path / "w", linker=hash_linker(), wait=0.2)
    with (
        workspace._session.writing(),
        pytest.raises(WorkspaceError, match=r"more than 0.2 seconds; try again"),
    ):
        other.add(documents(2, 3, "x"))
    assert other.status().n_documents == 3
    assert other.add(documents(2, 3, "x")).n_documents == 3
    assert workspace.refresh()
    assert not workspace.refresh()
    assert workspace.status().n_documents == 6


def test_readers_see_the_last_version_while_somebody_writes(tmp_path: Path) -> None:
    workspace = made(tmp_path / "w")
    workspace.add(documents(1, 3))
    reader = Workspace.open(tmp_path / "w")
    with workspace._session.writing():
        assert reader.version == 2
        assert len(reader.result()) == reader.status().n_mentions


def test_threads_share_a_workspace(tmp_path: Path) -> None:
    import random

    workspace = made(tmp_path / "w")
    workspace.add(documents(1, 3))
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(3):
                workspace.add([document(random.Random(number), f"{name}{number}", 2)])
                assert len(workspace.result()) >= 2
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert workspace.status().n_documents == 9
    assert workspace.check() == ()


def test_a_command_that_fails_leaves_the_version_and_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = made(tmp_path / "w")
    workspace.add(documents(1, 6))
    before = sorted(path.name for path in (tmp_path / "w" / "arrays").iterdir())

    def broken(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("arborlink.workspace.saving._save_history", broken)
        with pytest.raises(OSError, match="No space"):
            workspace.add(documents(2, 3, "x"), entities(3, 2, "N"))
    assert (workspace.version, workspace.status().n_documents) == (2, 6)
    assert workspace.check() == ()
    workspace.decide(Reject(workspace.discoveries()[0].id))
    after = {path.name for path in (tmp_path / "w" / "arrays").iterdir()}
    assert len(after) == len(before)
    assert workspace.check() == ()
