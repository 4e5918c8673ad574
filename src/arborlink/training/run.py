"""From documents and a knowledge base to a model folder."""

from __future__ import annotations

import json
import logging
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from arborlink.corpus import Corpus
from arborlink.encoders.device import resolve_device, resolve_precision
from arborlink.encoders.model_folder import Inference, ModelSettings, write_towers
from arborlink.encoders.views import Markers
from arborlink.errors import InputError
from arborlink.files import write_text
from arborlink.knowledge_base import KnowledgeBase
from arborlink.progress import noted_bar
from arborlink.training.config import TrainingConfig
from arborlink.training.config_file import write_config
from arborlink.training.course import Course
from arborlink.training.report import TrainingReport, model_card

CONFIG_FILE = "train.toml"
REPORT_FILE = "training.json"
CARD_FILE = "README.md"
UNFINISHED = "unfinished"
_IDENTITY_FILE = "identity.json"
_DEVICES = ("auto", "cpu", "cuda", "mps")


def train(
    kb: KnowledgeBase,
    train: Corpus,
    dev: Corpus | None,
    output: str | Path,
    config: TrainingConfig | None = None,
    *,
    resume: bool = False,
    device: str = "auto",
    progress: bool | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> TrainingReport:
    """Train the encoders and write a model folder.

    Args:
        kb: the knowledge base.
        train: documents with gold entities to learn from.
        dev: documents with gold entities that choose the best epoch and how to link; without them the last epoch is
            kept.
        output: the model's folder. Until the training is finished it holds checkpoints.
        config: all settings; the defaults if not given.
        resume: go on where a run into the same folder was cut off; begin if there is nothing to go on with.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.
        progress: show bars; ``None`` shows them on a terminal only.
        tell: is told a line about the data and about each epoch.

    Raises:
        InputError: data nothing can be learned from, a folder in use, other settings than those of the run to resume.
        TrainingError: the loss or the weights are no finite numbers any more.

    Example:
        >>> from arborlink import Corpus, KnowledgeBase, train, TrainingConfig       # doctest: +SKIP
        >>> report = train(kb, Corpus.read("train.jsonl"), Corpus.read("dev.jsonl"), "model")  # doctest: +SKIP
    """
    config = config or TrainingConfig()
    output = Path(output)
    if device not in _DEVICES:
        raise InputError(
            f"device {device!r} is not known; choose one of {', '.join(_DEVICES)}; CUDA_VISIBLE_DEVICES says which GPU"
        )
    _check_folder(output, resume)
    with _quiet_libraries():
        run = Training(kb, train, dev, output, config, resolve_device(device), progress, tell)
        return run.finish(run.go(resume))


class Training:
    """One training, from data to folder; :func:`train` says what the arguments are."""

    def __init__(
        self,
        kb: KnowledgeBase,
        train: Corpus,
        dev: Corpus | None,
        output: Path,
        config: TrainingConfig,
        device: str,
        progress: bool | None,
        tell: Callable[[str], None],
    ) -> None:
        from transformers import set_seed

        from arborlink.training.adapting import make_towers
        from arborlink.training.examples import EntitySide, Examples, MentionSide, type_restrictions
        from arborlink.training.judge import Judge
        from arborlink.training.mining import Mining
        from arborlink.training.objectives import make_objective
        from arborlink.training.processes import process_number
        from arborlink.training.steps import Steps
        from arborlink.training.towers_in_training import TowersInTraining

        arguments = _arguments(config, output, device)  # joins the other processes, if there are any
        self.is_first = process_number() == 0
        self.tell: Callable[[str], None] = tell if self.is_first else lambda line: None
        self.progress = progress if self.is_first else False
        self.config, self.output, self.arguments, self.kb = config, output, arguments, kb
        encoder, objective, trainer = config.encoder, config.objective, config.trainer
        set_seed(trainer.seed)
        self.markers = Markers()
        mention_tower, entity_tower = make_towers(encoder, self.markers, str(arguments.device))
        lengths = [
            min(asked, int(tower.max_seq_length or asked))
            for tower, asked in (
                (mention_tower, encoder.mention_tokens),
                (entity_tower, encoder.entity_tokens),
            )
        ]
        self.lengths = lengths
        read = {"tokenizer": mention_tower.tokenizer, "max_length": lengths[0], "markers": self.markers}
        side = MentionSide.of(train, **read, what="training mentions", progress=self.progress)
        self.examples = Examples.of(train, kb, side)
        self.tell(_data_line(self.examples.counts, len(kb)))
        self.entities = EntitySide.of(
            kb, entity_tower.tokenizer, lengths[1], encoder.entity_views, self.markers, self.progress
        )
        self.dev = None
        if dev is not None:
            judge = Judge(dev, kb, config.dev, objective.by_type, arguments.device.type)
            self.dev = judge, MentionSide.of(dev, **read, what="dev mentions", progress=self.progress)
        loss = make_objective(
            objective.name,
            loss=objective.loss,
            entity_weight=objective.entity_weight,
            entity_negatives=objective.entity_negatives,
            mention_negatives=objective.mention_negatives,
        )
        self.towers = TowersInTraining(
            mention_tower, entity_tower, loss, encoder.temperature, recompute=trainer.chunk_tokens > 0
        )
        types = None
        if objective.by_type:
            types = type_restrictions(train, kb, self.examples.mentions, np.diff(self.entities.offsets))
        self.mining = Mining(
            self.examples, self.entities, loss.needs, objective.positives, trainer.seed, types
        )
        self.steps = Steps(
            self.examples,
            self.entities,
            loss.needs,
            trainer.batch_size,
            objective.shared_negatives,
            trainer.chunk_tokens,
            trainer.seed,
        )

    def go(self, resume: bool) -> Any:
        """Train; the trainer that did it, with the best weights loaded."""
        from arborlink.training.processes import wait_for_all
        from arborlink.training.trainer import ArborTrainer, complete_checkpoints, remove_incomplete

        folder = self.output / UNFINISHED
        if self.is_first:
            folder.mkdir(parents=True, exist_ok=True)
            self._check_identity(folder)
            remove_incomplete(folder)
            with write_text(self.output / CONFIG_FILE) as stream:
                stream.write(write_config(self.config))
        wait_for_all()
        checkpoints = complete_checkpoints(folder)
        last = checkpoints[-1] if checkpoints else None
        course = Course() if last is None else Course.read(last)
        trainer = self.config.trainer
        n_steps = trainer.epochs * -(-len(self.steps) // trainer.accumulate)
        self.arguments.warmup_steps = round(trainer.warmup * n_steps)
        with noted_bar("Training", n_steps, self.progress) as bar:
            runner = ArborTrainer(
                self.towers,
                self.arguments,
                steps=self.steps,
                mining=self.mining,
                dev=self.dev,
                patience=trainer.patience,
                mine_every=self.config.objective.mine_every,
                checkpoint_steps=trainer.checkpoint_steps,
                folder=folder,
                course=course,
                bar=bar,
                tell=self.tell,
            )
            if last is not None:
                runner.resumed_from = last
                bar.advance(int(last.name.rpartition("-")[2]))
                self.tell(f"resumed from {last}")
            runner.train(resume_from_checkpoint=str(last) if last is not None else None)
        runner.load_best()
        return runner

    def finish(self, runner: Any) -> TrainingReport:
        """Choose how to link, write the folder, remove the checkpoints."""
        from arborlink.training.adapting import merge_adapters
        from arborlink.training.processes import from_first, wait_for_all

        by_type = self.config.objective.by_type
        inference = Inference(by_type=by_type)
        if self.dev is not None:
            hood = runner.neighbourhood()
            inference = from_first(hood.inference(by_type) if self.is_first else None)
        report = TrainingReport(
            config=self.config.model_dump(),
            n_entities=len(self.kb),
            examples=self.examples.counts,
            dev=None if self.dev is None else self.dev[0].counts,
            epochs=runner.course.epochs,
            losses=runner.course.losses,
            inference=inference,
        )
        if self.is_first:
            for tower in self.towers.each_tower:
                merge_adapters(tower)
            settings = ModelSettings(
                mention_tokens=self.lengths[0],
                entity_tokens=self.lengths[1],
                markers=self.markers,
                entity_views=self.config.encoder.entity_views,
                inference=inference,
            )
            self._write(REPORT_FILE, json.dumps(report.to_dict(), indent=1) + "\n")
            self._write(CARD_FILE, model_card(report))
            write_towers(self.output, self.towers.mention_tower, self.towers.entity_tower, settings)
            shutil.rmtree(self.output / UNFINISHED)
        wait_for_all()
        return report

    def _write(self, name: str, content: str) -> None:
        with write_text(self.output / name) as stream:
            stream.write(content)

    def _check_identity(self, folder: Path) -> None:
        """A run is resumed with the settings and data it began with, or its figures would mean nothing."""
        digest = blake2b(digest_size=12)
        for array in (
            self.examples.groups,
            self.examples.texts.tokens,
            self.entities.texts.tokens,
            *([] if self.dev is None else [self.dev[1].texts.tokens, self.dev[0].gold.pairs]),
        ):
            digest.update(np.ascontiguousarray(array).data)
        now: dict[str, Any] = {"config": self.config.model_dump(), "data": digest.hexdigest()}
        path = folder / _IDENTITY_FILE
        if not path.is_file():
            self._write(f"{UNFINISHED}/{_IDENTITY_FILE}", json.dumps(now, indent=1))
            return
        before = json.loads(path.read_text(encoding="utf-8"))
        changed = [
            f"{section}.{key}"
            for section, settings in now["config"].items()
            for key, value in settings.items()
            if before["config"].get(section, {}).get(key) != value
        ]
        if before["data"] != now["data"]:
            changed.append("the documents or the knowledge base")
        if changed:
            raise InputError(
                f"the run in {self.output} began with other settings ({', '.join(changed)}); resume it with the same "
                "ones, or train into another folder"
            )


def _check_folder(output: Path, resume: bool) -> None:
    if output.exists() and not output.is_dir():
        raise InputError("is a file; name a folder for the model", output)
    unfinished = output / UNFINISHED
    if (output / "arborlink.json").is_file() and not unfinished.is_dir():
        raise InputError("holds a model already; name another folder, or remove it first", output)
    if unfinished.is_dir() and not resume:
        raise InputError(
            "holds a training that was not finished; --resume goes on with it, or name another folder", output
        )
    if output.is_dir() and not unfinished.is_dir() and any(output.iterdir()):
        raise InputError("is not empty and holds no training of ours; name another folder", output)


def _arguments(config: TrainingConfig, output: Path, device: str) -> Any:
    """The trainer's own settings."""
    from transformers import TrainingArguments

    trainer = config.trainer
    is_bf16 = trainer.precision == "bf16"
    if trainer.precision == "auto":  # weights and loss stay in full precision either way
        is_bf16 = str(resolve_precision(device)) == "torch.bfloat16"
    arguments = TrainingArguments(
        output_dir=str(output / UNFINISHED),
        num_train_epochs=trainer.epochs,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=trainer.accumulate,
        learning_rate=trainer.learning_rate,
        lr_scheduler_type="constant_with_warmup" if trainer.schedule == "constant" else trainer.schedule,
        weight_decay=trainer.weight_decay,
        max_grad_norm=trainer.max_grad_norm,
        bf16=is_bf16,
        use_cpu=device == "cpu",
        seed=trainer.seed,
        eval_strategy="no",  # the trainer's callback asks for it: dev is no dataset of the trainer's kind
        save_strategy="epoch",
        save_total_limit=2,
        logging_strategy="steps",
        logging_steps=10,
        logging_nan_inf_filter=False,
        report_to=list(trainer.report_to) or "none",
        remove_unused_columns=False,
        ddp_find_unused_parameters=False,
        dataloader_num_workers=0,
        dataloader_pin_memory=False,
    )
    arguments._n_gpu = min(1, arguments.n_gpu)  # several GPUs take several processes; never DataParallel
    return arguments


def _data_line(counts: dict[str, int], n_entities: int) -> str:
    left_out = {
        "composite": counts["composite"],
        "NIL of unknown cluster": counts["nil_of_unknown_cluster"],
        "unlabelled": counts["unlabelled"],
    }
    line = (
        f"{counts['mentions']:,} mentions: {counts['linkable']:,} of {counts['entities_with_mentions']:,} of the "
        f"{n_entities:,} entities"
    )
    if counts["outside_kb"]:
        line += f", {counts['outside_kb']:,} whose entity is not in the knowledge base (mention pairs only)"
    if any(left_out.values()):
        line += "; left out: " + ", ".join(f"{n:,} {what}" for what, n in left_out.items() if n)
    return line


@contextmanager
def _quiet_libraries() -> Iterator[None]:
    """The trainer's libraries log and warn about things their callers decide, not their users."""
    from transformers.utils import logging as settings

    level = settings.get_verbosity()
    settings.set_verbosity_error()  # type: ignore[no-untyped-call]
    accelerate = logging.getLogger("accelerate")
    before = accelerate.level
    accelerate.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"(torch|accelerate|transformers|peft)\b.*")
            yield
    finally:
        accelerate.setLevel(before)
        settings.set_verbosity(level)
