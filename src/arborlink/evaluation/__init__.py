"""Evaluation: accuracy, recall at k, NMI, ARI, B-cubed and NIL detection, by a named protocol."""

from arborlink.evaluation import metrics
from arborlink.evaluation.candidates import Candidates
from arborlink.evaluation.evaluator import evaluate
from arborlink.evaluation.figures import Evaluation, Figure
from arborlink.evaluation.folder import candidates_file, links_file
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.id_map import read_id_map
from arborlink.evaluation.predictions import Predictions

__all__ = [
    "Candidates",
    "Evaluation",
    "Figure",
    "Gold",
    "Predictions",
    "candidates_file",
    "evaluate",
    "links_file",
    "metrics",
    "read_id_map",
]
