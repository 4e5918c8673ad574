"""Train a re-ranker for a model: how well test documents are linked before and after, and how long it takes.

    python benchmarks/rerank.py --kb KB --train TRAIN --dev DEV --test TEST --model MODEL \
        --output results/rerank.json --base BASE --set trainer.epochs=3 --examples

Dev chooses the epoch and the weight; test is only reported, over the mentions whose entity is in the knowledge base,
with 95 % intervals over documents. With ``--examples`` the training mentions vote, each about other documents than
its own, and are read as passages where ``reranker.passages`` asks for them.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink import Corpus, KnowledgeBase
from arborlink.encoders.device import resolve_device
from arborlink.evaluation.gold import Gold, gold_ids
from arborlink.experiments.documents_bootstrap import document_draws, share_interval
from arborlink.linker import Linker
from arborlink.neighbourhood import Neighbourhood
from arborlink.partition import Mode, partition
from arborlink.reranking import rerank, write_reranker
from arborlink.search import Neighbours
from arborlink.training.config_file import make_sections, with_settings
from arborlink.training.reranker import RerankerConfig, TrainedReranker, train_reranker
from arborlink.type_labels import labels_of
from provenance import provenance


def main() -> None:
    """Train, link test twice, print and write."""
    arguments = _arguments()
    kb, train = KnowledgeBase.read(arguments.kb), _corpus(arguments.train)
    dev, test = _corpus(arguments.dev) if arguments.dev else None, _corpus(arguments.test)
    base = [f"reranker.base={arguments.base}"] if arguments.base else []
    config = with_settings(make_sections(RerankerConfig, {}), [*base, *arguments.set])
    device = resolve_device(arguments.device)
    linker = Linker.load(arguments.model, device=device, cache=False, reranker=False)
    if arguments.examples:
        linker = linker.with_examples(train)
    start = time.perf_counter()
    trained = train_reranker(linker, kb, train, dev, config, tell=_say)
    seconds = time.perf_counter() - start
    _say(trained.report.summary())
    report: dict[str, Any] = {
        "provenance": provenance(),
        "settings": arguments.set,
        "seconds": seconds,
        "peak_memory_gb": _peak_memory(device),
        "training_pairs_per_second": _training_rate(trained),
        "test": figures(linker, trained, kb, test, gold_ids(train)),
        "report": trained.report.to_dict(),
    }
    print(json.dumps({key: value for key, value in report.items() if key != "report"}, indent=1))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if arguments.keep is not None:
        write_reranker(arguments.keep, trained.reranker)


def figures(
    linker: Linker, trained: TrainedReranker, kb: KnowledgeBase, test: Corpus, seen: set[str]
) -> dict[str, Any]:
    """Accuracy before and after, independent and through the model's own inference, and the cost of scoring."""
    gold, reranker = Gold.of(test, kb), trained.reranker
    labels = labels_of(test, kb, is_asked=False) if linker.defaults.by_type else None
    ways: list[tuple[Mode, int]] = [("independent", 0)]
    if linker.defaults.mode != "independent":
        ways.append((linker.defaults.mode, linker.defaults.neighbours))
    hood = linker.neighbourhood(test, kb, reranker.n, max(k for _, k in ways), labels=labels)
    start = time.perf_counter()
    scores = reranker.scores(test, kb, hood.near.items, linker.examples)
    seconds = time.perf_counter() - start
    near = rerank(hood.near, scores, reranker.settings.weight, linker.temperature)
    unseen = gold.linkable & ~gold.any_id_in(seen)
    return {
        "n_linkable": int(gold.linkable.sum()),
        "n_unseen": int(unseen.sum()),
        "before": _accuracies(hood, hood.near, ways, gold, unseen),
        "after": _accuracies(hood, near, ways, gold, unseen),
        "n_pairs": int((hood.near.items >= 0).sum()),
        "seconds": seconds,
        "pairs_per_second": float((hood.near.items >= 0).sum() / seconds),
    }


def _accuracies(
    hood: Neighbourhood,
    near: Neighbours,
    ways: list[tuple[Mode, int]],
    gold: Gold,
    unseen: NDArray[np.bool_],
) -> dict[str, Any]:
    graph_of = Neighbourhood(near, hood.others, hood.n_entities)
    found: dict[str, Any] = {}
    n_documents = int(gold.document.max()) + 1
    draws = document_draws(n_documents)
    for mode, k in ways:
        entity = partition(graph_of.graph(k), mode).entity.astype(np.int64)
        right = gold.is_right(np.arange(len(entity)), entity)
        n_right, n_linkable = (
            np.bincount(gold.document[among], minlength=n_documents)
            for among in (right & gold.linkable, gold.linkable)
        )
        found[mode if mode == "independent" else f"{mode} k={k}"] = {
            "accuracy": float(right[gold.linkable].mean()),
            "interval": share_interval(n_right, n_linkable, draws),
            "unseen": float(right[unseen].mean()) if unseen.any() else None,
        }
    return found


def _training_rate(trained: TrainedReranker) -> float:
    epochs = trained.report.epochs
    return sum(epoch.n_sequences for epoch in epochs) / sum(epoch.seconds["training"] for epoch in epochs)


def _peak_memory(device: str) -> float | None:
    import torch

    return torch.cuda.max_memory_allocated() / 1e9 if device.startswith("cuda") else None


def _corpus(paths: list[Path]) -> Corpus:
    return Corpus([document for path in paths for document in Corpus.read(path)])


def _say(line: str) -> None:
    print(line, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kb", type=Path, required=True)
    parser.add_argument("--train", type=Path, required=True, nargs="+", help="one file or several")
    parser.add_argument("--dev", type=Path, nargs="+", help="without it the last epoch is kept")
    parser.add_argument("--test", type=Path, required=True, nargs="+")
    parser.add_argument("--model", type=Path, help="the default model if not given")
    parser.add_argument("--base", default="", help="base of the re-ranker; the embedded model if not given")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="a model's folder to put the re-ranker into")
    parser.add_argument(
        "--examples", action="store_true", help="training mentions vote, and are read as passages"
    )
    parser.add_argument("--set", action="append", default=[], help="a setting, as in train-reranker --set")
    parser.add_argument("--device", default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    main()
