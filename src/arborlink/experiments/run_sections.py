"""The sections of a run file besides ``[experiment]``: the settings of the two trainings."""

from __future__ import annotations

from arborlink.training.config import TrainingConfig
from arborlink.training.reranker.config import RerankerConfig, RerankerSection, RerankerTrainerSection

RERANKER_SECTIONS = ("reranker", "reranker_trainer")


class RunSections(TrainingConfig):
    """Settings of the towers as in ``train.toml``, and those of a re-ranker, whose ``[trainer]`` needs another name.

    Example:
        >>> RunSections(reranker_trainer=RerankerTrainerSection(epochs=5)).reranker_config.trainer.epochs
        5
    """

    reranker: RerankerSection = RerankerSection()
    reranker_trainer: RerankerTrainerSection = RerankerTrainerSection()

    @property
    def training(self) -> TrainingConfig:
        """The settings of the towers alone."""
        return TrainingConfig(**{name: getattr(self, name) for name in TrainingConfig.model_fields})

    @property
    def reranker_config(self) -> RerankerConfig:
        """The settings of the re-ranker; where it has no base of its own, it begins as the towers do."""
        own = self.reranker
        if not own.base:
            own = own.model_copy(update={"base": self.encoder.base})
        return RerankerConfig(reranker=own, trainer=self.reranker_trainer)
