"""From documents, a knowledge base and a linker to a re-ranker."""

from __future__ import annotations

import time
from pathlib import Path

from arborlink.corpus import Corpus
from arborlink.encoders.views import Markers
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.training.reranker.candidates import Candidates, mine
from arborlink.training.reranker.config import RerankerConfig, RerankerSection
from arborlink.training.reranker.folder import CANDIDATES_FILE, data_fingerprint
from arborlink.training.reranker.lists import Lists, search_dev
from arborlink.training.reranker.report import TrainedReranker
from arborlink.training.reranker.training import RerankerTraining, Tell, training_folder
from arborlink.training.surroundings import quiet_libraries


def train_reranker(
    linker: Linker,
    kb: KnowledgeBase,
    train: Corpus,
    dev: Corpus | None = None,
    config: RerankerConfig | None = None,
    *,
    folder: str | Path | None = None,
    progress: bool | None = None,
    tell: Tell = lambda line: None,
) -> TrainedReranker:
    """Train a re-ranker for what a linker finds.

    Args:
        linker: its encoder searches the candidates; its examples, if it has any, vote, and are read as passages about
            their entities where the settings ask for passages: each for documents that are not its own. The
            training runs on its device.
        kb: the knowledge base.
        train: documents with gold entities to learn from.
        dev: documents with gold entities that choose the epoch and the weight of the towers; without them the last
            epoch is kept.
        config: all settings; the defaults if not given.
        folder: where checkpoints are kept; what a killed run left there is gone on with. ``None`` keeps none.
        progress: show bars; ``None`` shows them on a terminal only.
        tell: is told a line about the data and about each epoch.

    Raises:
        InputError: data nothing can be learned from, or others than those of the run to resume.
        ModelError: the base model cannot be used.
        TrainingError: the loss is no finite number any more.

    Example:
        >>> linker = Linker.load("model")                                                 # doctest: +SKIP
        >>> trained = train_reranker(linker, kb, train, dev)                              # doctest: +SKIP
        >>> result = linker.with_reranker(trained.reranker).link(corpus, kb)              # doctest: +SKIP
    """
    config = config or RerankerConfig()
    markers = getattr(linker.encoder, "markers", None) or Markers()
    with quiet_libraries(), training_folder(folder) as where:
        training = RerankerTraining(
            config,
            linker.device,
            where,
            markers,
            checkpoints=folder is not None,
            progress=progress,
            tell=tell,
        )
        start = time.perf_counter()
        lists = _search(linker, kb, train, dev, config.reranker, where / CANDIDATES_FILE)
        trained = training.go(lists, {"searching": time.perf_counter() - start})
    trained.reranker.progress = linker.progress
    return trained


def _search(
    linker: Linker,
    kb: KnowledgeBase,
    train: Corpus,
    dev: Corpus | None,
    settings: RerankerSection,
    kept: Path,
) -> Lists:
    """What the linker finds; candidates that a killed run has kept are not searched again."""
    candidates = Candidates.read(kept) if kept.is_file() else mine(linker, kb, train, settings.candidates)
    judged = None if dev is None else (dev, search_dev(linker, kb, dev, settings.n))
    examples = linker.examples
    return Lists(
        kb, train, candidates, judged, examples, data_fingerprint(linker, kb, (train, dev, examples))
    )
