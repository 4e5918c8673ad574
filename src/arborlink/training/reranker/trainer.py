"""The ecosystem's trainer, taught to judge a re-ranker by linking and to keep the best epoch."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader
from transformers import Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from arborlink.errors import TrainingError
from arborlink.progress import Bar
from arborlink.training.checkpoints import forget_others, keep_weights, load_weights
from arborlink.training.course import Course, Epoch
from arborlink.training.reranker.judging import RerankerJudge
from arborlink.training.reranker.listwise import ListwiseScorer
from arborlink.training.reranker.steps import RerankerSteps

Tell = Callable[[str], None]
# Steps between two looks at the loss: each look waits for the accelerator.
_LOOK = 20


class RerankerTrainer(Trainer):
    """``transformers.Trainer`` over whole steps.

    Args:
        model: the network and its loss.
        args: the trainer's own settings.
        steps: the steps of an epoch.
        judge: what judges an epoch, if anything does.
        folder: where checkpoints and the best weights are kept.
        course: what happened before, in a run that is resumed.
        bar: shows the steps.
        tell: is told a line about each epoch.
    """

    def __init__(
        self,
        model: ListwiseScorer,
        args: TrainingArguments,
        *,
        steps: RerankerSteps,
        judge: RerankerJudge | None,
        folder: Path,
        course: Course,
        bar: Bar,
        tell: Tell,
    ) -> None:
        super().__init__(model=model, args=args, train_dataset=steps)
        self.scorer = model
        self.steps = steps
        self.judge = judge
        self.folder = folder
        self.course = course
        self.bar = bar
        self.tell = tell
        self.clock = time.perf_counter()
        self.n_looked: int | None = None
        self._loss_sum = torch.zeros((), device=args.device)
        for callback in list(self.callback_handler.callbacks):  # their bars and prints would double ours
            if type(callback).__name__ in ("ProgressCallback", "PrinterCallback"):
                self.remove_callback(callback)
        self.add_callback(_Moments(self))

    def get_train_dataloader(self) -> DataLoader[dict[str, Any]]:
        """Whole steps, one at a time."""
        return DataLoader(
            self.steps, batch_size=1, shuffle=False, collate_fn=_only, generator=torch.Generator()
        )

    def training_step(self, *arguments: Any, **options: Any) -> torch.Tensor:
        """One step, its loss remembered on the device."""
        loss: torch.Tensor = super().training_step(*arguments, **options)
        self._loss_sum += loss
        return loss

    def evaluate(self, *arguments: Any, **options: Any) -> dict[str, float]:
        """Re-rank and link dev."""
        if self.judge is None:
            raise RuntimeError("there are no dev documents to look at")
        start = time.perf_counter()
        epoch = self.course.epochs[-1]
        precision = torch.bfloat16 if self.args.bf16 else torch.float32
        epoch.dev = self.judge.judge(self.scorer.network, precision, progress=False)
        epoch.spend("evaluation", time.perf_counter() - start)
        self.clock = time.perf_counter()
        metrics = {f"eval_{key}": value for key, value in epoch.dev.items() if isinstance(value, float)}
        self.log(dict(metrics))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    @property
    def steps_in_epoch(self) -> int:
        """Updates of the weights in an epoch."""
        return -(-len(self.steps) // self.args.gradient_accumulation_steps)

    def look(self) -> float:
        """The mean loss since the last look.

        Raises:
            TrainingError: a loss was not a finite number.
        """
        total, epoch, step = float(self._loss_sum), self.course.epochs[-1], self.state.global_step
        n = step - (self.n_looked or 0)
        if not math.isfinite(total):
            raise TrainingError(
                f"the loss was not a finite number between step {step - n + 1} and step {step} (epoch "
                f'{epoch.number}); train again with a lower trainer.learning_rate, or trainer.precision = "fp32"'
            )
        self._loss_sum.zero_()
        mean = total / max(1, n)
        epoch.loss = (epoch.loss * epoch.n_steps + total) / max(1, epoch.n_steps + n)
        epoch.n_steps += n
        epoch.n_sequences += self.steps.n_pairs
        self.steps.n_pairs = 0
        now = time.perf_counter()
        epoch.spend("training", now - self.clock)
        self.clock, self.n_looked = now, step
        if n:
            self.course.losses.append((step, mean))
        return mean

    def load_best(self) -> None:
        """Go back to the best weights."""
        best = self.course.best
        if best is not None and best is not self.course.epochs[-1]:
            load_weights(self.scorer, self.folder, best)


class _Moments(TrainerCallback):
    """Called by the trainer at the beginning and end of epochs and steps, and when something is judged or saved."""

    def __init__(self, trainer: RerankerTrainer) -> None:
        self.trainer = trainer

    def on_epoch_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Draw the order; checkpoints are written between epochs, so this one is always new."""
        trainer = self.trainer
        number = state.global_step // trainer.steps_in_epoch
        trainer.clock, trainer.n_looked = time.perf_counter(), state.global_step
        trainer.course.epochs.append(Epoch(number + 1))
        trainer.steps.start(number)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Look at the loss now and then."""
        trainer, note = self.trainer, None
        if state.global_step % _LOOK == 0:
            loss = trainer.look()
            epoch = trainer.course.epochs[-1]
            rate = epoch.n_sequences / max(epoch.seconds.get("training", 0.0), 1e-9)
            note = f"loss {loss:.4f}, {rate:,.0f} pairs/s"
        trainer.bar.advance(1, note)

    def on_epoch_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Look at what the last steps left, and have it judged."""
        self.trainer.look()
        control.should_evaluate = self.trainer.judge is not None
        if self.trainer.judge is None:
            self.trainer.tell(epoch_line(self.trainer.course.epochs[-1], int(args.num_train_epochs)))

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Keep the best."""
        trainer = self.trainer
        epoch = trainer.course.epochs[-1]
        if trainer.course.best is epoch:
            keep_weights(trainer.scorer, trainer.folder, epoch)
        trainer.tell(epoch_line(epoch, int(args.num_train_epochs)))

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Complete the checkpoint with the course, without which it counts as half written."""
        trainer = self.trainer
        trainer.course.write(trainer.folder / f"checkpoint-{state.global_step}")
        if trainer.course.best is not None:
            forget_others(trainer.folder, trainer.course.best)
        now = time.perf_counter()
        trainer.course.epochs[-1].spend("saving", now - trainer.clock)
        trainer.clock = now


def epoch_line(epoch: Epoch, n_epochs: int) -> str:
    """What an epoch did, in one line."""
    parts = [f"epoch {epoch.number}/{n_epochs}: loss {epoch.loss:.4f}"]
    if epoch.dev:
        said = epoch.dev
        parts.append(
            f"dev accuracy {100 * said['accuracy']:.1f} (before {100 * said['accuracy_before']:.1f}, weight "
            f"{said['weight']:g}, recall {100 * said['recall']:.1f})"
        )
    rate = epoch.n_sequences / max(epoch.seconds.get("training", 0.0), 1e-9)
    return ", ".join([*parts, f"{epoch.total_seconds:.1f} s ({rate:,.0f} pairs/s)"])


def _only(items: list[dict[str, Any]]) -> dict[str, Any]:
    return items[0]
