"""What the ecosystem's trainer is told, and what it is kept from telling."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arborlink.encoders.device import resolve_precision
from arborlink.training.config import TrainingConfig
from arborlink.training.folder import UNFINISHED


def trainer_arguments(config: TrainingConfig, output: Path, device: str) -> Any:
    """The settings of ``transformers.Trainer``; making them joins the other processes, if there are any."""
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


@contextmanager
def quiet_libraries() -> Iterator[None]:
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
