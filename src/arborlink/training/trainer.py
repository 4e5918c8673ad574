"""The ecosystem's trainer, taught to mine, to judge by linking, and to go on after a kill as if nothing had been."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader
from transformers import Trainer, TrainingArguments

from arborlink.encoder import Embeddings
from arborlink.encoders.blended import NamesBeside
from arborlink.errors import TrainingError
from arborlink.progress import Bar
from arborlink.training.adapting import frozen_rows
from arborlink.training.checkpoints import complete_checkpoints, load_weights
from arborlink.training.course import Course
from arborlink.training.drawing import Drawing
from arborlink.training.judge import Judgement
from arborlink.training.material import Dev
from arborlink.training.mining import Mined, Mining
from arborlink.training.moments import Moments
from arborlink.training.processes import from_first, process_number
from arborlink.training.reporting import keep_events
from arborlink.training.steps import Steps
from arborlink.training.towers_in_training import TowersInTraining
from arborlink.voting import Examples

Tell = Callable[[str], None]
# Steps between two looks at the loss: each look waits for the accelerator.
_LOOK = 20


class ArborTrainer(Trainer):
    """``transformers.Trainer`` over whole steps.

    Args:
        model: the towers.
        args: the trainer's own settings.
        steps: the steps of an epoch.
        mining: how their neighbours are found.
        drawing: what is drawn anew for each epoch.
        dev: what judges an epoch, if anything does.
        names: those of dev, if they have a share in linking.
        patience: epochs without a better judgement before it stops; 0 never stops.
        mine_every: steps between two minings; 0 mines at the start of each epoch.
        checkpoint_steps: steps between two checkpoints besides those after each epoch; 0 for none.
        folder: where the best weights are kept.
        course: what happened before, in a run that is resumed.
        bar: shows the steps.
        tell: is told a line about each epoch.
    """

    def __init__(
        self,
        model: TowersInTraining,
        args: TrainingArguments,
        *,
        steps: Steps,
        mining: Mining,
        drawing: Drawing,
        dev: Dev | None,
        names: NamesBeside | None,
        patience: int,
        mine_every: int,
        checkpoint_steps: int,
        folder: Path,
        course: Course,
        bar: Bar,
        tell: Tell,
    ) -> None:
        super().__init__(model=model, args=args, train_dataset=steps)
        self.towers = model
        self.steps = steps
        self.mining = mining
        self.drawing = drawing
        self.dev = dev
        self.names = names
        self.patience = patience
        self.mine_every = mine_every
        self.checkpoint_steps = checkpoint_steps
        self.folder = folder
        self.course = course
        self.bar = bar
        self.tell = tell
        self.precision = torch.bfloat16 if args.bf16 else None
        self.resumed_from: Path | None = None
        self._entity_vectors: tuple[int, torch.Tensor] | None = None
        self._loss_sum = torch.zeros((), device=args.device)
        self.n_looked = 0
        self.clock = time.perf_counter()
        for callback in list(self.callback_handler.callbacks):  # their bars and prints would double ours
            if type(callback).__name__ in ("ProgressCallback", "PrinterCallback"):
                self.remove_callback(callback)
        keep_events(self.callback_handler.callbacks, folder.parent)
        self.add_callback(Moments(self))

    # What the trainer asks for.

    def get_train_dataloader(self) -> DataLoader[dict[str, Any]]:
        """Whole steps, one at a time, the same in every process."""
        return DataLoader(
            self.steps, batch_size=1, shuffle=False, collate_fn=_only, generator=torch.Generator()
        )

    def get_decay_parameter_names(self, model: torch.nn.Module) -> list[str]:
        """As usual, but for embeddings most rows of which are frozen."""
        frozen = {
            f"towers.{number}.{name}"
            for number, tower in enumerate(self.towers.each_tower)
            for name in frozen_rows(tower)
        }
        return [name for name in super().get_decay_parameter_names(model) if name not in frozen]

    def training_step(self, *arguments: Any, **options: Any) -> torch.Tensor:
        """One step, its loss remembered on the device."""
        loss: torch.Tensor = super().training_step(*arguments, **options)
        self._loss_sum += loss
        return loss

    def evaluate(self, *arguments: Any, **options: Any) -> dict[str, float]:
        """Link dev, as ``arborlink link`` would, in every way that may be chosen."""
        start = time.perf_counter()
        found = self.judgement()
        judged: dict[str, Any] = {}
        if process_number() == 0:
            choices = found.choices()
            judged = {
                "accuracy": choices[0].accuracy,
                "accuracy_standard_error": found.standard_error(choices[0].accuracy),
                "mode": choices[0].mode,
                "neighbours": choices[0].neighbours,
                f"recall@{found.settings.recall_at}": found.recall(),
                "choices": [asdict(choice) for choice in choices],
            }
        epoch = self.course.epochs[-1]
        epoch.dev = from_first(judged)
        epoch.spend("evaluation", time.perf_counter() - start)
        self.clock = time.perf_counter()
        metrics = {f"eval_{key}": value for key, value in epoch.dev.items() if isinstance(value, float)}
        self.log(dict(metrics))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    # What a training does between the steps.

    @property
    def steps_in_epoch(self) -> int:
        """Updates of the weights in an epoch."""
        return -(-len(self.steps) // self.args.gradient_accumulation_steps)

    @property
    def gave_up(self) -> bool:
        """Whether patience is at its end; only an epoch that was judged can end it."""
        epochs = self.course.epochs
        if not self.patience or not epochs or not epochs[-1].dev:
            return False
        return self.course.epochs_without_gain() >= self.patience

    def is_judged(self, epoch: int) -> bool:
        """Whether dev judges the epoch of this number, the first being 1."""
        if self.dev is None:
            return False
        every = self.dev.judge.settings.every
        return epoch == int(self.args.num_train_epochs) or (every > 0 and epoch % every == 0)

    def judgement(self, with_examples: bool = False) -> Judgement:
        """Dev as the towers see it now, beside its names if they have a share in linking.

        With examples, the training mentions vote for their entities; names are then left aside.
        """
        if self.dev is None:
            raise RuntimeError("there are no dev documents to look at")
        judge, side = self.dev.judge, self.dev.side
        texts = self.towers.embed("mentions", side.texts, self.precision)
        mentions = Embeddings.one_each(texts.cpu().numpy(), side.text_of_mention)
        entities = self.steps.entities
        vectors = self.entity_vectors().cpu().numpy()
        both = mentions, Embeddings(vectors, entities.text_of_view, entities.offsets)
        if with_examples:
            return judge.judge(*both, self._voters())
        return judge.judge(*(both if self.names is None else self.names.beside(*both)))

    def _voters(self) -> Examples:
        examples = self.drawing.material.examples
        vectors = self.towers.embed("mentions", examples.texts, self.precision).cpu().numpy()
        rows = examples.text_of_mention[examples.in_kb]
        entity = examples.groups[examples.in_kb].astype(np.int32)
        return Examples(Embeddings.one_each(vectors, rows), entity, self.towers.temperature)

    def entity_vectors(self) -> torch.Tensor:
        """The entities as the towers see them now: mining and the evaluation before it share them."""
        step = self.state.global_step
        if self._entity_vectors is None or self._entity_vectors[0] != step:
            self._entity_vectors = None  # there may be no room for both
            vectors = self.towers.embed("entities", self.steps.entities.texts, self.precision)
            self._entity_vectors = (step, vectors)
        return self._entity_vectors[1]

    def draw(self, epoch: int) -> None:
        """Begin an epoch with what is drawn for it."""
        start = time.perf_counter()
        drawn = self.drawing.draw(epoch)
        self.steps.learn_from(drawn.examples, drawn.entities, drawn.scopes)
        self.mining = replace(
            self.mining, examples=drawn.examples, entities=drawn.entities, types=drawn.types
        )
        self.course.epochs[-1].spend("mining", time.perf_counter() - start)

    def mine(self, epoch: int) -> Mined:
        """Find the neighbours that the next steps are planned with."""
        start = time.perf_counter()
        if self.mining.needs_vectors:
            mentions = self.towers.embed("mentions", self.steps.examples.texts, self.precision)
            entities = self.entity_vectors()
            more = self.mining.entities.texts.since(len(entities))
            if len(more):
                entities = torch.cat([entities, self.towers.embed("entities", more, self.precision)])
            mined: Mined | None = (
                self.mining.mine(mentions, entities, epoch) if process_number() == 0 else None
            )
            self._entity_vectors = None
        else:
            mined = self.mining.draw(epoch)
        mined = from_first(mined)
        self.course.epochs[-1].spend("mining", time.perf_counter() - start)
        self.clock = time.perf_counter()
        return mined

    def look(self) -> float:
        """The mean loss since the last look.

        Raises:
            TrainingError: a loss was not a finite number.
        """
        total = float(self._loss_sum)
        epoch = self.course.epochs[-1]
        n = self.state.global_step - self.n_looked
        if not math.isfinite(total):
            raise TrainingError(
                f"the loss was not a finite number between step {self.n_looked + 1} and step "
                f"{self.state.global_step} (epoch {epoch.number}); {self._last_good()}"
            )
        self._loss_sum.zero_()
        mean = total / max(1, n)
        epoch.loss = (epoch.loss * epoch.n_steps + mean * n) / max(1, epoch.n_steps + n)
        epoch.n_steps += n
        epoch.n_sequences += self.steps.n_sequences
        self.steps.n_sequences = 0
        now = time.perf_counter()
        epoch.spend("training", now - self.clock)
        self.clock = now
        self.n_looked = self.state.global_step
        if n:
            self.course.losses.append((self.state.global_step, mean))
        return mean

    def check_weights(self) -> None:
        """Raise if a weight is not a finite number: such a checkpoint would be of no use to anybody."""
        sums = [parameter.detach().sum() for parameter in self.towers.parameters() if parameter.requires_grad]
        if not bool(torch.isfinite(torch.stack(sums)).all()):
            raise TrainingError(
                f"weights are no finite numbers any more after step {self.state.global_step}; {self._last_good()}"
            )

    def load_best(self) -> None:
        """Go back to the best weights."""
        best = self.course.best
        if best is not None and best is not self.course.epochs[-1]:
            load_weights(self.towers, self.folder, best)
            self._entity_vectors = None

    def _last_good(self) -> str:
        checkpoints = complete_checkpoints(self.folder)
        kept = (
            f"the last good checkpoint is {checkpoints[-1]}"
            if checkpoints
            else "no checkpoint was written yet"
        )
        return f'{kept}; train again with a lower trainer.learning_rate, or trainer.precision = "fp32"'


def _only(items: list[dict[str, Any]]) -> dict[str, Any]:
    return items[0]
