"""How long all thresholds take, in both exact modes, and the grid of ``directed`` beside them.

Graphs have the shape a search gives: one entity edge and k mention edges per mention. Gold labels are half right: the
entity a mention is nearest to, or any; every tenth entity is taken out of the knowledge base. Figures are medians
after a first call, which compiles; the seconds of that call are told apart.

Run: ``python benchmarks/thresholds.py --output results/thresholds.json``; a minute or two, 1 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.discovery import threshold_curve
from arborlink.evaluation import Gold
from arborlink.files import write_text
from arborlink.graph import NeighbourGraph
from arborlink.partition import Mode
from provenance import provenance

REQUIRED_SECONDS = 10
MODES: tuple[Mode, ...] = ("undirected", "minimax")


def drawn_graph(n_mentions: int, n_entities: int, k: int, seed: int, farther: float) -> NeighbourGraph:
    """Neighbours close by, as if mentions were sorted by content, with random affinities.

    Args:
        n_mentions: how many mentions.
        n_entities: how many entities.
        k: mention edges per mention.
        seed: of the random numbers.
        farther: by how much entities are farther than mentions; at 1 everything is one cluster before the first link.
    """
    rng = np.random.default_rng(seed)
    steps = rng.integers(1, 50, (n_mentions, k)) * rng.choice(np.array([-1, 1]), (n_mentions, k))
    return NeighbourGraph.from_neighbours(
        rng.integers(0, n_entities, (n_mentions, 1)),
        rng.random((n_mentions, 1)) - farther,
        (np.arange(n_mentions)[:, None] + steps) % n_mentions,
        rng.random((n_mentions, k)),
        n_entities,
    )


def drawn_gold(graph: NeighbourGraph, seed: int) -> Gold:
    """Labels that agree with the nearest entity of every second mention."""
    rng = np.random.default_rng(seed)
    n = graph.n_mentions
    nearest = graph.source[:n].astype(np.int64)
    label: NDArray[np.int64] = np.where(rng.random(n) < 0.5, nearest, rng.integers(0, graph.n_entities, n))
    linkable = label % 10 != 0
    nothing = np.zeros(n, bool)
    return Gold(
        labels=tuple((str(each),) for each in label.tolist()),
        unlabelled=nothing,
        nil_unknown=nothing,
        linkable=linkable,
        outside=~linkable,
        composite=nothing,
        cluster=label,
        document=np.zeros(n, np.int64),
        n_replaced=0,
        n_entities=graph.n_entities,
        pairs=(np.arange(n) * graph.n_entities + label)[linkable],
    )


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_bytes() -> int:
    """The most memory this process has held at once."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure(graph: NeighbourGraph, gold: Gold, repeats: int) -> dict[str, Any]:
    """Medians of the exact modes, one turn of the grid, and how many points each curve has."""
    found: dict[str, Any] = {"n_edges": graph.n_edges}
    for mode in MODES:
        taken = [seconds(lambda mode=mode: threshold_curve(graph, mode, gold)) for _ in range(repeats)]  # type: ignore[misc]
        curve = threshold_curve(graph, mode, gold)
        found[mode] = {
            "seconds": round(statistics.median(taken), 3),
            "n_points": curve.n_points,
        }
    found["both_exact_seconds"] = round(sum(found[mode]["seconds"] for mode in MODES), 3)
    found["directed_grid_seconds"] = round(seconds(lambda: threshold_curve(graph, "directed", gold)), 2)
    return found


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """All measurements, told as they come."""
    n, n_entities, k = arguments.mentions, arguments.entities, arguments.k
    results: dict[str, Any] = provenance()
    results |= {"n_mentions": n, "n_entities": n_entities, "k": k, "repeats": arguments.repeats}
    results["required_both_exact_seconds"] = REQUIRED_SECONDS
    small = drawn_graph(1000, 300, k, 0, 0.0)
    small_gold = drawn_gold(small, 0)
    results["first_call_seconds"] = {
        mode: round(seconds(lambda mode=mode: threshold_curve(small, mode, small_gold)), 2)  # type: ignore[misc]
        for mode in (*MODES, "directed")
    }
    print(f"first call: {json.dumps(results['first_call_seconds'])}", flush=True)
    results["graphs"] = {}
    for name, farther in {"entities as near": 0.0, "half farther": 0.5, "all farther": 1.0}.items():
        graph = drawn_graph(n, n_entities, k, 0, farther)
        results["graphs"][name] = measure(graph, drawn_gold(graph, 1), arguments.repeats)
        print(f"{name}: {json.dumps(results['graphs'][name])}", flush=True)
    results["peak_gigabytes"] = round(peak_bytes() / 1e9, 2)
    print(f"peak memory of the process: {results['peak_gigabytes']} GB", flush=True)
    return results


def main() -> None:
    """Read the command line, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="JSON file to write")
    parser.add_argument("--mentions", type=int, default=120_000)
    parser.add_argument("--entities", type=int, default=47_000)
    parser.add_argument("--k", type=int, default=4, help="mention edges per mention")
    parser.add_argument("--repeats", type=int, default=5, help="timed turns of the exact modes")
    arguments = parser.parse_args()
    results = run(arguments)
    if arguments.output:
        with write_text(arguments.output) as stream:
            stream.write(json.dumps(results, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
