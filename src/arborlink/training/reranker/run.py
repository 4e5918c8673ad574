"""From documents, a knowledge base and a linker to a re-ranker."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from arborlink.corpus import Corpus
from arborlink.encoders.views import Markers
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.progress import noted_bar
from arborlink.reranking import Reranker, RerankerSettings
from arborlink.training.course import Course
from arborlink.training.reranker.candidates import Candidates, mine
from arborlink.training.reranker.config import RerankerConfig
from arborlink.training.reranker.folder import CANDIDATES_FILE, begin, data_fingerprint
from arborlink.training.reranker.report import RerankerReport, TrainedReranker
from arborlink.training.surroundings import quiet_libraries, trainer_arguments

if TYPE_CHECKING:
    from arborlink.training.reranker.judging import RerankerJudge
    from arborlink.training.reranker.trainer import RerankerTrainer

Tell = Callable[[str], None]
# Mentions of a step where nobody says.
_BATCH_SIZE = 128
# What a chunk costs besides its tokens, in tokens: the time its kernels take to start.
_CPU_PER_CHUNK, _ACCELERATOR_PER_CHUNK = 128, 32768


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
        linker: its encoder searches the candidates; its examples, if it has any, vote on dev alone. The training
            runs on its device.
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
    with quiet_libraries():
        if folder is not None:
            return _Training(linker, kb, train, dev, config, Path(folder), progress, tell).go()
        with TemporaryDirectory(prefix="arborlink-reranker-") as temporary:
            return _Training(linker, kb, train, dev, config, Path(temporary), progress, tell).go()


class _Training:
    """One training; :func:`train_reranker` says what the arguments are."""

    def __init__(
        self,
        linker: Linker,
        kb: KnowledgeBase,
        train: Corpus,
        dev: Corpus | None,
        config: RerankerConfig,
        folder: Path,
        progress: bool | None,
        tell: Tell,
    ) -> None:
        from transformers import set_seed

        if ":" in linker.device:
            raise InputError(
                f"a re-ranker cannot be trained on device {linker.device!r}; say cuda, and which one in "
                "CUDA_VISIBLE_DEVICES"
            )
        from arborlink.reranking.network import new_network
        from arborlink.training.processes import n_processes

        self.linker, self.kb, self.train, self.dev = linker, kb, train, dev
        self.config, self.folder, self.progress, self.tell = config, folder, progress, tell
        self.arguments = trainer_arguments(config.as_training, folder, linker.device)
        self.arguments.output_dir = str(folder)
        if n_processes() > 1:
            raise InputError("a re-ranker is trained by one process; start it without a launcher")
        set_seed(config.trainer.seed)
        own = config.reranker
        markers = getattr(linker.encoder, "markers", None) or Markers()
        settings = RerankerSettings(own.n, own.weight, own.mention_tokens, own.entity_tokens, markers)
        network, tokenizer = new_network(own.base, markers, str(self.arguments.device), config.trainer.seed)
        self.reranker = Reranker(network, tokenizer, settings, progress)
        self.seconds: dict[str, float] = {}

    def go(self) -> TrainedReranker:
        """Search, read, train, choose."""
        data = data_fingerprint(self.linker, self.kb, (self.train, self.dev))
        path, start = self.folder / CANDIDATES_FILE, time.perf_counter()
        candidates = Candidates.read(path) if path.is_file() else None
        mined = candidates or mine(self.linker, self.kb, self.train, self.config.reranker.candidates)
        sizes = begin(self.folder, self.config, data, self._sizes(len(mined)))
        if candidates is None:
            mined.write(path)
        judge = self._judge()
        self.seconds["searching"] = time.perf_counter() - start
        n_pairs = mined.n_pairs
        self.tell(
            f"{len(mined):,} of {self.train.n_mentions:,} mentions to learn from, {n_pairs:,} pairs in an epoch"
        )
        trainer = self._fit(mined, judge, sizes)
        weight = self.config.reranker.weight
        if (best := trainer.course.best) is not None:
            weight = float(best.dev["weight"])
        own = replace(self.reranker.settings, weight=weight)
        self.reranker.network.eval()
        report = RerankerReport(
            config=self.config.model_dump(),
            n_mentions=len(mined),
            n_pairs=n_pairs,
            epochs=trainer.course.epochs,
            losses=trainer.course.losses,
            sizes=sizes,
            weight=weight,
            seconds=self.seconds,
        )
        made = Reranker(self.reranker.network, self.reranker.tokenizer, own, self.linker.progress)
        return TrainedReranker(made, report)

    def _judge(self) -> RerankerJudge | None:
        from arborlink.training.reranker.judging import RerankerJudge

        if self.dev is None:
            return None
        own = self.config.reranker
        reader, weights = self.reranker.reader, tuple(own.weights)
        return RerankerJudge.of(self.linker, self.kb, self.dev, reader, own.n, weights)

    def _sizes(self, n_mentions: int) -> dict[str, int]:
        """Mentions of a step and tokens of a chunk, chosen by the data and the memory where the config leaves it."""
        import torch

        from arborlink.training.memory import chunk_that_fits, default_batch_size

        torch.cuda.empty_cache()  # what the search has let go of is free, but the device would not say so
        own, trainer, network = self.config.reranker, self.config.trainer, self.reranker.network
        batch_size = trainer.batch_size or min(_BATCH_SIZE, default_batch_size(n_mentions))
        chunk_tokens = trainer.chunk_tokens or chunk_that_fits(
            batch_size * own.candidates,
            own.mention_tokens + own.entity_tokens,
            network.config,
            network.device,
        )
        return {"batch_size": batch_size, "chunk_tokens": chunk_tokens}

    def _fit(
        self, candidates: Candidates, judge: RerankerJudge | None, sizes: dict[str, int]
    ) -> RerankerTrainer:
        from arborlink.training.checkpoints import complete_checkpoints
        from arborlink.training.reranker.listwise import ListwiseScorer
        from arborlink.training.reranker.steps import RerankerSteps
        from arborlink.training.reranker.trainer import RerankerTrainer
        from arborlink.training.towers_in_training import attention_for_any_shape

        settings, start = self.config.trainer, time.perf_counter()
        read = self.reranker.reader.read(self.train, self.kb, candidates.items)
        self.seconds["reading"] = time.perf_counter() - start
        chunk_tokens = sizes["chunk_tokens"]
        per_chunk = _CPU_PER_CHUNK if self.arguments.device.type == "cpu" else _ACCELERATOR_PER_CHUNK
        steps = RerankerSteps(candidates, read, sizes["batch_size"], chunk_tokens, per_chunk, settings.seed)
        n_steps = settings.epochs * -(-len(steps) // settings.accumulate)
        self.arguments.warmup_steps = round(settings.warmup * n_steps)
        last = next(iter(complete_checkpoints(self.folder)[::-1]), None)
        with noted_bar("Training", n_steps, self.progress) as bar, attention_for_any_shape():
            trainer = RerankerTrainer(
                ListwiseScorer(self.reranker.network, read.texts.has_types, recompute=chunk_tokens > 0),
                self.arguments,
                steps=steps,
                judge=judge,
                folder=self.folder,
                course=Course() if last is None else Course.read(last),
                bar=bar,
                tell=self.tell,
            )
            if last is not None:
                bar.advance(int(last.name.rpartition("-")[2]))
                self.tell(f"resumed from {last}")
            trainer.train(resume_from_checkpoint=None if last is None else str(last))
        trainer.load_best()
        return trainer
