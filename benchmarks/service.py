"""Load and faults on the service of a workspace, on this machine.

- latency: ``POST /api/link`` of one document of ten mentions against the whole knowledge base, one client after the
  other; documents differ, so that mentions are encoded each time;
- load: several clients at once, for ``--requests`` requests; requests per second, and the memory of the process;
- reading: the queue, a proposal, an explanation, a search for entities;
- faults: slow, oversized and broken requests among good ones; then SIGTERM in the middle of requests.

``--encoder windows`` is the encoder without weights of ``benchmarks/workspace.py``: what all but the encoding costs;
others are models, ``untrained`` the embedded one. The first ``--held`` documents become the workspace, the rest are
sent.

::

    python benchmarks/service.py --kb kb.jsonl.gz --documents test.jsonl.gz --encoder windows --requests 10000 \\
        --encoder untrained --requests 300 --output results/service.json
"""

from __future__ import annotations

import argparse
import json
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from arborlink import Corpus, KnowledgeBase, Linker
from arborlink.workspace import Workspace
from provenance import provenance
from workspace import WindowEncoder

N_MENTIONS = 10
N_CLIENTS = 4
HEAD = b"POST /api/link HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def main() -> None:
    """Measure and print; write JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kb", type=Path, default=Path())
    parser.add_argument("--documents", type=Path, default=Path())
    parser.add_argument("--encoder", action="append")
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("--held", type=int, default=100, help="documents of the workspace")
    parser.add_argument("--requests", type=int, action="append", help="of each encoder")
    parser.add_argument("--singles", type=int, default=200, help="requests one after the other")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    encoders = arguments.encoder or ["windows"]
    if arguments.serve is not None:
        serve(arguments.serve, encoders[0])
        return
    corpus, kb = Corpus.read(arguments.documents), KnowledgeBase.read(arguments.kb)
    report: dict[str, Any] = {
        **provenance(),
        "documents": arguments.documents.name,
        "n_entities": len(kb),
        "n_mentions_of_a_request": N_MENTIONS,
    }
    for encoder, n in zip(encoders, arguments.requests or [10_000] * len(encoders), strict=True):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "w"
            report[encoder] = prepared(made, corpus, kb, encoder, arguments)
            bodies = list(requests_of(corpus.documents[arguments.held :]))
            report[encoder] |= measured(made, encoder, bodies, n, arguments.singles)
            print(json.dumps({encoder: report[encoder]}, indent=2), flush=True)
    if arguments.output is not None:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def prepared(folder: Path, corpus: Corpus, kb: KnowledgeBase, encoder: str, arguments: Any) -> dict[str, int]:
    """Make the workspace; what it holds."""
    options: dict[str, Any] = {"threshold": arguments.threshold, "device": "cpu", "cache": False}
    options |= {"linker": windows()} if encoder == "windows" else {"model": encoder}
    with Workspace.init(folder, kb, **options) as workspace:
        workspace.add(corpus.documents[: arguments.held])
        return {"n_documents": arguments.held, "n_mentions": workspace.corpus.n_mentions}


def windows() -> Linker:
    """The linker without weights."""
    return Linker(WindowEncoder(), progress=False)


def serve(folder: Path, encoder: str) -> None:
    """Serve as ``arborlink serve`` does; its own process, so that its memory is its own."""
    from arborlink.cli.main import main as command
    from arborlink.workspace.settings import ModelChoice

    if encoder == "windows":
        ModelChoice.load = lambda *_, **__: windows()  # type: ignore[method-assign]
    sys.argv = ["arborlink", "serve", "--workspace", str(folder), "--port", "0"]
    command()


def requests_of(documents: Any) -> Any:
    """Bodies of ten mentions each, as bytes."""
    for document in documents:
        for start in range(0, len(document.mentions) - N_MENTIONS + 1, N_MENTIONS):
            mentions = document.mentions[start : start + N_MENTIONS]
            spans = [{"start": mention.start, "end": mention.end} for mention in mentions]
            yield json.dumps({"documents": [{"text": document.text, "mentions": spans}]}).encode()


def measured(folder: Path, encoder: str, bodies: list[bytes], n: int, n_singles: int) -> dict[str, Any]:
    """All measurements on one service."""
    command = [sys.executable, __file__, "--serve", str(folder), "--encoder", encoder]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().split(":")[-1].split("/")[0])
        seconds_to_load = wait_until_ready(port)
        client = Client(port)
        for body in bodies[:20]:
            client.link(body)
        return {
            "seconds_to_load_the_model": round(seconds_to_load, 3),
            "one_after_the_other": latency(client, bodies[20 : 20 + n_singles]),
            "reading": reading(client),
            "load": load(port, process.pid, bodies, n),
            "faults": faults(port, bodies),
            "end": end(port, process, bodies),
        }
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


class Client:
    """One client with one connection."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and body of an answer."""
        headers = {"Content-Type": "application/json"}
        self._connection.request("GET" if body is None else "POST", path, body, headers)
        response = self._connection.getresponse()
        return response.status, response.read()

    def link(self, body: bytes) -> int:
        """Status of a request that links."""
        return self.ask("/api/link", body)[0]


def wait_until_ready(port: int) -> float:
    """Seconds until the model is loaded."""
    start, client = time.perf_counter(), Client(port)
    while json.loads(client.ask("/api/status")[1])["model"]["state"] == "loading":
        time.sleep(0.2)
    return time.perf_counter() - start


def latency(client: Client, bodies: list[bytes]) -> dict[str, Any]:
    """Milliseconds of requests one after the other."""
    spent, statuses = [], Counter[int]()
    for body in bodies:
        start = time.perf_counter()
        statuses[client.link(body)] += 1
        spent.append(time.perf_counter() - start)
    return {"n": len(bodies), "statuses": told(statuses), **milliseconds(spent)}


def milliseconds(spent: list[float]) -> dict[str, float]:
    """Quantiles, in milliseconds."""
    found = np.quantile(np.array(spent) * 1000, [0.5, 0.99, 1.0]).tolist()
    return {name: round(value, 1) for name, value in zip(("p50", "p99", "max"), found, strict=True)}


def told(statuses: Counter[int]) -> dict[int, int]:
    """Statuses, ascending."""
    return dict(sorted(statuses.items()))


def reading(client: Client) -> dict[str, Any]:
    """Milliseconds of what a reviewer looks at; the median of nine."""
    items = json.loads(client.ask("/api/proposals")[1])["items"]
    proposal = json.loads(client.ask(f"/api/proposals/{items[0]['id']}")[1])
    paths = {
        "queue": "/api/proposals",
        "proposal": f"/api/proposals/{items[0]['id']}",
        "why": f"/api/mentions/{proposal['evidence'][0]['mention']}/why",
        "document": f"/api/documents/{proposal['documents'][0]}",
        "entities": "/api/entities?search=acid",
        "progress": "/api/progress",
    }
    found = {}
    for name, path in paths.items():
        spent = []
        for _ in range(9):
            start = time.perf_counter()
            assert client.ask(path)[0] == 200, path
            spent.append(time.perf_counter() - start)
        found[name] = round(float(np.median(spent)) * 1000, 1)
    return found


def load(port: int, pid: int, bodies: list[bytes], n: int) -> dict[str, Any]:
    """Several clients at once; memory of the process every tenth of the way."""
    process, local = psutil.Process(pid), threading.local()
    spent: list[float] = []
    statuses: Counter[int] = Counter()
    memory = [process.memory_info().rss]

    def one(body: bytes) -> None:
        if not hasattr(local, "client"):
            local.client = Client(port)
        start = time.perf_counter()
        status = local.client.link(body)
        spent.append(time.perf_counter() - start)
        statuses[status] += 1

    start = time.perf_counter()
    with ThreadPoolExecutor(N_CLIENTS) as pool:
        for _ in range(10):
            list(pool.map(one, islice(cycle(bodies), n // 10)))
            memory.append(process.memory_info().rss)
    seconds = time.perf_counter() - start
    return {
        "n": len(spent),
        "n_clients": N_CLIENTS,
        "statuses": told(statuses),
        **milliseconds(spent),
        "requests_per_second": round(len(spent) / seconds, 1),
        "memory_mb": [round(rss / 2**20) for rss in memory],
    }


def faults(port: int, bodies: list[bytes]) -> dict[str, Any]:
    """Statuses of bad requests, and of good ones among them."""
    bad = {
        "broken_json": HEAD + b"Content-Length: 5\r\n\r\n{nope",
        "oversized": HEAD + b"Content-Length: 99999999\r\n\r\n",
        "no_http": b"nonsense\r\n\r\n",
        "slow_body": HEAD + b"Content-Length: 100\r\n\r\n{",
        "slow_head": b"GET /api/sta",
    }
    answers: dict[str, str] = {}

    def send(name: str) -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            client.sendall(bad[name])
            with suppress(ConnectionError):
                answers[name] = client.recv(4096)[9:12].decode() or "closed"

    threads = [threading.Thread(target=send, args=(name,)) for name in bad]
    for thread in threads:
        thread.start()
    client, statuses = Client(port), Counter[int]()
    for body in bodies[:20]:
        statuses[client.link(body)] += 1
    for thread in threads:
        thread.join()
    return {"answers": dict(sorted(answers.items())), "good_ones_meanwhile": told(statuses)}


def end(port: int, process: Any, bodies: list[bytes]) -> dict[str, Any]:
    """SIGTERM while clients wait for answers."""
    statuses: Counter[int] = Counter()

    def one(body: bytes) -> None:
        statuses[Client(port).link(body)] += 1

    with ThreadPoolExecutor(N_CLIENTS) as pool:
        waiting = [pool.submit(one, body) for body in bodies[:N_CLIENTS]]
        time.sleep(0.02)
        start = time.perf_counter()
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=60)
    seconds = time.perf_counter() - start
    return {
        "answered": told(statuses),
        "unanswered": sum(future.exception() is not None for future in waiting),
        "exit_status": code,
        "seconds": round(seconds, 2),
    }


if __name__ == "__main__":
    main()
