"""Thresholds, against the evaluation of one partition after the other."""
