"""Train with each objective: how good it gets on test documents, how long an epoch takes and on what.

    python benchmarks/train.py --kb KB --train TRAIN --dev DEV --test TEST --output results/train.json \
        --objectives in-batch knn arborescence joint --set trainer.epochs=3

Dev chooses the epoch; test is only reported. "Bare" is what the same towers reach on the same texts with a forward
and a backward pass and nothing else: no mining, no planning, no loss, no optimiser.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from arborlink import Corpus, KnowledgeBase
from arborlink.encoders.blended import NamesBeside
from arborlink.encoders.loading import load_names
from arborlink.evaluation.gold import gold_ids
from arborlink.training.config import TrainingConfig
from arborlink.training.config_file import make_config, with_settings
from arborlink.training.examples import MentionSide
from arborlink.training.judge import Judge, Judgement
from arborlink.training.material import Dev
from arborlink.training.run import Training
from arborlink.training.surroundings import quiet_libraries
from arborlink.training.trainer import ArborTrainer
from provenance import provenance

# Steps the bare speed is measured over.
_BARE_STEPS = 12


def main() -> None:
    """Run the objectives one after the other; the file is written anew after each."""
    arguments = _arguments()
    kb, train = KnowledgeBase.read(arguments.kb), _corpus(arguments.train)
    dev = Corpus.read(arguments.dev) if arguments.dev else None
    test = Corpus.read(arguments.test) if arguments.test else None
    results: dict[str, Any] = {"provenance": provenance(), "runs": []}
    material, judged = None, None
    for number, asked in enumerate(arguments.objectives):
        objective, _, own = asked.partition(":")
        settings = [*arguments.set, *(own.split(",") if own else [])]
        base = [f"encoder.base={arguments.base}"] if arguments.base else []
        config = with_settings(make_config({}), [*base, f"objective.name={objective}", *settings])
        with tempfile.TemporaryDirectory() as folder, quiet_libraries():
            start = time.perf_counter()
            _reset_memory(arguments.device)
            model = (arguments.models or Path(folder)) / f"{number}-{objective}"
            training = Training(kb, train, dev, model, config, arguments.device, None, _say, material)
            material = training.material
            prepared = time.perf_counter()
            trainer = training.go()
            trained = time.perf_counter()
            run: dict[str, Any] = {"objective": objective, "settings": settings}
            run["seconds"] = {"preparing": prepared - start, "training": trained - prepared}
            run["peak_memory_gb"] = _peak_memory(arguments.device)
            run["speed"] = _speed(trainer)
            if test is not None:
                judged = judged or _judged(training, kb, test, arguments.device)
                unseen = ~judged.judge.gold.any_id_in(gold_ids(train))
                run["test"] = _figures(trainer, judged, unseen)
                _say(json.dumps(run["test"]))
                if config.encoder.name_share:
                    names = _names_of_test(config, test, kb, arguments.device)
                    beside = _accuracies(_judgement(trainer, judged, names), unseen)
                    run["test_beside_names"] = {"share": names.share, **beside}
                    _say(json.dumps(run["test_beside_names"]))
            report = training.finish(trainer)
            run["report"] = report.to_dict()
        _say(report.summary())
        _say(json.dumps(run["speed"]))
        results["runs"].append(run)
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _corpus(paths: list[Path]) -> Corpus:
    return Corpus([document for path in paths for document in Corpus.read(path)])


def _judged(training: Training, kb: KnowledgeBase, test: Corpus, device: str) -> Dev:
    """The test documents, read once for all runs."""
    tokenizer = training.towers.mention_tower.tokenizer
    side = MentionSide.of(
        test, tokenizer, training.material.mention_tokens, training.markers, "test mentions"
    )
    return Dev(Judge(test, kb, training.config.dev, device=device), side)


def _figures(trainer: ArborTrainer, test: Dev, unseen: NDArray[np.bool_]) -> dict[str, Any]:
    """Accuracy in every mode with every number of neighbours, without and with the training mentions as examples."""
    judge = test.judge
    return {
        **judge.counts,
        "n_unseen": int((unseen & judge.gold.linkable).sum()),
        **_accuracies(_judgement(trainer, test), unseen),
        "with_examples": _accuracies(_judgement(trainer, test, with_examples=True), unseen),
    }


def _judgement(
    trainer: ArborTrainer, test: Dev, names: NamesBeside | None = None, with_examples: bool = False
) -> Judgement:
    """Test in the place of dev."""
    before = trainer.dev, trainer.names
    trainer.dev, trainer.names = test, names
    judgement = trainer.judgement(with_examples)
    trainer.dev, trainer.names = before
    return judgement


def _names_of_test(config: TrainingConfig, test: Corpus, kb: KnowledgeBase, device: str) -> NamesBeside:
    """The names of test, with the share that they have in linking."""
    encoder = config.encoder
    names = load_names(encoder.sameness, encoder.description_names, device, progress=False)
    return NamesBeside.of(names, encoder.name_share, test, kb, None)


def _accuracies(judgement: Judgement, unseen: NDArray[np.bool_]) -> dict[str, Any]:
    """Of all linkable mentions, and of those of entities that training never saw; and how many are found at all."""
    gold = judgement.gold
    unseen = unseen & gold.linkable
    numbers = np.arange(len(gold.labels))
    accuracy: dict[str, float | None] = {}
    accuracy_unseen: dict[str, float | None] = {}
    for choice in judgement.choices():
        way = choice.mode if choice.mode == "independent" else f"{choice.mode} k={choice.neighbours}"
        accuracy[way] = choice.accuracy
        entity = judgement.partition(choice.mode, choice.neighbours).entity.astype(np.int64)
        right = gold.is_right(numbers, entity)
        accuracy_unseen[way] = float(right[unseen].mean()) if unseen.any() else None
    return {
        "accuracy": accuracy,
        "accuracy_unseen": accuracy_unseen,
        f"recall@{judgement.settings.recall_at}": judgement.recall(),
    }


def _speed(trainer: ArborTrainer) -> dict[str, Any]:
    """Sequences a second of the whole training, and bare, over the last epoch's steps."""
    towers, steps = trainer.towers.train(), trainer.steps
    device = towers.device
    items = [steps[step] for step in range(min(_BARE_STEPS, len(steps)))]
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
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=trainer.args.bf16):
                vectors = tower({"input_ids": ids, "attention_mask": mask})["sentence_embedding"]
            vectors.float().sum().backward()
        bare = n / (_now(device) - start)
        towers.zero_grad()
    epochs = []
    for epoch in trainer.course.epochs:
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
    parser.add_argument("--kb", type=Path, required=True)
    parser.add_argument("--train", type=Path, required=True, nargs="+", help="one file or several")
    parser.add_argument("--dev", type=Path, help="without it the last epoch is kept")
    parser.add_argument("--test", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument(
        "--models", type=Path, help="keep the models here, each in a folder 0-knn, 1-joint, …"
    )
    parser.add_argument("--base", default="", help="base model; the embedded one if not given")
    parser.add_argument(
        "--objectives",
        nargs="+",
        default=["in-batch", "knn", "arborescence", "joint"],
        help="each with settings of its own if need be: in-batch:trainer.epochs=4,trainer.batch_size=512",
    )
    parser.add_argument("--set", action="append", default=[], help="a setting, as in arborlink train --set")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


if __name__ == "__main__":
    main()
