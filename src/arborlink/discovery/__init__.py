"""New entities as a product: thresholds that are chosen on labelled documents."""

from arborlink.discovery.aim import Aim
from arborlink.discovery.choice import Choice, choose
from arborlink.discovery.curve import FIGURES, ThresholdCurve
from arborlink.discovery.thresholds import threshold_curve
from arborlink.discovery.tuning import Tuning, tune

__all__ = ["FIGURES", "Aim", "Choice", "ThresholdCurve", "Tuning", "choose", "threshold_curve", "tune"]
