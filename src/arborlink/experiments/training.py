"""A training inside an experiment: its model is measured as it stands, and written only if it is to be kept."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arborlink.errors import InputError
from arborlink.experiments.memory import peak_memory, reset_memory
from arborlink.experiments.training_data import TrainingData
from arborlink.experiments.workbench import Workbench
from arborlink.training.config import TrainingConfig
from arborlink.training.folder import check_folder
from arborlink.training.material import Material
from arborlink.training.run import Training
from arborlink.training.surroundings import quiet_libraries
from arborlink.training.trainer import ArborTrainer


def train(
    data: TrainingData,
    material: Material,
    config: TrainingConfig,
    folder: Path,
    bench: Workbench,
    keep: bool = False,
) -> tuple[ArborTrainer, dict[str, Any]]:
    """Train; the trainer with the best weights loaded, and what the training did.

    No checkpoints are written besides the best weights: a run that is killed is done again.

    Args:
        data: what is learned from.
        material: the same as token ids.
        config: all settings.
        folder: where the weights go meanwhile.
        bench: device, bars and who is told.
        keep: make the folder a model that ``arborlink link`` takes.

    Raises:
        InputError: the folder is in use.
        TrainingError: the loss or the weights are no finite numbers any more.
    """
    from transformers.trainer_utils import SaveStrategy

    check_folder(folder, resume=False)
    if config.trainer.checkpoint_steps:
        raise InputError("trainer.checkpoint_steps is for arborlink train; experiments write no checkpoints")
    with quiet_libraries():
        start = time.perf_counter()
        training = Training(
            data.kb, data.train, data.dev, folder, config, bench.device, bench.progress, bench.tell, material
        )
        training.arguments.save_strategy = SaveStrategy.NO
        reset_memory(bench.device)
        made = time.perf_counter()
        trainer = training.go()
        trained = time.perf_counter()
        if keep:
            training.finish(trainer)
    epochs = trainer.course.epochs
    best = trainer.course.best
    return trainer, {
        "seconds": {"loading": made - start, "training": trained - made},
        "peak_memory_gb": peak_memory(bench.device),
        "examples": material.examples.counts,
        "n_entities": material.entities.n_entities,
        "sizes": training.sizes,
        "best_epoch": None if best is None else best.number,
        "epochs": [asdict(epoch) for epoch in epochs],
    }
