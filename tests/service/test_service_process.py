"""The service as a process: how it starts, who it disappoints, how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from service_world import letter_linker, made, served

from arborlink.service import Limits, ServiceOptions
from arborlink.workspace import Workspace

SCRIPT = Path(__file__).parents[1] / "worlds" / "serve_letters.py"
LINK = {"documents": [{"text": "Turin", "mentions": [{"start": 0, "end": 5}]}]}


@contextmanager
def running(folder: Path, *options: str, seconds: float = 0.0) -> Iterator[tuple[Any, str]]:
    """The command with the encoder of the tests; gives the process and the address it prints."""
    command = [sys.executable, str(SCRIPT), str(seconds), "serve", "--workspace", str(folder), "--port", "0"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "default"}
    process = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://" in line, process.communicate()
        yield process, line.split(" on ")[1].split()[0].rstrip("/")
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def asked(address: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def until_ready(address: str) -> None:
    while asked(address, "/api/status")["model"]["state"] == "loading":
        time.sleep(0.05)


def in_background(address: str, path: str, body: Any) -> tuple[threading.Thread, list[Any]]:
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(asked(address, path, body)))
    thread.start()
    return thread, answers


def test_what_is_running_is_finished_before_the_end(tmp_path: Path) -> None:
    made(tmp_path / "w").close()
    with running(tmp_path / "w", seconds=1.5) as (process, address):
        until_ready(address)
        thread, answers = in_background(address, "/api/link", LINK)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        thread.join()
        assert answers[0]["links"][0]["entity"] == "Q4"
        out, err = process.communicate(timeout=20)
        assert process.returncode == 0
        assert out.strip() == "Stopped"
        assert err == ""


def test_what_does_not_finish_does_not_hold_up_the_end(tmp_path: Path) -> None:
    made(tmp_path / "w").close()
    with running(tmp_path / "w", "--stop-seconds", "1", seconds=60) as (process, address):
        until_ready(address)
        host, port = address.removeprefix("http://").split(":")
        body = json.dumps(LINK).encode()
        head = f"POST /api/link HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        with socket.create_connection((host, int(port))) as client:
            client.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            time.sleep(0.5)
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=20)
        assert process.returncode == 0
        assert time.monotonic() - start < 10
        assert "still running" in out
    with Workspace.open(tmp_path / "w", linker=letter_linker()) as workspace:
        assert workspace.check() == ()


def test_a_decision_that_was_answered_is_there_after_a_kill(tmp_path: Path) -> None:
    made(tmp_path / "w").close()
    with running(tmp_path / "w") as (process, address):
        until_ready(address)
        item = asked(address, "/api/proposals")["items"][0]
        mark = asked(address, "/api/proposals")["items"][1]
        asked(address, f"/api/proposals/{mark['id']}/unsure", {"if_version": mark["version"]})
        body = {"decision": {"kind": "promote", "discovery": item["id"]}, "if_version": item["version"]}
        asked(address, "/api/decisions", body)
        process.kill()
        process.wait()
    with Workspace.open(tmp_path / "w", linker=letter_linker()) as workspace:
        assert workspace.check() == ()
        assert item["id"] in workspace.kb
        with served(workspace) as address:
            assert asked(address, "/api/progress")["n_unsure"] == 1


def test_the_port_is_taken(tmp_path: Path) -> None:
    made(tmp_path / "w").close()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        command = [sys.executable, str(SCRIPT), "0", "serve", "--workspace", str(tmp_path / "w")]
        done = subprocess.run([*command, "--port", port], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"arborlink: cannot listen on 127.0.0.1 port {port}: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Host and port of a service that waits half a second for a request."""
    limits = Limits(max_body_seconds=0.5, max_bytes=1000)
    with served(made(tmp_path / "w"), ServiceOptions(port=0, limits=limits)) as address:
        host, port = address.removeprefix("http://").split(":")
        yield host, int(port)


HEAD = b"POST /api/link HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (HEAD + b"Content-Length: 100\r\n\r\n{", b"408"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", b"408"),
        (HEAD + b"Content-Length: 100000\r\n\r\n", b"413"),
        (HEAD + b"Content-Length: -5\r\n\r\n", b"400"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"", b""),
        (b"GET /api/status HTT", b""),
    ],
)
def test_clients_that_are_slow_or_broken(impatient: tuple[str, int], sent: bytes, status: bytes) -> None:
    received = answered(impatient, sent)
    assert received[9:12] == status
    if received:
        assert json.loads(received.partition(b"\r\n\r\n")[2])["error"]["message"]
        assert b"nosniff" in received
    assert asked(f"http://{impatient[0]}:{impatient[1]}", "/api/status")["version"] == 2


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 1_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_heads_without_end(impatient: tuple[str, int], sent: bytes) -> None:
    # the service closes before all is sent; then the client's system may throw the answer away
    assert answered(impatient, sent)[9:12] in (b"400", b"")
    assert asked(f"http://{impatient[0]}:{impatient[1]}", "/api/status")["version"] == 2


def answered(address: tuple[str, int], sent: bytes) -> bytes:
    """What comes back until the service closes, which it may do before it has read everything."""
    received = b""
    with (
        socket.create_connection(address, timeout=10) as client,
        contextlib.suppress(BrokenPipeError, ConnectionResetError),
    ):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(sent)
        while piece := client.recv(65536):
            received += piece
    return received


def test_a_client_that_goes_away_is_no_matter(impatient: tuple[str, int]) -> None:
    for _ in range(5):
        with socket.create_connection(impatient) as client:
            client.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
    assert asked(f"http://{impatient[0]}:{impatient[1]}", "/api/status")["version"] == 2
