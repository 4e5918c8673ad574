"""The course of a training: what happened in each epoch, where the best model is, what a resumed run must know."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arborlink.files import write_text

COURSE_FILE = "course.json"
MINED_FILE = "mined.safetensors"


@dataclass
class Epoch:
    """One epoch.

    Args:
        number: from 1.
        loss: mean over its steps.
        n_steps: how many.
        n_sequences: texts encoded with gradients.
        seconds: of mining, training and evaluation.
        dev: what dev says after it: accuracy, recall, mode, neighbours and every choice; empty without dev.
    """

    number: int
    loss: float = 0.0
    n_steps: int = 0
    n_sequences: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    dev: dict[str, Any] = field(default_factory=dict)

    def spend(self, what: str, seconds: float) -> None:
        """Count time."""
        self.seconds[what] = self.seconds.get(what, 0.0) + seconds

    @property
    def total_seconds(self) -> float:
        """All of it."""
        return sum(self.seconds.values())

    @property
    def accuracy(self) -> float | None:
        """On dev, with the best inference."""
        return self.dev.get("accuracy")

    def line(self, n_epochs: int) -> str:
        """What it did, in one line."""
        training = max(self.seconds.get("training", 0.0), 1e-9)
        parts = [f"epoch {self.number}/{n_epochs}: loss {self.loss:.4f}"]
        if self.dev:
            way = self.dev["mode"]
            way += "" if way == "independent" else f", k = {self.dev['neighbours']}"
            recall = next(key for key in self.dev if key.startswith("recall@"))
            parts.append(f"dev accuracy {100 * self.dev['accuracy']:.1f} ({way})")
            parts.append(f"{recall} {100 * self.dev[recall]:.1f}")
        parts.append(f"{self.total_seconds:.1f} s ({self.n_sequences / training:,.0f} texts/s")
        shares = ", ".join(f"{what} {spent:.1f} s" for what, spent in sorted(self.seconds.items()))
        return ", ".join(parts) + f"; {shares})"


@dataclass
class Course:
    """All epochs so far.

    Args:
        epochs: finished ones and the one that is running.
        losses: (step, mean loss since the last entry).
    """

    epochs: list[Epoch] = field(default_factory=list)
    losses: list[tuple[int, float]] = field(default_factory=list)

    @property
    def best(self) -> Epoch | None:
        """The epoch to keep: the last of those that dev cannot tell from the most accurate one.

        That is, within one standard error of it. On few dev mentions the most accurate of several epochs is so by
        chance, and of equals the one that has learned longest is worth more.
        """
        top = self.top
        if top is None:
            return None
        least = (top.accuracy or 0.0) - top.dev.get("accuracy_standard_error", 0.0)
        return [epoch for epoch in self.epochs if epoch.accuracy is not None and epoch.accuracy >= least][-1]

    @property
    def top(self) -> Epoch | None:
        """The first epoch with the highest accuracy on dev."""
        judged = [epoch for epoch in self.epochs if epoch.accuracy is not None]
        return max(judged, key=lambda epoch: (epoch.accuracy, -epoch.number)) if judged else None

    def epochs_without_gain(self) -> int:
        """Epochs since the most accurate one."""
        return self.epochs[-1].number - self.top.number if self.top is not None else 0

    def write(self, folder: Path) -> None:
        """Written last of all that a checkpoint holds: a folder without it was left half written."""
        with write_text(folder / COURSE_FILE) as stream:
            json.dump(asdict(self), stream, indent=1)

    @classmethod
    def read(cls, folder: Path) -> Course:
        """Read what :meth:`write` wrote."""
        content = json.loads((folder / COURSE_FILE).read_text(encoding="utf-8"))
        return cls(
            [Epoch(**epoch) for epoch in content["epochs"]],
            [(int(step), float(loss)) for step, loss in content["losses"]],
        )
