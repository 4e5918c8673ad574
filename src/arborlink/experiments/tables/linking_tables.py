"""Tables 1 and 2: accuracy of linking, differences between trainings, recall of the candidates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arborlink.experiments.documents_bootstrap import (
    Interval,
    difference_interval,
    document_draws,
    share_interval,
)
from arborlink.experiments.results import MODES
from arborlink.experiments.tables.markdown import (
    NOT_RUN,
    NOTHING,
    difference,
    distinct,
    percent,
    table,
    with_interval,
)
from arborlink.experiments.tables.rows import Row

_KNOWN_PARTS = ("all", "seen", "unseen")
REFERENCES = ("in-batch", "knn", "untrained")


def accuracy_table(rows: Sequence[Row], protocol: str = "linking") -> str:
    """Table 1 of a data set: every training in every mode; ``*`` is the mode that dev chose."""
    parts = _parts(rows, protocol)
    headings = ["training", "inference", "k", "accuracy", "seen", "unseen", *parts, "seeds"]
    lines: list[list[str]] = []
    for row in rows:
        modes = [mode for mode in MODES if row.values(protocol, "modes", mode)]
        if not modes:
            lines.append([row.name, NOT_RUN])
        for mode in modes:
            accuracy = percent(row.mean(protocol, "modes", mode, "accuracy", "all"))
            lines.append(
                [
                    row.name,
                    mode + ("*" if mode == row.mode(protocol) else ""),
                    NOTHING if mode == "independent" else distinct(row.values(protocol, "modes", mode, "k")),
                    with_interval(accuracy, accuracy_interval(row, protocol, mode), 100, 1),
                    *(
                        percent(row.mean(protocol, "modes", mode, "accuracy", part))
                        for part in ("seen", "unseen", *parts)
                    ),
                    distinct(row.seeds),
                ]
            )
    return table(headings, lines)


def accuracy_interval(row: Row, protocol: str, mode: str) -> Interval | None:
    """The interval of the mean accuracy over seeds, documents drawn."""
    right = row.per_document(protocol, "right", mode, "all")
    linkable = row.per_document(protocol, "linkable", "all")
    if right is None or linkable is None:
        return None
    return share_interval(right, linkable, document_draws(len(linkable)))


def difference_table(rows: Sequence[Row], protocol: str = "linking") -> str:
    """Each training in the mode dev chose, less the references in theirs, on the same documents."""
    references = [row for row in rows if row.name in REFERENCES]
    lines = []
    for row in rows:
        mode = row.mode(protocol)
        if mode is None:
            lines.append([row.name, NOT_RUN])
            continue
        shown = percent(row.mean(protocol, "modes", mode, "accuracy", "all"))
        lines.append([row.name, mode, shown, *(_difference(row, other, protocol) for other in references)])
    headings = ["training", "mode chosen on dev", "accuracy", *(f"less {row.name}" for row in references)]
    return table(headings, lines)


def tie_table(rows: Sequence[Row], protocol: str = "linking") -> str | None:
    """What accuracy owes to the order of the knowledge base; ``None`` where no row has equally near entities."""
    lines = [
        [
            row.name,
            *(percent(row.mean(protocol, "ties", key)) for key in ("share", "file_order", "any_order")),
        ]
        for row in rows
        if row.mean(protocol, "ties", "share")
    ]
    headings = ["training", "mentions with equally near entities", "order of the file", "any order"]
    return table(headings, lines) if lines else None


def recall_table(by_data_set: dict[str, Sequence[Row]]) -> str:
    """Table 2: recall@64 of all linkable mentions, and of those whose entity train does not mention.

    A new order of the nearest 64 leaves it as it was, so rows with a re-ranker are left out.
    """
    names = list(
        dict.fromkeys(row.name for rows in by_data_set.values() for row in rows if not row.is_reranked)
    )
    lines = []
    for name in names:
        cells = [name]
        for rows in by_data_set.values():
            row = next((row for row in rows if row.name == name), None)
            all_of_them = None if row is None else row.mean("linking", "recall", "share", "all")
            unseen = None if row is None else row.mean("linking", "recall", "share", "unseen")
            cells += [NOT_RUN if all_of_them is None else percent(all_of_them), percent(unseen)]
        lines.append(cells)
    headings = ["training", *(f"{name}{part}" for name in by_data_set for part in ("", ", unseen"))]
    return table(headings, lines)


def _parts(rows: Sequence[Row], protocol: str) -> list[str]:
    """Types or worlds; a single one would say the same as the whole."""
    found = {part for row in rows for each in row.of(protocol) for part in each["documents"]["linkable"]}
    own = sorted(found - set(_KNOWN_PARTS))
    return own if len(own) > 1 else []


def _difference(row: Row, other: Row, protocol: str) -> str:
    if row is other:
        return NOTHING
    mode, against = row.mode(protocol), other.mode(protocol)
    if mode is None or against is None:
        return NOT_RUN
    documents = {each["documents"]["fingerprint"] for each in (*row.of(protocol), *other.of(protocol))}
    right = row.per_document(protocol, "right", mode, "all")
    subtracted = other.per_document(protocol, "right", against, "all")
    linkable = row.per_document(protocol, "linkable", "all")
    if len(documents) > 1 or right is None or subtracted is None or linkable is None:
        return "other documents"
    value = float(np.sum(right - subtracted) / max(1.0, float(np.sum(linkable))))
    interval = difference_interval(right, subtracted, linkable, document_draws(len(linkable)))
    return difference(value, interval, 100, 1)
