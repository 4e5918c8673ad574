"""Learning on labelled documents how sure links and discoveries are; :mod:`arborlink.confidence` applies it."""

from arborlink.calibration.fitting import Calibrated, calibrate, check_labels, fit_calibration
from arborlink.calibration.isotonic import pool_adjacent_violators, rising_map
from arborlink.calibration.logistic import fit_logistic
from arborlink.calibration.report import Trial

__all__ = [
    "Calibrated",
    "Trial",
    "calibrate",
    "check_labels",
    "fit_calibration",
    "fit_logistic",
    "pool_adjacent_violators",
    "rising_map",
]
