"""Results sorted into rows: all seeds of a run on a data set, and the rows that are still to be run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.experiments.results import RERANKED_VARIANTS, VARIANTS, Result

DATA_SETS = ("medmentions", "wikis", "bc5cdr")
BASELINES = ("look-up", "bm25", "untrained")
TRAININGS = ("in-batch", "knn", "arborescence", "joint", "paper")
ROWS = (*BASELINES, *TRAININGS, "default model", "default, leave one out")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """The results of one run on one data set, one for each seed; none if it was not run.

    Args:
        name: what it is called in the tables.
        data_set: which data set.
        results: whole results, by seed.
        variant: which of the ways it was measured in: a key of ``VARIANTS``.
    """

    name: str
    data_set: str
    results: tuple[Result, ...]
    variant: str = ""

    @property
    def is_reranked(self) -> bool:
        """Whether a re-ranker had the last word."""
        return self.variant in RERANKED_VARIANTS

    @property
    def seeds(self) -> list[int]:
        """The seeds it was run with."""
        return [result["seed"] for result in self.results]

    def of(self, protocol: str) -> list[dict[str, Any]]:
        """What every seed says about ``linking``, ``hidden`` and so on; empty where that was not measured."""
        sides = [result["evaluation"][self.data_set] for result in self.results]
        if self.variant:
            sides = [side[self.variant] for side in sides if side.get(self.variant)]
        return [side[protocol] for side in sides if side.get(protocol)]

    def mean(self, protocol: str, *path: str) -> float | None:
        """The mean over seeds of a figure; ``None`` where no seed has it."""
        values = [value for each in self.of(protocol) if (value := _at(each, path)) is not None]
        return float(np.mean(values)) if values else None

    def values(self, protocol: str, *path: str) -> list[Any]:
        """A figure of every seed that has it."""
        return [value for each in self.of(protocol) if (value := _at(each, path)) is not None]

    def per_document(self, protocol: str, *path: str) -> Floats | None:
        """Counts for each document, the mean over seeds; float64, shape (n_documents,)."""
        found = self.values(protocol, "documents", *path)
        return np.mean(np.array(found, dtype=np.float64), axis=0) if found else None

    def mode(self, protocol: str = "linking") -> str | None:
        """The mode that dev chose, with most seeds; of equals the first."""
        chosen = [each["mode"] for each in self.of(protocol)]
        return max(chosen, key=chosen.count) if chosen else None


def rows_of(results: Sequence[Result], data_set: str, expected: Sequence[str] = ROWS) -> list[Row]:
    """The rows of a data set: the expected ones in their order, run or not, then all others by name.

    Results with a limit on documents are trials and not among them.
    """
    found: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if data_set in result["evaluation"] and result["limit"] is None:
            found.setdefault((result["row"], result["run"]), []).append(result)
    names = [name for name, _ in found]
    rows = [
        Row(name if names.count(name) == 1 else f"{name} ({run})", data_set, tuple(own))
        for (name, run), own in found.items()
    ]
    rows += [
        Row(f"{row.name}{shown}", data_set, own, variant)
        for row in list(rows)
        for variant, shown in VARIANTS.items()
        if variant
        and (own := tuple(each for each in row.results if each["evaluation"][data_set].get(variant)))
    ]
    rows += [Row(name, data_set, ()) for name in expected if name not in names]
    order = {name: place for place, name in enumerate(expected)}
    variants = list(VARIANTS)

    def place(row: Row) -> tuple[int, str, int]:
        known = row.results[0]["row"] if row.results else row.name
        base = row.name.removesuffix(VARIANTS[row.variant])
        return order.get(known, len(order)), base, variants.index(row.variant)

    return sorted(rows, key=place)


def data_sets_of(results: Sequence[Result]) -> list[str]:
    """The data sets to report: the three, then others that were run."""
    others = {name for result in results if result["limit"] is None for name in result["evaluation"]}
    return [*DATA_SETS, *sorted(others - set(DATA_SETS))]


def _at(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value
