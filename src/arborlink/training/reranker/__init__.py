"""Training of a re-ranker: candidates, steps, the trainer."""

from __future__ import annotations

from arborlink.training.reranker.config import RerankerConfig
from arborlink.training.reranker.report import RerankerReport, TrainedReranker
from arborlink.training.reranker.run import train_reranker

__all__ = ["RerankerConfig", "RerankerReport", "TrainedReranker", "train_reranker"]
