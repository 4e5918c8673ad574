"""Commands of a workspace that are killed at random points, and what is left of them.

Run as a program: a process that has loaded and compiled everything forks one child for each kill. The child counts
the lines of the workspace's code it runs; at a line drawn by lot it dies by SIGKILL, or sets a clock of a few
milliseconds that ends it wherever it then is, be it inside the database or a write. The parent looks at what is left,
finishes the command, and compares with the same command undisturbed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from workspace_world import documents, entities, hash_linker

from arborlink.errors import WorkspaceError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.workspace import Merge, Promote, Reject, Relink, Split, Workspace

Command = Callable[[Path, Linker], None]
CODE = str(Path("arborlink", "workspace"))
LONGEST_DELAY = 0.02
LAST_LINES = 60


def _init(folder: Path, linker: Linker) -> None:
    Workspace.init(folder, KnowledgeBase(entities(1, 6)), linker=linker, threshold=0.92).close()


def _opened(act: Callable[[Workspace], Any]) -> Command:
    def run(folder: Path, linker: Linker) -> None:
        with Workspace.open(folder, linker=linker) as workspace:
            act(workspace)

    return run


COMMANDS: list[tuple[str, Command]] = [
    ("init", _init),
    ("add", _opened(lambda w: w.add(documents(2, 12)))),
    ("promote", _opened(lambda w: w.decide(Promote(w.discoveries()[0].id)))),
    ("add both", _opened(lambda w: w.add(documents(3, 8, "e"), entities(4, 3, "N")))),
    ("merge", _opened(lambda w: w.decide(Merge(tuple(each.id for each in w.discoveries()[:2]))))),
    ("reject", _opened(lambda w: w.decide(Reject(w.discoveries()[-1].id)))),
    ("split", _opened(lambda w: w.decide(Split(w.discoveries()[1].id, w.discoveries()[1].mentions[:1])))),
    ("relink", _opened(lambda w: w.decide(Relink(w.discoveries()[-1].mentions[0], "Q1")))),
    ("undo promote", _opened(lambda w: w.undo(1))),
    ("reencode", _opened(lambda w: w.reencode(inference="undirected", neighbours=2))),
]


def state(folder: Path) -> dict[str, Any]:
    """All that a workspace holds, but for times."""
    with Workspace.open(folder) as workspace:
        problems = workspace.check()
        if problems:
            raise AssertionError(f"{folder}: {problems}")
        decided = [each.to_dict() for each in workspace.decisions()]
        for each in decided:
            del each["time"], each["undone_time"]
        ids = sorted({f"new-{number:06d}" for number in range(1, 200)})
        return {
            "version": workspace.version,
            "links": [link.to_dict() for link in workspace.result()],
            "kb": [str(entity) for entity in workspace.kb],
            "decisions": decided,
            "discoveries": [each.to_dict() for each in workspace.discoveries()],
            "history": [str(event) for id_ in ids for event in workspace.history(id_)],
        }


def count_lines(run: Callable[[], None]) -> int:
    """Lines of the workspace's code that a command runs."""
    n_lines = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal n_lines
        if CODE not in frame.f_code.co_filename:
            return None
        n_lines += event == "line"
        return count

    sys.settrace(count)
    try:
        run()
    finally:
        sys.settrace(None)
    return n_lines


def die_at(line: int, delay: float | None) -> None:
    """Let this process die at that line of the workspace's code, or so many seconds after."""
    n_lines = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal n_lines
        if CODE not in frame.f_code.co_filename:
            return None
        n_lines += event == "line"
        if n_lines == line:
            if delay is None:
                os.kill(os.getpid(), signal.SIGKILL)
            # the default of this signal ends a process on the spot, whatever it is doing
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, delay or 1e-6)
            sys.settrace(None)
            return None
        return count

    sys.settrace(count)


def killed(run: Callable[[], None], line: int, delay: float | None) -> bool:
    """Run in a child that dies on the way; whether it did before it was done."""
    child = os.fork()
    if not child:
        try:
            die_at(line, delay)
            run()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


class Killer:
    """The commands undisturbed, each from the state the one before left, to compare with.

    Args:
        base: a folder for all of it.
        seed: what lots are drawn by.
    """

    def __init__(self, base: Path, seed: int) -> None:
        self.base = base
        self.rng = random.Random(seed)
        self.linker = hash_linker()
        self.n_lines: list[int] = []
        self.states: list[dict[str, Any] | None] = [None]
        (base / "after-0").mkdir(parents=True)
        for number, (_, command) in enumerate(COMMANDS):
            work = base / f"after-{number + 1}"
            shutil.copytree(base / f"after-{number}", work)
            self.n_lines.append(count_lines(lambda: command(work, self.linker)))  # noqa: B023 (called at once)
            self.states.append(state(work))

    def kill_one(self, number: int) -> str:
        """Kill one command at a random point; say how far it had come: ``before``, ``after`` or ``done``."""
        name, command = COMMANDS[number]
        work = self.base / "work"
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.base / f"after-{number}", work)
        n_lines = self.n_lines[number]
        # half of the kills fall among the last lines: there files are synced, committed and removed
        line = self.rng.randint(self.rng.choice([1, max(1, n_lines - LAST_LINES)]), n_lines)
        delay = self.rng.choice([None, self.rng.uniform(0, LONGEST_DELAY)])
        was_killed = killed(lambda: command(work, self.linker), line, delay)
        try:
            left = state(work)
        except WorkspaceError:
            if number:  # only a workspace that was never made may not open
                raise
            left = None
        expected = self.states[number], self.states[number + 1]
        if left not in expected:
            raise AssertionError(
                f"{name}, line {line}, delay {delay}: left neither as it was nor as it should be"
            )
        if left == expected[0]:
            command(work, self.linker)
            if state(work) != expected[1]:
                raise AssertionError(f"{name}, line {line}, delay {delay}: did not finish as it should")
        listed = {path.name for path in (work / "arrays").iterdir()}
        with Workspace.open(work, linker=self.linker) as workspace:
            workspace.add(documents(99, 1, "last"))
            in_force = {path.name for path in (work / "arrays").iterdir()}
        if len(in_force) > len(listed) + 4:
            raise AssertionError(f"{name}: files of a killed command stay: {sorted(in_force)}")
        return "done" if not was_killed else "before" if left == expected[0] else "after"


def main() -> None:
    """Kill, and print counts as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        killer = Killer(Path(base), options.seed)
        counts = {name: {"before": 0, "after": 0} for name, _ in COMMANDS}
        n_killed = n_runs = 0
        while n_killed < options.kills:
            number = n_runs % len(COMMANDS)
            n_runs += 1
            outcome = killer.kill_one(number)
            if outcome != "done":
                n_killed += 1
                counts[COMMANDS[number][0]][outcome] += 1
        print(
            json.dumps({"n_kills": n_killed, "n_runs": n_runs, "lines": sum(killer.n_lines), "left": counts})
        )


if __name__ == "__main__":
    main()
