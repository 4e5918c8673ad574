"""What words that mentions share with descriptions bring: the default model, on dev splits, with every share.

    python benchmarks/shared_words.py --data DATA --splits wikis/dev wikis/heldout_train_unseen medmentions/dev \
        --output results/shared_words.json

A split is a data set and the name of one of its splits; test is not for choosing. Accuracy is that of the nearest
entity, and of the graph with four neighbours, undirected, every mention linked; recall is that of the 64 nearest.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from arborlink.encoders.device import resolve_device
from arborlink.evaluation.gold import Gold
from arborlink.experiments.data_sets import Split, open_data_set
from arborlink.experiments.models import Found, LinkerFinder, looked_at
from arborlink.experiments.results import RECALL_AT
from arborlink.linker import Linker
from arborlink.partition import partition
from arborlink.shared_words import N_LOOKED, WINDOW, SharedWords
from provenance import provenance

NEIGHBOURS = 4


def main() -> None:
    """Measure one split after the other; the file is written anew after each."""
    arguments = _arguments()
    device = resolve_device(arguments.device)
    linker = Linker.load(arguments.model, device=device)
    results: dict[str, Any] = {"provenance": provenance(), "model": linker.name, "splits": {}}
    for asked in arguments.splits:
        data_set, _, name = asked.partition("/")
        split = open_data_set(data_set, arguments.data, limit=arguments.limit).split(name)
        results["splits"][asked] = _measured(LinkerFinder(linker), split, arguments)
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _measured(finder: LinkerFinder, split: Split, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    found = finder.find(split, arguments.n, NEIGHBOURS)
    rows = []
    for share in arguments.shares:
        start = time.perf_counter()
        words = SharedWords(share, arguments.n, arguments.window) if share else None
        looked = looked_at(found, words, RECALL_AT)
        figures = {"share": share, "seconds": round(time.perf_counter() - start, 2), **_figures(looked)}
        print(f"{split.name}: {figures}", flush=True)
        rows.append(figures)
    return rows


def _figures(found: Found) -> dict[str, float]:
    gold = Gold.of(found.split.corpus, found.split.kb)
    near = found.hood.near.first(RECALL_AT)
    items = near.items.astype(np.int64)
    n, k = items.shape
    right = gold.is_right(np.repeat(np.arange(n), k), items.ravel()).reshape(n, k)[gold.linkable]
    linked = partition(replace(found.hood, near=near).graph(NEIGHBOURS), "undirected").entity.astype(np.int64)
    return {
        "nearest": _share(right[:, 0]),
        "undirected": _share(gold.is_right(np.arange(n), linked)[gold.linkable]),
        f"recall@{RECALL_AT}": _share(right.any(axis=1)),
    }


def _share(right: Any) -> float:
    return round(float(np.mean(right)), 4)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--splits", nargs="+", required=True, help="DATA_SET/SPLIT")
    parser.add_argument("--shares", nargs="+", type=float, default=[0.0, 0.05, 0.1, 0.2, 0.3, 0.4])
    parser.add_argument("--n", type=int, default=N_LOOKED, help="entities of each mention that are looked at")
    parser.add_argument("--window", type=int, default=WINDOW, help="words on each side of a mention")
    parser.add_argument("--model", help="a model's folder; the default model if not given")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="documents of each split, to try it")
    parser.add_argument("--device", default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    main()
