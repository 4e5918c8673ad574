"""The metrics, on plain arrays: one module per family, no files and no knowledge base needed.

Example:
    >>> from arborlink.evaluation import metrics
    >>> metrics.b_cubed(["a", "a", "b"], [1, 1, 1]).recall
    1.0
"""

from arborlink.evaluation.metrics.bcubed import BCubed, b_cubed
from arborlink.evaluation.metrics.bootstrap import bootstrap_interval
from arborlink.evaluation.metrics.contingency_table import Contingency, contingency
from arborlink.evaluation.metrics.mutual_information import normalised_mutual_information
from arborlink.evaluation.metrics.precision_recall import Detection, detection
from arborlink.evaluation.metrics.rand_index import adjusted_rand_index
from arborlink.evaluation.metrics.reliability import (
    N_BINS,
    Reliability,
    brier_score,
    expected_calibration_error,
    reliability,
)
from arborlink.evaluation.metrics.shares import NOT_FOUND, accuracy, recall_at

__all__ = [
    "NOT_FOUND",
    "N_BINS",
    "BCubed",
    "Contingency",
    "Detection",
    "Reliability",
    "accuracy",
    "adjusted_rand_index",
    "b_cubed",
    "bootstrap_interval",
    "brier_score",
    "contingency",
    "detection",
    "expected_calibration_error",
    "normalised_mutual_information",
    "recall_at",
    "reliability",
]
