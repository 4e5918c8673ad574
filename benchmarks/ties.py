"""What the accuracy of the nearest entity owes to the order in which the knowledge base has its entities.

    python benchmarks/ties.py --data DATA --models untrained default --splits medmentions/dev medmentions/test \
        --output results/ties.json

Entities that say the same of themselves are equally near to a mention, and the first in the file is taken. Told are
the share of such mentions, the accuracy in the order of the file, and its mean over all orders. A split is a data set
and the name of one of its splits.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from arborlink.encoders.device import resolve_device
from arborlink.evaluation.gold import Gold
from arborlink.experiments.data_sets import open_data_set
from arborlink.experiments.models import LinkerFinder
from arborlink.experiments.results import RECALL_AT
from arborlink.experiments.ties import tie_figures
from arborlink.linker import Linker
from provenance import provenance


def main() -> None:
    """Measure one model after the other on each split; the file is written anew after each."""
    arguments = _arguments()
    device = resolve_device(arguments.device)
    results: dict[str, Any] = {"provenance": provenance(), "models": {}}
    data_sets = {
        name: open_data_set(name, arguments.data, limit=arguments.limit)
        for name in dict.fromkeys(asked.partition("/")[0] for asked in arguments.splits)
    }
    for model in arguments.models:
        linker = Linker.load(None if model == "default" else model, device=device)
        splits: dict[str, dict[str, float]] = {}
        results["models"][model] = {"model": linker.name, "splits": splits}
        for asked in arguments.splits:
            data_set, _, name = asked.partition("/")
            found = LinkerFinder(linker).find(data_sets[data_set].split(name), RECALL_AT, 1)
            figures = tie_figures(found.hood.near, Gold.of(found.split.corpus, found.split.kb)) or {}
            splits[asked] = {key: round(value, 4) for key, value in figures.items()}
            print(f"{model}, {asked}: {splits[asked]}", flush=True)
            arguments.output.parent.mkdir(parents=True, exist_ok=True)
            arguments.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--models", nargs="+", default=["untrained", "default"], help="or folders of models")
    parser.add_argument("--splits", nargs="+", required=True, help="DATA_SET/SPLIT")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="documents of each split, to try it")
    parser.add_argument("--device", default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    main()
