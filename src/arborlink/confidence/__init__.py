"""How sure a link is: features of a mention's path, and a stored calibration that makes probabilities of them."""

from arborlink.confidence.answers import AnswerCurve, check_target
from arborlink.confidence.calibration import Calibration, Confidence
from arborlink.confidence.features import LINK_FEATURES, NEW_FEATURES, link_features, new_features
from arborlink.confidence.file import CALIBRATION_FILE, read_calibration, write_calibration
from arborlink.confidence.links import refusal, with_confidence
from arborlink.confidence.model import ProbabilityModel, Scale

__all__ = [
    "CALIBRATION_FILE",
    "LINK_FEATURES",
    "NEW_FEATURES",
    "AnswerCurve",
    "Calibration",
    "Confidence",
    "ProbabilityModel",
    "Scale",
    "check_target",
    "link_features",
    "new_features",
    "read_calibration",
    "refusal",
    "with_confidence",
    "write_calibration",
]
