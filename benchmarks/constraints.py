"""How long partitions under decisions take, how many rounds the directed mode needs, and what decisions move.

Time is that of the processor, and its ratio to the time of the partition without decisions, turn by turn.

Nearest neighbours of random points in four dimensions: 8 entities and 8 mentions for every mention. Decisions
break the plain partition on purpose: half keep a mention from its entity, half keep a mention from its parent.

Run: ``python benchmarks/constraints.py --output results/constraints.json``; half a minute.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from arborlink.files import write_text
from arborlink.graph import NeighbourGraph
from arborlink.partition import Constraints, Mode, Partition, partition, partition_under, violated
from arborlink.partition.decided import DecidedGraph
from arborlink.partition.rounds import directed_in_rounds
from provenance import provenance

MODES: tuple[Mode, ...] = ("undirected", "directed", "minimax")
WORDS = (0, 1, 100, 2000)


def points(n_mentions: int, n_entities: int, k: int, heavier: float) -> NeighbourGraph:
    """The graph; ``heavier`` is added to the weights of entity edges."""
    rng = np.random.default_rng(0)
    mentions, entities = rng.random((n_mentions, 4)), rng.random((n_entities, 4))
    far, near = KDTree(entities).query(mentions, k)
    far_others, others = KDTree(mentions).query(mentions, k + 1)
    return NeighbourGraph.from_neighbours(near, -(far + heavier), others, -far_others, n_entities)


def decisions(plain: Partition, n_words: int) -> Constraints:
    """Words that the plain partition breaks."""
    rng = np.random.default_rng(1)
    linked = rng.permutation(np.flatnonzero(plain.entity >= 0))[: n_words - n_words // 2]
    hung = rng.permutation(np.flatnonzero(plain.parent >= plain.n_entities))[: n_words // 2]
    return Constraints(
        unlinked=[(int(plain.entity[mention]), int(mention)) for mention in linked],
        apart=[(int(mention), int(plain.parent[mention]) - plain.n_entities) for mention in hung],
    )


def measured(graph: NeighbourGraph, mode: Mode, n_words: int, turns: int) -> dict[str, Any]:
    """One row of the table."""
    plain = partition(graph, mode)
    constraints = decisions(plain, n_words)
    under, without = [], []
    for _ in range(turns + 1):  # the first compiles
        start = time.process_time()
        found = partition_under(graph, constraints, mode)
        middle = time.process_time()
        partition(graph, mode)
        without.append(time.process_time() - middle)
        under.append(middle - start)
    if violated(constraints, found):
        raise AssertionError(f"{mode} breaks decisions")
    return {
        "mode": mode,
        "words": len(constraints.statements()),
        "milliseconds": round(1000 * statistics.median(under[1:]), 1),
        "times_partition": round(statistics.median(under[1:]) / statistics.median(without[1:]), 2),
        "rounds": rounds(graph, constraints) if mode == "directed" else None,
        "relinked": int((found.entity != plain.entity).sum()),
    }


def rounds(graph: NeighbourGraph, constraints: Constraints) -> int:
    """How often the directed mode was computed."""
    decided = DecidedGraph.of(graph, constraints, None)
    parent, key = np.full(graph.n_mentions, -1, np.int32), np.zeros(graph.n_mentions, np.uint32)
    return directed_in_rounds(decided, parent, key)


def main() -> None:
    """Print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, help="file for the figures, as JSON")
    parser.add_argument("--mentions", type=int, default=40_000)
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_args()
    rows = []
    for name, heavier in (("points", 0.0), ("heavy entity edges", 10.0)):
        graph = points(options.mentions, options.mentions // 4, 8, heavier)
        for mode in MODES:
            for n_words in WORDS:
                row = {"graph": name} | measured(graph, mode, n_words, options.turns)
                print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
                rows.append(row)
    if options.output is not None:
        record = provenance() | {"n_mentions": options.mentions, "turns": options.turns, "rows": rows}
        with write_text(options.output) as file:
            file.write(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
