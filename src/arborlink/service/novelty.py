"""How probably each discovery is really new, where the model brings a calibration that fits the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from arborlink.confidence import CALIBRATION_FILE, Calibration, read_calibration
from arborlink.encoders.default_model import resolve_model
from arborlink.errors import InputError
from arborlink.partition import Partition
from arborlink.workspace.snapshot import Snapshot
from arborlink.workspace.stable_ids import format_id


def probabilities_of_being_new(snapshot: Snapshot) -> Mapping[str, float]:
    """The mean over a discovery's mentions of the probability that they are outside the knowledge base.

    Nothing where nothing is known: the model has no calibration, or one for another way of linking.
    """
    calibration = _calibration(snapshot)
    if calibration is None or not snapshot.members:
        return {}
    parts, n_entities = snapshot.parts, len(snapshot.entities)
    near = snapshot.lists.neighbourhood(n_entities).near
    partition = Partition(parts.entity, parts.cluster, parts.parent, parts.weight, n_entities)
    probability = calibration.apply(near, partition, None).probability
    known = np.flatnonzero((parts.discovery >= 0) & ~np.isnan(probability))
    numbers, place, counts = np.unique(parts.discovery[known], return_inverse=True, return_counts=True)
    means = np.bincount(place, probability[known], len(numbers)) / counts
    return dict(zip(map(format_id, numbers.tolist()), np.round(means, 6).tolist(), strict=True))


def _calibration(snapshot: Snapshot) -> Calibration | None:
    model = resolve_model(snapshot.settings.choice.model)
    file = None if model is None else Path(model) / CALIBRATION_FILE
    if file is None or not file.is_file():
        return None
    try:
        calibration = _read(file, file.stat().st_mtime_ns)
    except (InputError, OSError):
        return None
    fits = calibration.mismatch(snapshot.settings.inference, snapshot.settings.model) is None
    return calibration if fits else None


@lru_cache(maxsize=1)
def _read(file: Path, changed: int) -> Calibration:
    return read_calibration(file)
