"""Many clients at once: nothing is lost, nobody waits for ever, the process does not grow."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest
from service_world import letter_linker, made
from starlette.testclient import TestClient

from arborlink.service import Limits
from arborlink.service.problems import RefusalError
from arborlink.service.workers import Workers
from arborlink.workspace import Workspace

MakeClient = Callable[..., TestClient]
Result = TypeVar("Result")
LINK = {"documents": [{"text": "Turin", "mentions": [{"start": 0, "end": 5}]}]}


def test_of_deciders_about_one_discovery_one_decides(client: TestClient, workspace: Workspace) -> None:
    item = client.get("/api/proposals").json()["items"][0]
    body = {"decision": {"kind": "promote", "discovery": item["id"]}, "if_version": item["version"]}

    def decide(number: int) -> Any:
        return client.post("/api/decisions", json={**body, "author": f"reviewer {number}"})

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(decide, range(8)))
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 7}
    (stored,) = workspace.decisions()
    (winner,) = (number for number, answer in enumerate(answers) if answer.status_code == 200)
    assert stored.author == f"reviewer {winner}"


def test_deciders_about_different_discoveries_all_decide(client: TestClient, workspace: Workspace) -> None:
    items = client.get("/api/proposals").json()["items"]

    def reject(item: Any) -> int:
        body = {"decision": {"kind": "reject", "discovery": item["id"]}, "if_version": item["version"]}
        return client.post("/api/decisions", json=body).status_code

    stop = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not stop.is_set():
            page = client.get("/api/proposals?state=all").json()
            assert page["n_items"] == len(items)
            seen.append(page["version"])

    reader = threading.Thread(target=read)
    reader.start()
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(reject, items)) == {200}
    stop.set()
    reader.join()
    assert len(workspace.decisions()) == len(items)
    assert seen == sorted(seen)
    assert client.get("/api/progress").json()["n_rejected"] == len(items)


def test_two_processes_worth_of_services_share_a_workspace(
    make_client: MakeClient, workspace: Workspace
) -> None:
    one = make_client()
    other = make_client(Workspace.open(workspace.folder, linker=letter_linker()))
    first, second = one.get("/api/proposals").json()["items"][:2]
    body = {"decision": {"kind": "merge", "ids": [first["id"], second["id"]]}, "if_version": 2}
    assert one.post("/api/decisions", json=body).status_code == 200
    refused = other.post("/api/decisions", json=body)
    assert refused.status_code == 409
    assert one.get("/api/proposals").json() == other.get("/api/proposals").json()


def test_too_many_requests_are_turned_away(make_client: MakeClient, tmp_path: Path) -> None:
    slow = made(tmp_path / "slow", letter_linker(seconds=0.4))
    client = make_client(slow, limits=Limits(n_linking=1, n_waiting=1))
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: client.post("/api/link", json=LINK), range(6)))
    counts = Counter(answer.status_code for answer in answers)
    assert set(counts) == {200, 503}
    assert 2 <= counts[200] <= 4
    refused = next(answer for answer in answers if answer.status_code == 503)
    assert refused.json()["error"]["code"] == "overloaded"
    assert int(refused.headers["retry-after"]) >= 1
    assert client.get("/api/status").status_code == 200


def test_what_takes_too_long_is_given_up(make_client: MakeClient, tmp_path: Path) -> None:
    slow = made(tmp_path / "slow", letter_linker(seconds=3.0))
    client = make_client(slow, limits=Limits(max_seconds=1.0))
    answer = client.post("/api/link", json=LINK)
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "too_slow")
    waiting = client.post("/api/link", json=LINK)
    assert (waiting.status_code, waiting.json()["error"]["code"]) == (503, "overloaded")


def run_apart(course: Coroutine[Any, Any, Result]) -> Result:
    """Run it in a thread: where a browser is open, this one has a running event loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, course).result()


def test_a_place_is_kept_until_the_thread_is_done() -> None:
    async def course() -> list[Any]:
        workers = Workers("test", n_working=1, n_waiting=0, max_seconds=1.0)
        release = threading.Event()
        found: list[Any] = []
        for work in (release.wait, lambda: 1):
            try:
                found.append(await workers.run(work))
            except RefusalError as refusal:
                found.append(refusal.status)
        found.append(workers.n_inside)
        release.set()
        while workers.n_inside:
            await asyncio.sleep(0.01)
        found.append(await workers.run(lambda: 2))
        assert workers.close(1)
        return found

    assert run_apart(course()) == [504, 503, 1, 2]


def test_closing_waits_only_so_long() -> None:
    async def course() -> None:
        workers = Workers("test", n_working=1, n_waiting=5, max_seconds=1.0)
        release = threading.Event()
        with pytest.raises(RefusalError):
            await workers.run(release.wait)
        start = time.monotonic()
        assert not workers.close(0.1)
        assert time.monotonic() - start < 5
        with pytest.raises(RefusalError, match="stopping"):
            await workers.run(lambda: 1)
        release.set()

    run_apart(course())


def test_requests_do_not_make_the_process_grow(client: TestClient) -> None:
    process = psutil.Process()

    def ask(n: int) -> None:
        for _ in range(n):
            assert client.post("/api/link", json=LINK).status_code == 200
            assert client.get("/api/proposals").status_code == 200

    ask(60)
    before = process.memory_info().rss
    start = time.perf_counter()
    ask(150)
    assert (time.perf_counter() - start) / 300 < 0.2
    assert process.memory_info().rss - before < 30 << 20
