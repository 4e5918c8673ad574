"""How long partitions take, against a stable sort of the same weights, and how that grows.

Prints and writes, for synthetic graphs of the shape a search gives (one entity edge and k mention edges per
mention):

- speed: each mode as a ratio to ``numpy.argsort(weight, kind="stable")`` in the same run, medians after
  warm-up;
- agreement: on how many mentions directed and minimax link alike;
- first call: what a fresh process pays, with an empty and with a filled cache of compiled code;
- growth: nanoseconds per edge and peak memory from 10,000 to 10,000,000 mentions, each in a process of its
  own.

Run: ``python benchmarks/partition.py --output results/partition.json``; a few minutes, 2 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from arborlink.files import write_text
from arborlink.graph import NeighbourGraph
from arborlink.partition import MODES, Mode, partition
from provenance import provenance

GROUPING: tuple[Mode, ...] = ("undirected", "directed", "minimax")
REQUIRED = {"undirected": 1.5, "directed": 2.5, "minimax": 2.0}
WINDOW = 50
CHUNK = 1_000_000
T = TypeVar("T")


def drawn_graph(
    n_mentions: int, k: int, seed: int, *, near: bool, heavier: float = 0.0, dtype: DTypeLike = np.float32
) -> NeighbourGraph:
    """Random neighbours with random weights, filled in chunks so that little but the graph is in memory.

    Args:
        n_mentions: how many mentions; there are a quarter as many entities.
        k: mention edges per mention.
        seed: of the random numbers.
        near: draw neighbours with numbers close by, as if mentions were sorted by content; otherwise any.
        heavier: added to the weights of entity edges; at 1 or more, every one is heavier than all mention
            edges.
        dtype: of the weights.
    """
    rng = np.random.default_rng(seed)
    n_entities = max(n_mentions // 4, 1)
    n_edges = n_mentions * (k + 1)
    source, target = np.empty(n_edges, np.int32), np.empty(n_edges, np.int32)
    weight = rng.random(n_edges, np.float32).astype(dtype, copy=False)
    weight[:n_mentions] += weight.dtype.type(heavier)
    source[:n_mentions] = rng.integers(0, n_entities, n_mentions, np.int32)
    target[:n_mentions] = np.arange(n_entities, n_entities + n_mentions, dtype=np.int32)
    neighbours = source[n_mentions:].reshape(n_mentions, k)
    for start in range(0, n_mentions, CHUNK):
        rows = np.arange(start, min(start + CHUNK, n_mentions), dtype=np.int64)[:, None]
        reach = min(WINDOW, n_mentions // 2) if near else n_mentions
        steps = rng.integers(1, reach, (len(rows), k))
        if near:
            steps *= rng.choice(np.array([-1, 1]), steps.shape)
        neighbours[start : start + len(rows)] = (rows + steps) % n_mentions + n_entities
    target[n_mentions:].reshape(n_mentions, k)[:] = target[:n_mentions, None]
    return NeighbourGraph(source, target, weight, n_entities, n_mentions)


def points_graph(
    n_mentions: int, k: int, seed: int, n_dimensions: int = 4, dtype: DTypeLike = np.float32
) -> NeighbourGraph:
    """Nearest entities and mentions of random points, weighted by distance: weights are symmetric."""
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(seed)
    n_entities = max(n_mentions // 4, 1)
    mentions, entities = (rng.random((n, n_dimensions)) for n in (n_mentions, n_entities))
    entity_distance, entity = cKDTree(entities).query(mentions, k=1)
    distance, neighbour = cKDTree(mentions).query(mentions, k=k + 1)
    return NeighbourGraph.from_neighbours(
        entity[:, None],
        -entity_distance[:, None].astype(dtype),
        neighbour[:, 1:],
        -distance[:, 1:].astype(dtype),
        n_entities,
    )


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure_speed(graph: NeighbourGraph, repeats: int) -> dict[str, Any]:
    """Medians of the modes and of the sort, taken in turns so that a busy moment falls on all of them."""
    works: dict[str, Callable[[], object]] = {
        "argsort": lambda: np.argsort(graph.weight, kind="stable"),
        **{mode: partial(partition, graph, mode) for mode in MODES},
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(repeats + 1):
        for name, work in works.items():
            taken = seconds(work)
            if turn:
                times[name].append(taken)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    return {
        "n_edges": graph.n_edges,
        "milliseconds": {name: round(1e3 * median, 2) for name, median in medians.items()},
        "ratio_to_argsort": {mode: round(medians[mode] / medians["argsort"], 3) for mode in MODES},
    }


def first_call(mode: Mode) -> float:
    """What the first call of a process takes, loading the compiler included."""
    graph = drawn_graph(1000, 4, seed=0, near=True)
    return seconds(lambda: partition(graph, mode))


def grow(n_mentions: int, k: int, near: bool, repeats: int) -> dict[str, Any]:
    """Time per edge of every mode and the peak memory of this process, the graph included."""
    small = drawn_graph(1000, k, seed=0, near=near)
    graph = drawn_graph(n_mentions, k, seed=1, near=near)
    per_edge = {}
    for mode in GROUPING:
        partition(small, mode)
        taken = statistics.median(seconds(partial(partition, graph, mode)) for _ in range(repeats))
        per_edge[mode] = round(1e9 * taken / graph.n_edges, 1)
    sort = statistics.median(
        seconds(lambda: np.argsort(graph.weight, kind="stable")) for _ in range(min(repeats, 3))
    )
    return {
        "n_mentions": n_mentions,
        "k": k,
        "n_edges": graph.n_edges,
        "neighbours": "near" if near else "anywhere",
        "nanoseconds_per_edge": per_edge,
        "argsort_nanoseconds_per_edge": round(1e9 * sort / graph.n_edges, 1),
        "peak_gigabytes": round(peak_bytes() / 1e9, 2),
    }


def peak_bytes() -> int:
    """The most memory this process has held at once."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def in_new_process(work: Callable[..., T], *arguments: object) -> T:
    """Call a function of this module in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def measure_first_calls() -> dict[str, dict[str, float]]:
    """Seconds of the first call of each mode, with an empty and with a filled cache of compiled code."""
    found: dict[str, dict[str, float]] = {}
    for mode in GROUPING:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["NUMBA_CACHE_DIR"] = folder
            found[mode] = {
                f"{state}_cache_seconds": round(in_new_process(first_call, mode), 2)
                for state in ("empty", "filled")
            }
        del os.environ["NUMBA_CACHE_DIR"]
    return found


def measure_agreement(n_mentions: int, seed: int) -> dict[str, float]:
    """Share of the mentions of a graph of points that directed and minimax link to the same entity, by k."""
    found = {}
    for k in (1, 2, 4, 8):
        graph = points_graph(n_mentions, k, seed)
        same: NDArray[np.bool_] = partition(graph, "directed").entity == partition(graph, "minimax").entity
        found[str(k)] = round(float(same.mean()), 4)
    return found


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """All measurements, told as they come."""
    n, k, repeats = arguments.mentions, arguments.k, arguments.repeats
    results: dict[str, Any] = provenance()
    graphs: dict[str, Callable[[], NeighbourGraph]] = {
        "points, float32": lambda: points_graph(n, k, 0),
        "points, float64": lambda: points_graph(n, k, 0, dtype=np.float64),
        "anywhere, float32": lambda: drawn_graph(n, k, 0, near=False),
        "anywhere, float64": lambda: drawn_graph(n, k, 0, near=False, dtype=np.float64),
        "heavy entity edges, float32": lambda: drawn_graph(n, k, 0, near=False, heavier=2.0),
    }
    results["speed"] = {"n_mentions": n, "k": k, "repeats": repeats, "required_ratios": REQUIRED}
    for name, build in graphs.items():
        results["speed"][name] = measure_speed(build(), repeats)
        print(f"speed, {name}: {json.dumps(results['speed'][name])}", flush=True)
    results["agreement"] = measure_agreement(n, seed=0)
    print(f"agreement of directed and minimax, by k: {json.dumps(results['agreement'])}", flush=True)
    if not arguments.skip_first_call:
        results["first_call"] = measure_first_calls()
        print(f"first call: {json.dumps(results['first_call'])}", flush=True)
    results["growth"] = []
    for size in arguments.sizes:
        for near in (True, False):
            turns = 1 if size > CHUNK else 5
            results["growth"].append(in_new_process(grow, size, 4, near, turns))
            print(f"growth: {json.dumps(results['growth'][-1])}", flush=True)
    return results


def main() -> None:
    """Read the command line, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="JSON file to write")
    parser.add_argument("--mentions", type=int, default=120_000, help="mentions of the speed runs")
    parser.add_argument("--k", type=int, default=8, help="mention edges per mention of the speed runs")
    parser.add_argument("--repeats", type=int, default=11, help="timed turns of the speed runs")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000, 10_000_000])
    parser.add_argument("--skip-first-call", action="store_true", help="leave out the compile times")
    arguments = parser.parse_args()
    results = run(arguments)
    if arguments.output:
        with write_text(arguments.output) as stream:
            stream.write(json.dumps(results, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
