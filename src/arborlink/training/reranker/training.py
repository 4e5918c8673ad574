"""From lists of candidates to a re-ranker, whoever searched them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from arborlink.encoders.views import Markers
from arborlink.errors import InputError
from arborlink.progress import noted_bar
from arborlink.reranking import Reranker, RerankerSettings
from arborlink.training.course import Course
from arborlink.training.reranker.config import RerankerConfig
from arborlink.training.reranker.folder import CANDIDATES_FILE, begin
from arborlink.training.reranker.lists import Lists
from arborlink.training.reranker.report import RerankerReport, TrainedReranker
from arborlink.training.surroundings import trainer_arguments

if TYPE_CHECKING:
    from arborlink.training.reranker.judging import RerankerJudge
    from arborlink.training.reranker.trainer import RerankerTrainer

Tell = Callable[[str], None]
# Mentions of a step where nobody says.
_BATCH_SIZE = 128
# What a chunk costs besides its tokens, in tokens: the time its kernels take to start.
_CPU_PER_CHUNK, _ACCELERATOR_PER_CHUNK = 128, 32768


@contextmanager
def training_folder(folder: str | Path | None) -> Iterator[Path]:
    """The folder for what a training keeps while it runs; a temporary one if none is given."""
    if folder is not None:
        yield Path(folder)
        return
    with TemporaryDirectory(prefix="arborlink-reranker-") as temporary:
        yield Path(temporary)


def new_reranker(
    config: RerankerConfig, markers: Markers, device: str, progress: bool | None = None
) -> Reranker:
    """A re-ranker that has learned nothing yet.

    Raises:
        ModelError: the base model cannot be used, or cannot read pairs as long as the settings make them.
    """
    from arborlink.reranking.network import new_network

    own = config.reranker
    settings = RerankerSettings(
        n=own.n,
        weight=own.weight,
        mention_tokens=own.mention_tokens,
        entity_tokens=own.entity_tokens,
        markers=markers,
        opening_tokens=own.opening_tokens,
        passages=own.passages,
        passage_tokens=own.passage_tokens,
    )
    network, tokenizer = new_network(own.base, markers, device, config.trainer.seed)
    return Reranker(network, tokenizer, settings, progress)


class RerankerTraining:
    """One training. The base model is loaded at once: one that cannot be used is told before anybody searches.

    Args:
        config: all settings.
        device: where it runs: ``cpu``, ``cuda`` or ``mps``.
        folder: where the best weights and checkpoints are kept meanwhile.
        markers: the special tokens of the texts.
        checkpoints: write one after each epoch, to go on from; a training that was cut off is gone on with.
        progress: show bars; ``None`` shows them on a terminal only.
        tell: is told a line about the data and about each epoch.

    Raises:
        InputError: a device it cannot run on.
        ModelError: the base model cannot be used.
    """

    def __init__(
        self,
        config: RerankerConfig,
        device: str,
        folder: Path,
        markers: Markers,
        *,
        checkpoints: bool = True,
        progress: bool | None = None,
        tell: Tell = lambda line: None,
    ) -> None:
        from transformers import set_seed
        from transformers.trainer_utils import SaveStrategy

        from arborlink.training.processes import n_processes

        if ":" in device:
            raise InputError(
                f"a re-ranker cannot be trained on device {device!r}; say cuda, and which one in "
                "CUDA_VISIBLE_DEVICES"
            )
        self.config, self.folder, self.progress, self.tell = config, folder, progress, tell
        self.arguments = trainer_arguments(config.as_training, folder, device)
        self.arguments.output_dir = str(folder)
        if not checkpoints:
            self.arguments.save_strategy = SaveStrategy.NO
        if n_processes() > 1:
            raise InputError("a re-ranker is trained by one process; start it without a launcher")
        set_seed(config.trainer.seed)
        self.reranker = new_reranker(config, markers, str(self.arguments.device), progress)
        self.seconds: dict[str, float] = {}

    def go(self, lists: Lists, seconds: dict[str, float] | None = None) -> TrainedReranker:
        """Read, train, choose.

        Args:
            lists: what was found.
            seconds: of what was done before, for the report.

        Raises:
            InputError: data or settings are others than those of the run to resume.
            TrainingError: the loss is no finite number any more.
        """
        self.seconds = dict(seconds or {})
        candidates = lists.candidates.drawn(self.config.reranker.mentions, self.config.trainer.seed)
        lists = replace(lists, candidates=candidates)
        sizes = begin(self.folder, self.config, lists.fingerprint, self._sizes(len(candidates)))
        if not (self.folder / CANDIDATES_FILE).is_file():
            candidates.write(self.folder / CANDIDATES_FILE)
        n_pairs = candidates.n_pairs
        self.tell(
            f"{len(candidates):,} of {lists.train.n_mentions:,} mentions to learn from, {n_pairs:,} pairs in an epoch"
        )
        trainer = self._fit(lists, sizes)
        weight = self.config.reranker.weight
        if (best := trainer.course.best) is not None:
            weight = float(best.dev["weight"])
        own = replace(self.reranker.settings, weight=weight)
        self.reranker.network.eval()
        report = RerankerReport(
            config=self.config.model_dump(),
            n_mentions=len(candidates),
            n_pairs=n_pairs,
            epochs=trainer.course.epochs,
            losses=trainer.course.losses,
            sizes=sizes,
            weight=weight,
            seconds=self.seconds,
        )
        made = Reranker(self.reranker.network, self.reranker.tokenizer, own, self.progress)
        return TrainedReranker(made, report)

    def _judge(self, lists: Lists) -> RerankerJudge | None:
        from arborlink.training.reranker.judging import RerankerJudge

        if lists.dev is None:
            return None
        corpus, judged = lists.dev
        read = self.reranker.reader.read(corpus, lists.kb, judged.near.items, examples=lists.examples)
        return RerankerJudge(judged, read, tuple(self.config.reranker.weights))

    def _sizes(self, n_mentions: int) -> dict[str, int]:
        """Mentions of a step and tokens of a chunk, chosen by the data and the memory where the config leaves it."""
        import torch

        from arborlink.training.memory import chunk_that_fits, default_batch_size

        torch.cuda.empty_cache()  # what the search has let go of is free, but the device would not say so
        own, trainer, network = self.config.reranker, self.config.trainer, self.reranker.network
        batch_size = trainer.batch_size or min(_BATCH_SIZE, default_batch_size(n_mentions))
        chunk_tokens = trainer.chunk_tokens or chunk_that_fits(
            batch_size * own.candidates,
            self.reranker.settings.longest,
            network.config,
            network.device,
        )
        return {"batch_size": batch_size, "chunk_tokens": chunk_tokens}

    def _fit(self, lists: Lists, sizes: dict[str, int]) -> RerankerTrainer:
        from arborlink.training.checkpoints import complete_checkpoints
        from arborlink.training.memory import tokens_at_a_time
        from arborlink.training.reranker.listwise import ListwiseScorer
        from arborlink.training.reranker.steps import RerankerSteps
        from arborlink.training.reranker.trainer import RerankerTrainer
        from arborlink.training.towers_in_training import attention_for_any_shape

        settings, start, candidates = self.config.trainer, time.perf_counter(), lists.candidates
        judge = self._judge(lists)
        read = self.reranker.reader.read(
            lists.train, lists.kb, candidates.items, candidates.mentions, lists.examples
        )
        self.seconds["reading"] = time.perf_counter() - start
        chunk_tokens = sizes["chunk_tokens"]
        per_chunk = _CPU_PER_CHUNK if self.arguments.device.type == "cpu" else _ACCELERATOR_PER_CHUNK
        at_a_time = tokens_at_a_time(chunk_tokens, self.arguments.device)
        steps = RerankerSteps(candidates, read, sizes["batch_size"], at_a_time, per_chunk, settings.seed)
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
