"""What a threshold is chosen for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arborlink.discovery.curve import Floats, ThresholdCurve
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold

Kind = Literal["nmi-ari", "nil-precision", "wrong-links"]
_SIGNS: dict[str, str] = {"nil-precision": ">=", "wrong-links": "<="}
_EXPECTED = "expected nmi-ari, nil-precision>=P or wrong-links<=X with a number from 0 to 1"
# Sums of logarithms differ in their last digits between ways to the same partition; such differences decide nothing.
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Aim:
    """An aim: something to make as large as possible, and perhaps a bound to keep.

    =====================  =======================================================================================
    ``nmi-ari``            the largest mean of NMI and ARI
    ``nil-precision>=P``   the largest NIL recall where NIL precision is at least P; then the largest precision
    ``wrong-links<=X``     the most links where at most the share X of them is wrong; then the smallest such share
    =====================  =======================================================================================

    Args:
        kind: which of them.
        bound: P or X, from 0 to 1; ``None`` for ``nmi-ari``.

    Raises:
        InputError: an unknown kind, a bound that is missing, not asked for or out of range.

    Example:
        >>> Aim.parse("nil-precision>=0.9")
        Aim(kind='nil-precision', bound=0.9)
        >>> str(Aim("wrong-links", 0.05))
        'wrong-links<=0.05'
    """

    kind: Kind = "nmi-ari"
    bound: float | None = None

    def __post_init__(self) -> None:
        in_range = self.bound is not None and 0 <= self.bound <= 1
        if self.kind not in get_args(Kind) or (in_range if self.kind == "nmi-ari" else not in_range):
            raise InputError(f"there is no aim {self.kind!r} with the bound {self.bound}; {_EXPECTED}")

    @classmethod
    def parse(cls, text: str) -> Aim:
        """The aim of a text such as ``wrong-links<=0.05``."""
        if text.strip() == "nmi-ari":
            return cls()
        found = re.fullmatch(r"\s*(nil-precision|wrong-links)\s*(>=|<=)\s*(\d*\.?\d+)\s*", text)
        if found is None or _SIGNS[found[1]] != found[2] or float(found[3]) > 1:
            raise InputError(f"the aim {text!r} is not known; {_EXPECTED}")
        return cls("nil-precision" if found[1] == "nil-precision" else "wrong-links", float(found[3]))

    def __str__(self) -> str:
        return self.kind if self.bound is None else f"{self.kind}{_SIGNS[self.kind]}{self.bound:g}"

    def check(self, gold: Gold) -> None:
        """Make sure that labels can tell whether the aim is met.

        Raises:
            InputError: they cannot.
        """
        if not gold.labelled.any():
            raise InputError(
                f"none of the {len(gold.labels):,} mentions has a gold label; thresholds are chosen on labelled ones"
            )
        if self.kind == "nil-precision" and not gold.nil.any():
            raise InputError(
                f"no mention has its gold entity outside the knowledge base, and {self} needs some to be found; give "
                "documents with such mentions, take entities out of the knowledge base, or choose another aim"
            )
        if self.kind == "nmi-ari" and not (gold.cluster >= 0).any():
            raise InputError(
                f"no mention has a known gold cluster, and {self} needs some; choose another aim"
            )

    def ranks(self, curve: ThresholdCurve) -> Floats:
        """How good each point of a curve is: rows to be compared from left to right, larger is better.

        Returns:
            Shape (n_points, 3). The first column is 1 where the bound is kept, 0 where it is not, and -inf where it
            cannot be said, or the threshold is not finite; where it is not kept, the second is how near it is.
        """
        bound = 0.0 if self.bound is None else self.bound
        if self.kind == "nmi-ari":
            first, second = curve.nmi_ari_mean, np.zeros(curve.n_points)
            kept: NDArray[np.bool_] = np.ones(curve.n_points, bool)
        elif self.kind == "nil-precision":
            kept = curve.nil_precision >= bound
            first, second = np.where(kept, curve.nil_recall, curve.nil_precision), curve.nil_precision
        else:
            kept = curve.wrong_links <= bound
            first, second = np.where(kept, curve.n_linked, -curve.wrong_links), -curve.wrong_links
        is_said = np.isfinite(curve.threshold) & np.isfinite(first) & np.isfinite(second)
        whether = np.where(is_said, kept.astype(np.float64), -np.inf)
        return np.round(np.column_stack([whether, np.nan_to_num(first), np.nan_to_num(second)]), _DIGITS)
