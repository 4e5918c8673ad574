"""Train with each objective: how good it gets on test documents, how long an epoch takes and on what.

    python benchmarks/train.py --kb KB --train TRAIN --dev DEV --test TEST --output results/train.json \
        --objectives in-batch knn arborescence joint --set trainer.epochs=3

Dev chooses the epoch; test is only reported. "Bare" is what the same towers reach on the same texts with a forward
and a backward pass and nothing else: no mining, no planning, no loss, no optimiser.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from arborlink import Corpus, KnowledgeBase
from arborlink.encoders import load_encoder
from arborlink.evaluation.gold import gold_ids
from arborlink.training.config_file import make_config, with_settings
from arborlink.training.judge import Judge
from arborlink.training.run import Training
from provenance import provenance

# Steps the bare speed is measured over.
_BARE_STEPS = 12


def main() -> None:
    """Run the objectives one after the other; the file is written anew after each."""
    arguments = _arguments()
    kb, train = KnowledgeBase.read(arguments.kb), Corpus.read(arguments.train)
    dev, test = Corpus.read(arguments.dev), Corpus.read(arguments.test) if arguments.test else None
    results: dict[str, Any] = {"provenance": provenance(), "runs": []}
    for objective in arguments.objectives:
        settings = [f"encoder.base={arguments.base}"] if arguments.base else []
        config = with_settings(make_config({}), [*settings, f"objective.name={objective}", *arguments.set])
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            _reset_memory(arguments.device)
            training = Training(kb, train, dev, Path(folder) / "model", config, arguments.device, None, _say)
            prepared = time.perf_counter()
            runner = training.go(resume=False)
            trained = time.perf_counter()
            run = {
                "objective": objective,
                "settings": arguments.set,
                "seconds": {"preparing": prepared - start, "training": trained - prepared},
                "peak_memory_gb": _peak_memory(arguments.device),
                "speed": _speed(training, runner),
            }
            report = training.finish(runner)
            run["report"] = report.to_dict()
            print(report.summary(), flush=True)
            del training, runner
            gc.collect()
            if test is not None:
                run["test"] = _judged(Path(folder) / "model", kb, train, test, arguments.device)
                print(json.dumps(run["test"]["accuracy"]), flush=True)
        print(json.dumps(run["speed"]), flush=True)
        results["runs"].append(run)
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _judged(folder: Path, kb: KnowledgeBase, train: Corpus, test: Corpus, device: str) -> dict[str, Any]:
    """Accuracy on test in every mode with every number of neighbours, recall, and the unseen part."""
    encoder = load_encoder(folder, device=device)
    judge = Judge(test, kb, make_config({}).dev, device=device)
    hood = judge.neighbourhood(encoder.encode_mentions(test), encoder.encode_entities(kb))
    unseen = ~judge.gold.any_id_in(gold_ids(train)) & judge.gold.linkable
    numbers = np.arange(test.n_mentions)
    accuracy, accuracy_unseen = {}, {}
    for choice in hood.choices():
        way = choice.mode if choice.mode == "independent" else f"{choice.mode} k={choice.neighbours}"
        accuracy[way] = choice.accuracy
        entity = hood.partition(choice.mode, choice.neighbours).entity.astype(np.int64)
        right = judge.gold.is_right(numbers, entity)
        accuracy_unseen[way] = float(right[unseen].mean()) if unseen.any() else None
    return {
        **judge.counts,
        "accuracy": accuracy,
        "accuracy_unseen": accuracy_unseen,
        "n_unseen": int(unseen.sum()),
        f"recall@{judge.settings.recall_at}": hood.recall(),
    }


def _speed(training: Training, runner: Any) -> dict[str, Any]:
    """Sequences a second of the whole training, and bare, over the last epoch's steps."""
    towers, device = training.towers.train(), training.towers.device
    items = [training.steps[step] for step in range(min(_BARE_STEPS, len(training.steps)))]
    sides = [
        (tower, ids.to(device), mask.to(device))
        for item in items
        for tower, side in ((towers.mention_tower, item["mentions"]), (towers.entity_tower, item["entities"]))
        for ids, mask in zip(side["ids"], side["masks"], strict=True)
    ]
    n = sum(len(ids) for _, ids, _ in sides)
    bare = 0.0
    for _ in range(2):  # the first round warms up
        start = _now(device)
        for tower, ids, mask in sides:
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=runner.args.bf16):
                vectors = tower({"input_ids": ids, "attention_mask": mask})["sentence_embedding"]
            vectors.float().sum().backward()
        bare = n / (_now(device) - start)
        towers.zero_grad()
    epochs = []
    for epoch in runner.course.epochs:
        rate = epoch.n_sequences / epoch.seconds["training"]
        epochs.append(
            {
                "seconds": epoch.total_seconds,
                "sequences": epoch.n_sequences,
                "sequences_per_second": rate,
                "share_of_bare": rate / bare,
                "share_of_mining": epoch.seconds.get("mining", 0.0) / epoch.total_seconds,
            }
        )
    return {"bare_sequences_per_second": bare, "epochs": epochs}


def _now(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def _reset_memory(device: str) -> None:
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()


def _peak_memory(device: str) -> float | None:
    return torch.cuda.max_memory_allocated() / 1e9 if device == "cuda" else None


def _say(line: str) -> None:
    print(line, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("kb", "train", "dev", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--test", type=Path)
    parser.add_argument("--base", default="", help="base model; the embedded one if not given")
    parser.add_argument("--objectives", nargs="+", default=["in-batch", "knn", "arborescence", "joint"])
    parser.add_argument("--set", action="append", default=[], help="a setting, as in arborlink train --set")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


if __name__ == "__main__":
    main()
