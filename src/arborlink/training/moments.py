"""What a training does at which moment of the trainer's course."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from arborlink.training.checkpoints import forget_others, keep_weights
from arborlink.training.course import MINED_FILE, Epoch
from arborlink.training.mining import Mined
from arborlink.training.processes import process_number, wait_for_all

if TYPE_CHECKING:
    from arborlink.training.trainer import ArborTrainer

# Steps between two looks at the loss: each look waits for the accelerator.
_LOOK = 20


class Moments(TrainerCallback):
    """Called by the trainer at the beginning and end of epochs and steps, and when something is judged or saved."""

    def __init__(self, trainer: ArborTrainer) -> None:
        self.trainer = trainer

    def on_epoch_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Mine, unless a resumed run brings along what was mined when this epoch began."""
        trainer = self.trainer
        number = state.global_step // trainer.steps_in_epoch
        trainer.clock = time.perf_counter()
        if trainer.resumed_from is not None:
            folder, trainer.resumed_from = trainer.resumed_from, None
            trainer.n_looked = state.global_step
            if trainer.course.epochs and trainer.course.epochs[-1].number == number + 1:
                trainer.draw(number)
                trainer.steps.start(number, Mined.read(folder / MINED_FILE))
                return
        trainer.course.epochs.append(Epoch(number + 1))
        trainer.draw(number)
        trainer.steps.start(number, trainer.mine(number))

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Look at the loss, now and then and before anything is kept; mine again if asked."""
        trainer, step = self.trainer, state.global_step
        ends_epoch = step % trainer.steps_in_epoch == 0
        # The checkpoint at the end of an epoch is written after its judgement, and only then.
        if trainer.checkpoint_steps and step % trainer.checkpoint_steps == 0 and not ends_epoch:
            control.should_save = True
        mines = bool(trainer.mine_every) and step % trainer.mine_every == 0 and not ends_epoch
        note = None
        if step % _LOOK == 0 or control.should_save or control.should_log or ends_epoch or mines:
            loss = trainer.look()
            epoch = trainer.course.epochs[-1]
            rate = epoch.n_sequences / max(epoch.seconds.get("training", 0.0), 1e-9)
            note = f"loss {loss:.4f}, {rate:,.0f} texts/s"
        if control.should_save or mines:
            trainer.check_weights()
        trainer.bar.advance(1, note)
        if mines:
            trainer.steps.mine_anew(trainer.mine(trainer.course.epochs[-1].number - 1))

    def on_epoch_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Look at what the last steps left, and have it judged."""
        self.trainer.look()
        self.trainer.check_weights()
        epoch = self.trainer.course.epochs[-1]
        control.should_evaluate = self.trainer.is_judged(epoch.number)
        if not control.should_evaluate:
            self.trainer.tell(epoch.line(int(args.num_train_epochs)))

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Keep the best, stop when nothing gets better."""
        trainer = self.trainer
        epoch = trainer.course.epochs[-1]
        if trainer.course.best is epoch and process_number() == 0:
            keep_weights(trainer.towers, trainer.folder, epoch)
        trainer.tell(epoch.line(int(args.num_train_epochs)))
        if trainer.gave_up:
            trainer.tell(f"no better for {trainer.patience} epochs: stopped early")
            control.should_training_stop = True

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **rest: Any
    ) -> None:
        """Complete the checkpoint with what a resumed run must know; the course is written last."""
        trainer = self.trainer
        wait_for_all()  # each process has written a file of its own
        if process_number() == 0:
            folder = trainer.folder / f"checkpoint-{state.global_step}"
            assert trainer.steps.mined is not None
            trainer.steps.mined.write(folder / MINED_FILE)
            trainer.course.write(folder)
            if trainer.course.best is not None:
                forget_others(trainer.folder, trainer.course.best)
        now = time.perf_counter()
        trainer.course.epochs[-1].spend("saving", now - trainer.clock)
        trainer.clock = now
