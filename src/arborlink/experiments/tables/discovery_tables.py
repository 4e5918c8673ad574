"""Table 3: discovery, of hidden entities and of those that are really missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arborlink.evaluation.discovery_protocol.rows import METHODS
from arborlink.experiments.cluster_bootstrap import centred_interval
from arborlink.experiments.documents_bootstrap import Interval
from arborlink.experiments.results import DRAW_UNIT
from arborlink.experiments.tables.linking_tables import REFERENCES
from arborlink.experiments.tables.markdown import (
    NOT_RUN,
    NOTHING,
    difference,
    distinct,
    number,
    percent,
    table,
    with_interval,
)
from arborlink.experiments.tables.rows import Floats, Row


def discovery_table(rows: Sequence[Row], protocol: str) -> str:
    """Table 3 of a data set: every training by every method; ``*`` is the method that was best on dev."""
    headings = ["training", "inference", "k", "NMI", "ARI", "mean", "seeds"]
    if protocol == "missing":
        headings[-1:-1] = ["NIL F1", "accuracy"]
    lines: list[list[str]] = []
    for row in rows:
        if not row.of(protocol):
            lines.append([row.name, not_there(row)])
            continue
        for method in METHODS:
            cells = [
                row.name,
                method.replace("_", " ") + ("*" if method == best_method(row, protocol) else ""),
                distinct(row.values(protocol, "methods", method, "k")),
                number(row.mean(protocol, "methods", method, "nmi")),
                number(row.mean(protocol, "methods", method, "ari")),
                with_interval(
                    number(row.mean(protocol, "methods", method, "mean")),
                    mean_interval(row, protocol, method),
                    1,
                    3,
                ),
            ]
            if protocol == "missing":
                cells.append(number(row.mean(protocol, "methods", method, "nil_f1")))
                cells.append(percent(row.mean(protocol, "methods", method, "accuracy")))
            lines.append([*cells, distinct(row.seeds)])
    return table(headings, lines)


def discovery_difference_table(rows: Sequence[Row], protocol: str) -> str:
    """Each training by the method best on dev, less the references by theirs, on the same draws of documents."""
    references = [row for row in rows if row.name in REFERENCES]
    lines = []
    for row in rows:
        method = best_method(row, protocol)
        if method is None:
            lines.append([row.name, not_there(row)])
            continue
        shown = number(row.mean(protocol, "methods", method, "mean"))
        cells = [_difference(row, other, protocol) for other in references]
        lines.append([row.name, method.replace("_", " "), shown, *cells])
    headings = ["training", "method chosen on dev", "mean", *(f"less {row.name}" for row in references)]
    return table(headings, lines)


def not_there(row: Row) -> str:
    """What to say of a row without figures of a protocol."""
    return "not measured" if row.results else NOT_RUN


def best_method(row: Row, protocol: str) -> str | None:
    """The method with the best mean on dev, over seeds."""
    if not row.of(protocol):
        return None
    return max(METHODS, key=lambda method: row.mean(protocol, "methods", method, "dev_mean") or 0.0)


def mean_interval(row: Row, protocol: str, method: str) -> Interval | None:
    """The interval of the mean of NMI and ARI, its mean over seeds, documents drawn."""
    draws, value = _draws(row, protocol, method), row.mean(protocol, "methods", method, "mean")
    return None if draws is None or value is None else centred_interval(draws, value)


def _draws(row: Row, protocol: str, method: str) -> Floats | None:
    found = row.values(protocol, "methods", method, "draws")
    return np.mean(np.array(found, dtype=np.float64), axis=0) * DRAW_UNIT if found else None


def _difference(row: Row, other: Row, protocol: str) -> str:
    if row is other:
        return NOTHING
    method, against = best_method(row, protocol), best_method(other, protocol)
    if method is None or against is None:
        return not_there(other)
    ours, theirs = _draws(row, protocol, method), _draws(other, protocol, against)
    value = row.mean(protocol, "methods", method, "mean")
    subtracted = other.mean(protocol, "methods", against, "mean")
    counts = {each["counts"]["mentions"] for each in (*row.of(protocol), *other.of(protocol))}
    if ours is None or theirs is None or value is None or subtracted is None or len(counts) > 1:
        return "other documents"
    return difference(value - subtracted, centred_interval(ours - theirs, value - subtracted), 1, 3)
