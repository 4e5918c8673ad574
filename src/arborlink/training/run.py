"""From documents and a knowledge base to a model folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arborlink.corpus import Corpus
from arborlink.encoders.device import resolve_device
from arborlink.encoders.model_folder import Inference, ModelSettings, write_towers
from arborlink.encoders.views import Markers
from arborlink.errors import InputError
from arborlink.files import write_text
from arborlink.knowledge_base import KnowledgeBase
from arborlink.progress import noted_bar
from arborlink.training.config import TrainingConfig
from arborlink.training.course import Course
from arborlink.training.folder import CARD_FILE, REPORT_FILE, UNFINISHED, begin, check_folder, clear
from arborlink.training.report import TrainingReport, model_card
from arborlink.training.reporting import check_report_to
from arborlink.training.surroundings import quiet_libraries, trainer_arguments

if TYPE_CHECKING:
    from arborlink.encoders.blended import NamesBeside
    from arborlink.training.material import Material
    from arborlink.training.trainer import ArborTrainer

Tell = Callable[[str], None]
DEVICES = ("auto", "cpu", "cuda", "mps")
# What a chunk costs besides its tokens, in tokens: the time its kernels take to start.
_CPU_PER_CHUNK, _ACCELERATOR_PER_CHUNK = 128, 32768


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
    tell: Tell = lambda line: None,
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
        >>> from arborlink import Corpus, KnowledgeBase, train                            # doctest: +SKIP
        >>> kb = KnowledgeBase.read("kb.jsonl")                                           # doctest: +SKIP
        >>> report = train(kb, Corpus.read("train.jsonl"), Corpus.read("dev.jsonl"), "model")  # doctest: +SKIP
    """
    config = config or TrainingConfig()
    if device not in DEVICES:
        raise InputError(
            f"device {device!r} is not known; choose one of {', '.join(DEVICES)}; CUDA_VISIBLE_DEVICES says which GPU"
        )
    if config.trainer.patience and dev is None:
        raise InputError("trainer.patience needs dev documents to tell which epochs are better")
    check_report_to(config.trainer.report_to)
    check_folder(Path(output), resume)
    with quiet_libraries():
        training = Training(kb, train, dev, Path(output), config, resolve_device(device), progress, tell)
        return training.finish(training.go())


class Training:
    """One training, from data to folder; :func:`train` says what the arguments are.

    Args:
        material: what the same data came to in another training with the same ``[encoder]``; read if not given.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        train: Corpus,
        dev: Corpus | None,
        output: Path,
        config: TrainingConfig,
        device: str,
        progress: bool | None = None,
        tell: Tell = lambda line: None,
        material: Material | None = None,
    ) -> None:
        from transformers import set_seed

        from arborlink.training.adapting import make_towers
        from arborlink.training.drawing import Drawing
        from arborlink.training.material import Material
        from arborlink.training.objectives import make_objective
        from arborlink.training.processes import process_number
        from arborlink.training.towers_in_training import TowersInTraining

        self.config, self.output, self.kb, self.dev = config, output, kb, dev
        self.sizes: dict[str, int] = {}
        self.arguments = trainer_arguments(
            config, output, device
        )  # joins the other processes, if there are any
        self.is_first = process_number() == 0
        self.tell: Tell = tell if self.is_first else lambda line: None
        self.progress = progress if self.is_first else False
        self.markers = Markers()
        set_seed(config.trainer.seed)  # new weights, such as adapters', are drawn
        on = self.arguments.device
        towers = make_towers(config.encoder, self.markers, str(on))
        self.material = material or Material.of(
            kb, train, dev, config, towers, self.markers, on.type, self.progress
        )
        objective = config.objective
        self.objective = make_objective(
            objective.name,
            loss=objective.loss,
            entity_weight=objective.entity_weight,
            entity_negatives=objective.entity_negatives,
            mention_negatives=objective.mention_negatives,
        )
        self.drawing = Drawing(
            self.material, kb, config, (towers[0].tokenizer, towers[1].tokenizer), self.markers
        )
        self.tell(self.drawing.described())
        self.towers = TowersInTraining(*towers, self.objective, config.encoder.temperature)

    def go(self) -> ArborTrainer:
        """Train; the trainer that did it, with the best weights loaded."""
        from arborlink.training.checkpoints import complete_checkpoints
        from arborlink.training.memory import tokens_at_a_time
        from arborlink.training.mining import Mining
        from arborlink.training.processes import from_first
        from arborlink.training.steps import Steps
        from arborlink.training.towers_in_training import attention_for_any_shape
        from arborlink.training.trainer import ArborTrainer

        config, material, needs = self.config, self.material, self.objective.needs
        folder = self.output / UNFINISHED
        sizes = self._sizes()
        if self.is_first:
            sizes = begin(self.output, config, self.drawing.fingerprint, sizes)
        self.sizes = sizes = from_first(sizes)
        chunk_tokens, device = sizes["chunk_tokens"], self.arguments.device
        self.towers.kept_tokens = sizes.get("kept_tokens", 0) if chunk_tokens else None
        last = next(iter(complete_checkpoints(folder)[::-1]), None)
        steps = Steps(
            material.examples,
            material.entities,
            needs,
            sizes["batch_size"],
            config.objective.shared_negatives,
            tokens_at_a_time(chunk_tokens, device),
            _CPU_PER_CHUNK if device.type == "cpu" else _ACCELERATOR_PER_CHUNK,
            config.trainer.seed,
            material.scopes,
        )
        mining = Mining(
            material.examples,
            material.entities,
            needs,
            config.objective.positives,
            config.trainer.seed,
            config.trainer.block_size,
            material.types,
        )
        drawn = self.drawing.draw(0)  # as many as in any other epoch
        steps.learn_from(drawn.examples, drawn.entities, drawn.scopes)
        n_steps = config.trainer.epochs * -(-len(steps) // config.trainer.accumulate)
        self.arguments.warmup_steps = round(config.trainer.warmup * n_steps)
        with noted_bar("Training", n_steps, self.progress) as bar, attention_for_any_shape():
            trainer = ArborTrainer(
                self.towers,
                self.arguments,
                steps=steps,
                mining=mining,
                drawing=self.drawing,
                dev=material.dev,
                names=self._names(),
                patience=config.trainer.patience,
                mine_every=config.objective.mine_every,
                checkpoint_steps=config.trainer.checkpoint_steps,
                folder=folder,
                course=Course() if last is None else Course.read(last),
                bar=bar,
                tell=self.tell,
            )
            if last is not None:
                trainer.resumed_from = last
                bar.advance(int(last.name.rpartition("-")[2]))
                self.tell(f"resumed from {last}")
            if not trainer.gave_up:  # a run that is resumed may have ended early before
                trainer.train(resume_from_checkpoint=str(last) if last is not None else None)
        trainer.load_best()
        return trainer

    def _sizes(self) -> dict[str, int]:
        """Mentions of a step and tokens of a chunk, chosen by the data and the memory where the config leaves it.

        Where memory alone asks for chunks, also the tokens whose activations can be kept.
        """
        from arborlink.training.memory import default_batch_size, fitting_chunk, kept_tokens
        from arborlink.training.steps import askable

        config, material, needs = self.config.trainer, self.material, self.objective.needs
        n_queries = len(askable(material.examples, needs)) + self.drawing.n_names
        batch_size = config.batch_size or default_batch_size(n_queries)
        longest = max(material.mention_tokens, material.entity_tokens)
        tower = self.towers.mention_tower
        if config.chunk_tokens:
            return {"batch_size": batch_size, "chunk_tokens": config.chunk_tokens}
        network: Any = tower[0].auto_model
        chunk_tokens = fitting_chunk(needs, batch_size, longest, tower)
        kept = kept_tokens(chunk_tokens, network.config, tower.device) if chunk_tokens else 0
        return {"batch_size": batch_size, "chunk_tokens": chunk_tokens, "kept_tokens": kept}

    def finish(self, trainer: ArborTrainer) -> TrainingReport:
        """Choose how to link, write the folder, remove the checkpoints."""
        from arborlink.training.adapting import merge_adapters
        from arborlink.training.processes import from_first, wait_for_all

        material, by_type = self.material, self.config.objective.by_type
        inference = Inference(by_type=by_type)
        if material.dev is not None:
            judgement = trainer.judgement()
            inference = from_first(judgement.inference(by_type) if self.is_first else None)
        report = TrainingReport(
            config=self.config.model_dump(),
            n_entities=material.entities.n_entities,
            examples=material.examples.counts,
            dev=None if material.dev is None else material.dev.judge.counts,
            epochs=trainer.course.epochs,
            losses=trainer.course.losses,
            sizes=self.sizes,
            inference=inference,
        )
        if self.is_first:
            for tower in self.towers.each_tower:
                merge_adapters(tower)
            settings = ModelSettings(
                mention_tokens=material.mention_tokens,
                entity_tokens=material.entity_tokens,
                markers=self.markers,
                entity_views=self.config.encoder.entity_views,
                inference=inference,
                temperature=self.config.encoder.temperature,
                name_share=self.config.encoder.name_share,
                sameness=self.config.encoder.sameness,
                description_names=self.config.encoder.description_names,
                detour=self.config.dev.detour,
            )
            _write(self.output / REPORT_FILE, json.dumps(report.to_dict(), indent=1) + "\n")
            _write(self.output / CARD_FILE, model_card(report))
            write_towers(self.output, self.towers.mention_tower, self.towers.entity_tower, settings)
            clear(self.output)
        wait_for_all()
        return report

    def _names(self) -> NamesBeside | None:
        """The names of dev, if they have a share in linking."""
        from arborlink.encoders.blended import NamesBeside
        from arborlink.encoders.loading import load_names

        share, dev = self.config.encoder.name_share, self.material.dev
        if not share or dev is None or self.dev is None:
            return None
        encoder, device = self.config.encoder, self.arguments.device.type
        names = load_names(encoder.sameness, encoder.description_names, device, progress=self.progress)
        return NamesBeside.of(names, share, self.dev, self.kb, dev.judge.labels)


def _write(path: Path, content: str) -> None:
    with write_text(path) as stream:
        stream.write(content)
