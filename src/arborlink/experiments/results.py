"""Results on disk: one JSON file for each run and seed, whole or not there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arborlink.errors import InputError
from arborlink.files import write_text
from arborlink.partition import Mode

VERSION = 1
MODES: tuple[Mode, ...] = ("independent", "undirected", "directed", "minimax")
RECALL_AT = 64
DRAW_UNIT = 1e-5
"""Means of NMI and ARI are kept for every draw as whole numbers of this unit: two runs are compared by them."""
Result = dict[str, Any]
_RERANKER = "reranker"
EXAMPLES, RERANKED, EXAMPLES_RERANKED = "examples", "reranked", "examples_reranked"
VARIANTS = {
    "": "",
    EXAMPLES: " + examples",
    RERANKED: " + re-ranker",
    EXAMPLES_RERANKED: " + examples + re-ranker",
}
"""Ways to measure one model: the field of the figures, those of the plain one being on top, and what rows add."""
AFTER_RERANKING = {"": RERANKED, EXAMPLES: EXAMPLES_RERANKED}
"""What a variant becomes when a re-ranker has the last word."""
RERANKED_VARIANTS = tuple(AFTER_RERANKING.values())


@dataclass(frozen=True)
class ResultFile:
    """The file of a run's result.

    Args:
        folder: of all results.
        run: the run's name.
        seed: its seed.
        limit: documents of each split, for a trial; a trial never stands where a result would.
    """

    folder: Path
    run: str
    seed: int
    limit: int | None = None

    @property
    def path(self) -> Path:
        """Where it is."""
        trial = "" if self.limit is None else f"-limit{self.limit}"
        return self.folder / f"{self.run}-seed{self.seed}{trial}.json"

    def is_finished(self) -> bool:
        """Whether there is a result; it takes its name only when it is whole."""
        return self.path.is_file()

    def changed_settings(self, config: dict[str, dict[str, Any]] | None) -> list[str]:
        """Settings of the trainings that are now others than when the result was made."""
        before, now = read_result(self.path)["config"] or {}, config or {}
        changed = [
            f"{section}.{name}"
            for section, own in now.items()
            for name, value in own.items()
            if before.get(section, {}).get(name, value) != _rounded(value)
        ]
        return [*changed, _RERANKER] if (_RERANKER in before) != (_RERANKER in now) else changed

    def write(self, result: Result) -> None:
        """Write it in one step: a line for each field, so that versions can be compared."""
        with write_text(self.path) as stream:
            stream.write(_lines(_rounded(result)) + "\n")


def read_results(folder: Path) -> list[Result]:
    """All results in a folder, by run and seed.

    Raises:
        InputError: there is no such folder, or a file in it is no result of this version.
    """
    if not folder.is_dir():
        raise InputError("is no folder; `arborlink experiment run` writes results into one", folder)
    found = [read_result(path) for path in sorted(folder.glob("*.json"))]
    return sorted(found, key=lambda result: (result["run"], result["seed"]))


def read_result(path: Path) -> Result:
    """One result.

    Raises:
        InputError: it is none of this version.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read as JSON: {error}; run it again", path) from error
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise InputError(f"is no result of version {VERSION}; run it again with --again", path)
    return content


def _lines(value: Any, depth: int = 0) -> str:
    """Objects one field a line, down to lists and small objects, which stand on one."""
    compact = json.dumps(value, separators=(", ", ": "), allow_nan=False)
    is_open = isinstance(value, dict) and value and len(compact) > 100
    if not is_open:
        return (
            json.dumps(value, separators=(",", ":"), allow_nan=False) if isinstance(value, list) else compact
        )
    inner = " " * (depth + 1)
    fields = [f"{inner}{json.dumps(key)}: {_lines(own, depth + 1)}" for key, own in value.items()]
    return "{\n" + ",\n".join(fields) + "\n" + " " * depth + "}"


def _rounded(value: Any) -> Any:
    """Floats in seven significant digits: more would say nothing."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {str(key): _rounded(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(own) for own in value]
    return value
