"""How the figures of linking and discovery change with the threshold."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.errors import InputError
from arborlink.partition import Mode

Floats = NDArray[np.float64]
FIGURES = (
    "nmi",
    "ari",
    "nmi_ari_mean",
    "b3_precision",
    "b3_recall",
    "b3_f1",
    "nil_precision",
    "nil_recall",
    "nil_f1",
    "accuracy",
    "wrong_links",
    "n_linked",
    "n_discovered",
)
"""The figures of a curve; the first ten are those of ``arborlink evaluate``, of the same names."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ThresholdCurve:
    """Figures at every threshold, as read-only arrays of shape (n_points,).

    The first point is at infinity: nothing is joined, every mention stands alone. An exact curve has a point wherever
    the partition changes and holds between them: at any threshold it is what it was at the last point above or at it.
    NaN stands for a figure that has no value there, such as a precision where nothing was predicted.

    Args:
        mode: how the graph is partitioned.
        neighbours: mentions that each mention is joined to.
        is_exact: every threshold is covered; otherwise only those of the points were tried.
        threshold: affinities, descending: the least that joins two nodes.
        nmi: normalised mutual information, over the mentions of known gold cluster.
        ari: adjusted Rand index, likewise.
        nmi_ari_mean: mean of the two.
        b3_precision: B-cubed precision, likewise.
        b3_recall: B-cubed recall, likewise.
        b3_f1: B-cubed F1, likewise.
        nil_precision: share of the labelled mentions without a predicted entity that are outside the knowledge base.
        nil_recall: share of the mentions outside the knowledge base that have no predicted entity.
        nil_f1: harmonic mean of the two.
        accuracy: share of the linkable mentions that are linked rightly.
        wrong_links: share of the links of labelled mentions that are wrong.
        n_linked: int64, mentions with an entity, labelled or not.
        n_discovered: int64, clusters without an entity.
    """

    mode: Mode
    neighbours: int
    is_exact: bool
    threshold: Floats
    nmi: Floats
    ari: Floats
    nmi_ari_mean: Floats
    b3_precision: Floats
    b3_recall: Floats
    b3_f1: Floats
    nil_precision: Floats
    nil_recall: Floats
    nil_f1: Floats
    accuracy: Floats
    wrong_links: Floats
    n_linked: NDArray[np.int64]
    n_discovered: NDArray[np.int64]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def n_points(self) -> int:
        """How many points the curve has."""
        return len(self.threshold)

    def figures(self, point: int) -> dict[str, float | int | None]:
        """The figures of one point, by name; ``None`` where there is no value."""
        return {name: _value(getattr(self, name)[point]) for name in FIGURES}

    def point_at(self, threshold: float) -> int:
        """The point that holds at a threshold.

        Raises:
            InputError: the curve is a grid, and this threshold was not tried.
        """
        point = int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1
        if not self.is_exact and self.threshold[point] != threshold:
            raise InputError(
                f"the curve of {self.mode} is a grid of {self.n_points} thresholds, and {threshold} is none of them; "
                "ask for one of curve.threshold"
            )
        return point

    def to_json(self, keep: int | None = None, at_most: int = 1000) -> dict[str, Any]:
        """The curve as plain lists, thinned out to some points evenly taken from all; floats in six digits.

        Args:
            keep: a point that must stay.
            at_most: how many points may stay besides it.
        """
        some = np.linspace(0, self.n_points - 1, min(at_most, self.n_points)).round().astype(np.int64)
        points = np.union1d(some, [] if keep is None else [keep]).astype(np.int64)
        columns = {name: getattr(self, name)[points] for name in ("threshold", *FIGURES)}
        return {
            "mode": self.mode,
            "neighbours": self.neighbours,
            "is_exact": self.is_exact,
            "n_points": self.n_points,
            **{name: [_value(value, digits=6) for value in column] for name, column in columns.items()},
        }


def _value(number: np.generic, digits: int | None = None) -> float | int | None:
    if isinstance(number, np.integer):
        return int(number)
    value = float(number)
    if not np.isfinite(value):
        return None
    return value if digits is None else round(value, digits)
