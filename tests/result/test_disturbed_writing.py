"""Writing a result, disturbed at every step there is: the process dies, or the step fails.

The steps are the calls that Python audits (open, rename, remove, mkdir, ...) and every ``fsync``; and the bytes of a
file, with a limit on its size that ends the process or makes the write fail.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args

import pytest

from arborlink.errors import InputError, ResultError
from arborlink.evaluation import candidates_file, links_file
from arborlink.result import Candidate, Link, Result

How = Literal["die", "fail"]

UNDISTURBED, SURVIVED, FAILED, DIED = 0, 3, 4, 5
STEPS = {
    "open",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.scandir",
    "os.listdir",
    "shutil.rmtree",
}
BYTE_LIMITS = (0, 1, 100, 1000, 5000, 8192, 8193, 10_000)
OLD, NEW = {"links.jsonl", "clusters.jsonl", "candidates.jsonl"}, {"links.jsonl", "clusters.jsonl"}


def result_of(kind: Literal["old", "new"]) -> Result:
    """Sixty links; the old result has candidates, the new one has none."""
    entity = "Q1" if kind == "old" else "Q2"
    fields: dict[str, Any] = {
        "entity": entity,
        "name": entity,
        "cluster": 0,
        "affinity": 0.5,
        "runner_up": None,
    }
    links = [
        Link("d", f"d.{n}", n, n + 1, "x" * 50, parent=entity, parent_kind="entity", **fields)
        for n in range(60)
    ]
    candidates = {link.mention: (Candidate(entity, entity, 0.5),) for link in links}
    return Result(links, {"kind of test": kind}, candidates if kind == "old" else None)


def disturb_step(number: int, how: How) -> Callable[[], bool]:
    """Die at, or fail, the call of this number among those still to come; returns whether it came."""
    n_left = number
    fsync = os.fsync

    def step() -> None:
        nonlocal n_left
        n_left -= 1
        if n_left == 0:
            if how == "die":
                os._exit(DIED)
            raise OSError(errno.EIO, "Input/output error")

    def disturbed_fsync(fd: Any) -> None:
        step()
        fsync(fd)

    os.fsync = disturbed_fsync
    sys.addaudithook(lambda event, arguments: step() if event in STEPS else None)
    return lambda: n_left <= 0


def limit_bytes(limit: int, how: How) -> Callable[[], bool]:
    """Let no file grow beyond the limit: the system ends the process at that byte, or fails the write."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL if how == "die" else signal.SIG_IGN)
    return lambda: True


def write_and_exit(folder: Path, was_disturbed: Callable[[], bool]) -> NoReturn:
    try:
        result_of("new").write(folder)
    except InputError:
        os._exit(FAILED)
    # some failures do no harm: to make a folder that is there, say
    os._exit(SURVIVED if was_disturbed() else UNDISTURBED)


def write_with_disturbances(root: Path) -> None:
    """Runs in a process of its own, which can be forked. Leaves a folder for each disturbance."""
    result_of("old").write(root / "old")
    for how in get_args(How):
        for earlier in ("fresh", "earlier"):
            for limit in BYTE_LIMITS:
                attempt(root, f"{how} {earlier} bytes {limit:05}", partial(limit_bytes, limit, how))
            for number in count(1):
                if not attempt(root, f"{how} {earlier} step {number:03}", partial(disturb_step, number, how)):
                    break


def attempt(root: Path, name: str, disturb: Callable[[], Callable[[], bool]]) -> bool:
    """Write in a fork; whether it was disturbed."""
    if " earlier " in name:
        shutil.copytree(root / "old", root / name)
    process = os.fork()
    if process == 0:
        write_and_exit(root / name, disturb())
    _, status = os.waitpid(process, 0)
    code = os.waitstatus_to_exitcode(status)
    (root / f"{name}.code").write_text(str(code))
    return code != UNDISTURBED


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders that the disturbances left."""
    root = tmp_path_factory.mktemp("disturbed")
    process = multiprocessing.get_context("spawn").Process(target=write_with_disturbances, args=(root,))
    process.start()
    process.join()
    assert process.exitcode == 0
    return root


def state(folder: Path) -> str:
    """What a reader finds: ``old``, ``new`` or ``refused``."""
    try:
        result = Result.read(folder)
    except ResultError:
        assert not (folder / "manifest.json").exists()
        if folder.exists():
            with pytest.raises(ResultError):
                links_file(folder)
            with pytest.raises(ResultError):
                candidates_file(folder)
        return "refused"
    kind = str(result.settings["kind of test"])
    assert result.links == result_of("old" if kind == "old" else "new").links
    assert links_file(folder) == folder / "links.jsonl"
    assert candidates_file(folder) == (folder / "candidates.jsonl" if kind == "old" else None)
    return kind


@pytest.mark.parametrize("how", ["die", "fail"])
@pytest.mark.parametrize("earlier", ["fresh", "earlier"])
def test_at_no_step_is_there_anything_but_a_whole_result_or_a_refusal(
    root: Path, tmp_path: Path, how: str, earlier: str
) -> None:
    wholes: dict[str, list[bytes]] = {}
    for kind in ("old", "new"):
        result_of("old" if kind == "old" else "new").write(tmp_path / kind)
        for path in (tmp_path / kind).iterdir():
            wholes.setdefault(path.name, []).append(path.read_bytes())
    states, codes = [], []
    for code in sorted(root.glob(f"{how} {earlier} *.code")):
        folder = code.with_suffix("")
        for path in folder.glob("[!.]*"):
            assert path.read_bytes() in wholes[path.name], path
        states.append(state(folder))
        codes.append(int(code.read_text()))
    before = "old" if earlier == "earlier" else "refused"
    # every limit is below the size of the links
    assert set(states[: len(BYTE_LIMITS)]) == {before}
    assert len(states) > len(BYTE_LIMITS) + 20
    if how == "die":
        assert set(codes) == {DIED, -signal.SIGXFSZ, UNDISTURBED}
    else:
        assert set(codes) <= {FAILED, SURVIVED, UNDISTURBED}
    assert all(
        state == "new" for state, code in zip(states, codes, strict=True) if code in (SURVIVED, UNDISTURBED)
    )
    # first the earlier result, for a while none, then the new one: never back
    stopped = [state for state, code in zip(states, codes, strict=True) if code != SURVIVED]
    assert stopped == sorted(stopped, key=[before, "refused", "new"].index)
    assert set(stopped) == {before, "refused", "new"}


def test_the_next_run_succeeds_and_clears_away_what_was_left(root: Path) -> None:
    codes = list(root.glob("*.code"))
    n_with_leftovers = 0
    for code in codes:
        folder = code.with_suffix("")
        n_with_leftovers += any(folder.glob(".*"))
        result_of("new").write(folder)
        assert state(folder) == "new"
        assert {path.name for path in folder.iterdir()} == NEW | {"manifest.json"}
    assert n_with_leftovers > 20


def test_a_failure_leaves_nothing_behind(root: Path) -> None:
    """Unless it is the clearing away itself that fails."""
    for code in root.glob("fail * bytes *.code"):
        folder = code.with_suffix("")
        if folder.exists():
            names = {path.name for path in folder.iterdir()}
            assert names in (set(), OLD | {"manifest.json"}, NEW | {"manifest.json"})
