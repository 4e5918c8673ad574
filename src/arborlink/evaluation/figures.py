"""An evaluation: named figures, each with a value or with the reason why it has none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

Group = Literal["linking", "candidates", "discovery", "calibration", "counts"]
Value = float | int | str | None


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    Args:
        key: its name in ``Evaluation.to_dict()`` and in the documentation.
        value: ``None`` where it cannot be computed.
        group: the heading it stands under.
        note: what it was counted over; for ``None``, why there is no value.
    """

    key: str
    value: float | int | None
    group: Group
    note: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of one set of predictions, and the protocol they were counted by.

    Example:
        >>> accuracy = Figure("accuracy", 0.75, "linking", "of 4 linkable mentions")
        >>> evaluation = Evaluation("linkable mentions only", (accuracy,))
        >>> evaluation["accuracy"], evaluation.to_dict()["protocol"]
        (0.75, 'linkable mentions only')
    """

    protocol: str
    figures: tuple[Figure, ...]

    primary: ClassVar[str] = "accuracy"
    """The figure to look at first, and to choose models by."""

    def to_dict(self) -> dict[str, Value]:
        """One flat dictionary: the protocol, then every figure; ``None`` where there is no value."""
        return {"protocol": self.protocol} | {figure.key: figure.value for figure in self.figures}

    @property
    def reasons(self) -> dict[str, str]:
        """Why a figure has no value, by key, for those that have none."""
        return {figure.key: figure.note for figure in self.figures if figure.value is None}

    def group(self, name: Group) -> tuple[Figure, ...]:
        """The figures under one heading."""
        return tuple(figure for figure in self.figures if figure.group == name)

    def __getitem__(self, key: str) -> float | int | None:
        return {figure.key: figure.value for figure in self}[key]

    def __iter__(self) -> Iterator[Figure]:
        return iter(self.figures)
