"""How well towers link into knowledge bases they were never trained on: what the default model's recipe is chosen by.

    python benchmarks/transfer.py --data DATA --train medmentions --measure bc5cdr wikis \
        --output results/transfer.json \
        --runs "mean:encoder.pooling=mean" "span:encoder.pooling=span,encoder.towers=one"

Every run is a name and its settings. It is trained on the train split of the data sets to train on, and measured on
the dev split of the others: accuracy of the nearest entity and recall, with every share of names beside the towers.
Test is not looked at.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings, Encoder
from arborlink.encoders.default_model import UNTRAINED
from arborlink.encoders.device import resolve_device
from arborlink.encoders.loading import load_encoder
from arborlink.evaluation.gold import Gold
from arborlink.experiments.data_sets import Split
from arborlink.experiments.models import Finder, Found, LinkerFinder, TowersFinder
from arborlink.experiments.results import RECALL_AT
from arborlink.experiments.run_file import Experiment
from arborlink.experiments.training import train
from arborlink.experiments.workbench import Workbench
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.training.config_file import make_config, with_settings
from provenance import provenance


def main() -> None:
    """Measure the untrained model, then one run after the other; the file is written anew after each."""
    arguments = _arguments()
    device = resolve_device(arguments.device)
    bench = Workbench(arguments.data, device, arguments.limit, False, _say)
    experiment = Experiment(row="transfer", train=arguments.train, evaluate=arguments.measure)
    splits = {name: bench.data_set(name, experiment).split("dev") for name in arguments.measure}
    names = _Remembering(load_encoder(UNTRAINED, device=device, progress=False))
    untrained = LinkerFinder(Linker(names, device=device, progress=False))
    results: dict[str, Any] = {
        "provenance": provenance(),
        "untrained": {name: _figures(untrained, split) for name, split in splits.items()},
        "runs": [],
    }
    _say(f"untrained {results['untrained']}")
    for asked in arguments.runs:
        called, _, own = asked.partition(":")
        settings = [*arguments.set, *(own.split(",") if own else [])]
        results["runs"].append(
            {
                "name": called,
                "settings": settings,
                **_run(bench, experiment, splits, settings, names, arguments),
            }
        )
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _run(
    bench: Workbench,
    experiment: Experiment,
    splits: dict[str, Split],
    settings: list[str],
    names: Encoder,
    arguments: argparse.Namespace,
) -> dict[str, Any]:
    base = [f"encoder.base={arguments.base}"] if arguments.base else []
    config = with_settings(make_config({}), [*base, "dev.every=0", "dev.neighbours=[1]", *settings])
    with tempfile.TemporaryDirectory() as folder:
        material = bench.material(experiment, config)
        data = bench.training_data(experiment)
        trainer, told = train(data, material, config, Path(folder) / "model", bench)
    start = time.perf_counter()
    found: dict[str, Any] = {}
    for share in arguments.shares:
        finder = TowersFinder(trainer, bench.reading(config.encoder), names if share else None, share)
        for name, split in splits.items():
            found.setdefault(name, {})[str(share)] = _figures(finder, split)
    for name, by_share in found.items():
        shown = {share: figures["accuracy"] for share, figures in by_share.items()}
        recall = {share: figures["recall"] for share, figures in by_share.items()}
        _say(f"  {name}: accuracy {shown}, recall {recall}")
    last = told["epochs"][-1]["dev"]
    return {
        "seconds": told["seconds"] | {"measuring": time.perf_counter() - start},
        "own_dev": {key: last[key] for key in ("accuracy", "mode", f"recall@{RECALL_AT}")},
        "dev": found,
    }


def _figures(finder: Finder, split: Split) -> dict[str, float]:
    """Of the mentions with a gold entity in the knowledge base: who has it nearest, and who has it among the near."""
    found: Found = finder.find(split, RECALL_AT, 0)
    gold = Gold.of(split.corpus, split.kb)
    items = found.hood.near.items.astype(np.int64)
    n, k = items.shape
    right = gold.is_right(np.repeat(np.arange(n), k), items.ravel()).reshape(n, k)[gold.linkable]
    return {
        "accuracy": round(float(right[:, 0].mean()), 4),
        "recall": round(float(right.any(axis=1).mean()), 4),
    }


class _Remembering:
    """An encoder that encodes the same documents and knowledge base once."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._known: dict[tuple[int, ...], tuple[object, Embeddings]] = {}

    @property
    def fingerprint(self) -> str:
        """That of the encoder."""
        return self.encoder.fingerprint

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """Vectors of the mentions."""
        key = (id(corpus),)
        if key not in self._known:  # what is kept cannot lose its id to another
            self._known[key] = corpus, self.encoder.encode_mentions(corpus)
        return self._known[key][1]

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """Vectors of the entities."""
        key = (id(kb), id(corpus))
        if key not in self._known:
            self._known[key] = (kb, corpus), self.encoder.encode_entities(kb, corpus, labels)
        return self._known[key][1]


def _say(line: str) -> None:
    print(line, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--train", nargs="+", required=True, help="data sets to train on")
    parser.add_argument("--measure", nargs="+", required=True, help="data sets to measure on")
    parser.add_argument("--runs", nargs="+", required=True, help="NAME:KEY=VALUE,KEY=VALUE…")
    parser.add_argument("--set", action="append", default=[], help="a setting of all runs")
    parser.add_argument("--shares", nargs="+", type=float, default=[0.0, 0.2, 0.3, 0.5, 0.7])
    parser.add_argument("--base", default="", help="base model; the embedded one if not given")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="documents of each split, to try it")
    parser.add_argument("--device", default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    main()
