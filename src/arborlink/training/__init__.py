"""Training of the encoders: objectives, mining, targets, the trainer."""

from __future__ import annotations

from arborlink.training.config import TrainingConfig
from arborlink.training.report import TrainingReport
from arborlink.training.run import train

__all__ = ["TrainingConfig", "TrainingReport", "train"]
