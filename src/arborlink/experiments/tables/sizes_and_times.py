"""Tables 4 and 5: how large the data sets are; time against accuracy. And where every result comes from."""

from __future__ import annotations

from collections.abc import Sequence

from arborlink.experiments.results import MODES, Result
from arborlink.experiments.tables.markdown import NOT_RUN, NOTHING, distinct, duration, percent, table
from arborlink.experiments.tables.rows import Row

PAPER_HOURS = {"in-batch": "3.4 h", "knn": "18.5 h", "arborescence": "32.1 h"}
"""Training times that the paper reports for MedMentions with all of UMLS, on hardware of its time."""
_STEPS = ("encode_mentions", "encode_entities", "search", "vote", "rerank")


def statistics_table(results: Sequence[Result], data_sets: Sequence[str]) -> str:
    """Table 4: mentions, entities and zero-shot entities of each split."""
    headings = ["data set", "split", "documents", "mentions", "in the KB", "outside", "entities"]
    headings += ["not in train", "KB"]
    keys = ("documents", "mentions", "linkable", "outside", "entities", "zero_shot", "kb")
    lines = []
    for name in data_sets:
        whole = (result for result in results if result["limit"] is None)
        found = next((result["data"][name]["statistics"] for result in whole if name in result["data"]), None)
        if found is None:
            lines.append([name, NOT_RUN])
            continue
        for split, counts in found.items():
            lines.append([name, split, *(f"{counts[key]:,}" for key in keys)])
    return table(headings, lines)


def efficiency_table(rows: Sequence[Row], paper: bool) -> str:
    """Table 5 of a data set: seconds of training and of inference on test, and what they bought.

    Args:
        rows: the trainings.
        paper: give the hours that the paper reports beside them.
    """
    lines: list[list[str]] = []
    for row in rows:
        modes = [mode for mode in MODES if row.values("linking", "modes", mode)]
        if not modes:
            lines.append([row.name, NOT_RUN])
        for mode in modes:
            accuracy = percent(row.mean("linking", "modes", mode, "accuracy", "all"))
            spent = [duration(training_seconds(row)), duration(inference_seconds(row, mode))]
            hours = [PAPER_HOURS.get(row.name, NOTHING)] if paper else []
            lines.append([row.name, *spent[:1], *hours, mode, spent[1], accuracy, _machines(row)])
    headings = ["training", "time", *(["paper"] if paper else []), "inference", "time", "accuracy", "on"]
    return table(headings, lines)


def training_seconds(row: Row) -> float | None:
    """Seconds of training, its mean over seeds: mining and judging on dev included, reading not.

    Where a re-ranker had the last word, its training and the search for its candidates are added.
    """
    spent = [seconds for result in row.results if (seconds := _trained(result, row.is_reranked)) is not None]
    return sum(spent) / len(spent) if spent else None


def _trained(result: Result, with_reranker: bool) -> float | None:
    training = result["training"] or {}
    parts = [training["seconds"]["training"]] if "seconds" in training else []
    if with_reranker and "reranker" in training:
        own = training["reranker"]["seconds"]
        parts += [own["searching"], own["training"]]
    return sum(parts) if parts else None


def inference_seconds(row: Row, mode: str) -> float | None:
    """Seconds to encode mentions and entities of test, to search, re-rank and partition; mean over seeds."""
    partition = row.mean("linking", "modes", mode, "partition_seconds")
    steps = [row.mean("seconds", step) for step in _STEPS]
    return None if partition is None else partition + sum(step or 0.0 for step in steps)


def provenance_table(results: Sequence[Result]) -> str:
    """Every result: its file, commit, machine, and the command that made it."""
    lines = [
        [
            f"{result['run']}-seed{result['seed']}.json",
            str(result["provenance"]["commit"] or NOTHING),
            _machine(result),
            f"`{result['provenance']['command']}`",
        ]
        for result in results
    ]
    return table(["result", "commit", "machine", "command"], lines)


def _machines(row: Row) -> str:
    return distinct(_machine(result) for result in row.results)


def _machine(result: Result) -> str:
    machine = result["provenance"]["machine"]
    return str(machine["accelerator"] or f"{machine['cores']} CPU cores")
