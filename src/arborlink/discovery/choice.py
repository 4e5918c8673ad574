"""Choosing how to link: which mode, how many neighbours, which threshold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from arborlink.discovery.aim import Aim
from arborlink.discovery.curve import ThresholdCurve
from arborlink.encoders.model_folder import Inference
from arborlink.errors import InputError


@dataclass(frozen=True, eq=False, slots=True)
class Choice:
    """A point of a curve.

    Args:
        curve: which curve.
        point: which of its points.
        is_met: whether the aim's bound is kept there.
    """

    curve: ThresholdCurve
    point: int
    is_met: bool = True

    @property
    def threshold(self) -> float:
        """The least affinity that joins two nodes."""
        return float(self.curve.threshold[self.point])

    @property
    def figures(self) -> dict[str, float | int | None]:
        """The figures there, by name."""
        return self.curve.figures(self.point)

    def inference(self, by_type: bool = False) -> Inference:
        """The choice as a linker takes it."""
        return Inference(self.curve.mode, self.curve.neighbours, self.threshold, by_type)

    def __str__(self) -> str:
        k = self.curve.neighbours
        return (
            f"{self.curve.mode}, {k} neighbour{'' if k == 1 else 's'}, threshold {round(self.threshold, 6)}"
        )


def best_point(curve: ThresholdCurve, aim: Aim) -> Choice | None:
    """The best point of one curve, or the nearest to the aim if none meets it; of equal ones the highest threshold.

    ``None`` where no point can be judged, as on a graph without edges.
    """
    ranks = aim.ranks(curve)
    # the last key of lexsort counts most; the first point of a curve has the highest threshold
    point = int(np.lexsort((-np.arange(len(ranks)), ranks[:, 2], ranks[:, 1], ranks[:, 0]))[-1])
    return None if np.isneginf(ranks[point, 0]) else Choice(curve, point, bool(ranks[point, 0]))


def choose(curves: Iterable[ThresholdCurve], aim: Aim | str = "nmi-ari") -> Choice:
    """The best point of all curves.

    Of equally good points the one with the higher threshold is taken: fewer edges say the same. Then the one with
    fewer neighbours, then that of the curve given first. Figures are equal if nine digits are.

    Args:
        curves: those to choose from.
        aim: what for.

    Raises:
        InputError: no point meets the aim, and the message names the nearest; or none can be judged at all.

    Example:
        >>> choose([threshold_curve(graph, "minimax", gold)], "wrong-links<=0.05").threshold  # doctest: +SKIP
        0.731
    """
    aim = Aim.parse(aim) if isinstance(aim, str) else aim
    given = list(curves)
    found = [best for curve in given if (best := best_point(curve, aim)) is not None]
    if not found:
        raise InputError(
            f"no threshold of {_named(given)} can be judged by {aim}: there are no edges, or no labels that tell"
        )
    # max keeps the first of equals
    best = max(
        found,
        key=lambda choice: (
            *aim.ranks(choice.curve)[choice.point].tolist(),
            choice.threshold,
            -choice.curve.neighbours,
        ),
    )
    if not best.is_met:
        value = best.figures["nil_precision" if aim.kind == "nil-precision" else "wrong_links"]
        raise InputError(
            f"no threshold of {_named(given)} reaches {aim}; the nearest is {value:.4f} ({best}): "
            "loosen the bound, or try other modes and numbers of neighbours"
        )
    return best


def _named(curves: list[ThresholdCurve]) -> str:
    modes = ", ".join(dict.fromkeys(curve.mode for curve in curves)) or "no curve"
    neighbours = ", ".join(str(k) for k in dict.fromkeys(curve.neighbours for curve in curves))
    return f"{modes} (neighbours {neighbours})" if neighbours else modes
