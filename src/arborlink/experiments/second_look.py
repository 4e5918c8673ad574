"""A re-ranker inside an experiment: trained for what the run's own finder finds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arborlink.corpus import Corpus
from arborlink.encoders.views import Markers
from arborlink.experiments.data_sets import Split
from arborlink.experiments.memory import peak_memory, reset_memory
from arborlink.experiments.models import Found, Searcher, Voters, looked_at, n_searched, voted
from arborlink.experiments.results import RECALL_AT
from arborlink.experiments.training_data import TrainingData
from arborlink.experiments.workbench import Workbench
from arborlink.reranking import Reranker
from arborlink.search import Neighbours
from arborlink.shared_words import SharedWords
from arborlink.training.reranker.candidates import Candidates
from arborlink.training.reranker.config import RerankerConfig
from arborlink.training.reranker.judging import JudgedLists
from arborlink.training.reranker.lists import Lists
from arborlink.training.reranker.report import RerankerReport
from arborlink.training.reranker.training import RerankerTraining, new_reranker, training_folder
from arborlink.training.surroundings import quiet_libraries


@dataclass(frozen=True, eq=False)
class SecondLook:
    """A re-ranker, and what it takes to mix its scores with the affinities of the towers.

    Args:
        reranker: the re-ranker.
        weights: how much the towers may have to say; dev of every data set chooses one.
        temperature: of the towers.
        reads_examples: it has learned with labelled mentions as passages, and is measured with them where a data set
            has any.
    """

    reranker: Reranker
    weights: Sequence[float]
    temperature: float
    reads_examples: bool = False


def check_base(config: RerankerConfig) -> None:
    """Load the base model, to see before the towers are trained whether it can be used.

    Raises:
        ModelError: it cannot, or reads no pairs as long as the settings make them.
    """
    with quiet_libraries():
        new_reranker(config, Markers(), "cpu")


def train_second_look(
    finder: Searcher,
    data: TrainingData,
    config: RerankerConfig,
    bench: Workbench,
    with_examples: bool,
    words: SharedWords | None = None,
) -> tuple[SecondLook, dict[str, Any]]:
    """Train a re-ranker; the re-ranker, and what its training did.

    Args:
        finder: finds the candidates of the train mentions, and of those of dev.
        data: what is learned from; every mention only has candidates of its own data set, type or world.
        config: all settings.
        bench: device, bars and who is told.
        with_examples: the train mentions vote for the candidates of train and dev, each about documents that are not
            its own, and are read as passages about their entities where the settings ask for passages.
        words: have their say before the re-ranker.

    Raises:
        InputError: data nothing can be learned from.
        ModelError: the base model cannot be used.
        TrainingError: the loss is no finite number any more.
    """
    with quiet_libraries(), training_folder(None) as folder:
        start = time.perf_counter()
        lists = _lists(finder, data, config, bench.device, with_examples, words)
        finder.release()
        reset_memory(bench.device)
        searched = time.perf_counter()
        training = RerankerTraining(
            config,
            bench.device,
            folder,
            finder.markers,
            checkpoints=False,
            progress=bench.progress,
            tell=lambda line: bench.tell(f"re-ranker: {line}"),
        )
        trained = training.go(lists, {"searching": searched - start})
        told = _told(trained.report)
    told["peak_memory_gb"] = peak_memory(bench.device)
    look = SecondLook(
        trained.reranker,
        tuple(config.reranker.weights),
        finder.temperature,
        reads_examples=with_examples and config.reranker.passages > 0,
    )
    return look, told


def _lists(
    finder: Searcher,
    data: TrainingData,
    config: RerankerConfig,
    device: str,
    with_examples: bool,
    words: SharedWords | None = None,
) -> Lists:
    """Candidates of train and the first entities of dev, voted on if examples vote."""
    own = config.reranker
    voters = Voters.of(finder, data.train, data.kb) if with_examples else None

    def near(name: str, corpus: Corpus) -> Neighbours:
        n_near = max(RECALL_AT, own.candidates)
        found: Found = finder.find(_split(name, corpus, data), n_searched(words, n_near), 0)
        found = found if voters is None else voted(found, voters, device)
        return looked_at(found, words, n_near).hood.near

    candidates = Candidates.of(data.train, data.kb, near("train", data.train).items, own.candidates)
    judged = JudgedLists.of(data.dev, data.kb, near("dev", data.dev).first(own.n), finder.temperature)
    examples = None if voters is None else data.train
    return Lists(data.kb, data.train, candidates, (data.dev, judged), examples)


def _split(name: str, corpus: Corpus, data: TrainingData) -> Split:
    labels = data.train_labels if name == "train" else data.dev_labels
    return Split(name, corpus, data.kb, by_type=False, given=labels)


def _told(report: RerankerReport) -> dict[str, Any]:
    """What a result says of the training."""
    spent = sum(epoch.seconds.get("training", 0.0) for epoch in report.epochs)
    n_pairs = sum(epoch.n_sequences for epoch in report.epochs)
    return {
        "seconds": {**report.seconds, "training": sum(epoch.total_seconds for epoch in report.epochs)},
        "pairs_per_second": n_pairs / spent if spent else None,
        "n_mentions": report.n_mentions,
        "n_pairs": report.n_pairs,
        "sizes": report.sizes,
        "weight": report.weight,
        "best_epoch": report.best.number,
        "epochs": [asdict(epoch) for epoch in report.epochs],
    }
