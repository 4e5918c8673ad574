"""The pictures of results: accuracy with intervals, threshold curves, efficiency against accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arborlink.experiments.pictures.frame import (
    COLOURS,
    LEFT,
    MARGIN,
    RIGHT,
    TOP,
    Scale,
    picture,
    text,
    width_of,
    x_axis,
    y_axis,
)
from arborlink.experiments.results import Result
from arborlink.experiments.tables.discovery_tables import best_method
from arborlink.experiments.tables.linking_tables import accuracy_interval
from arborlink.experiments.tables.rows import Row, data_sets_of, rows_of
from arborlink.experiments.tables.sizes_and_times import training_seconds

_LINE_HEIGHT = 26
_PLOT_HEIGHT = 300


def draw_all(results: Sequence[Result]) -> dict[str, tuple[str, str]]:
    """All pictures that the results give something for: title and SVG text, by the name of the file."""
    found: dict[str, tuple[str, str]] = {}
    for name in data_sets_of(results):
        rows = [row for row in rows_of(results, name) if row.results]
        drawn = {
            "accuracy": (f"Accuracy on {name}", accuracy_picture(rows, name)),
            "thresholds": (f"Discovery by threshold on dev of {name}", threshold_picture(rows, name)),
            "efficiency": (f"Time of training against accuracy on {name}", efficiency_picture(rows, name)),
        }
        for kind, (title, svg) in drawn.items():
            if svg is not None:
                found[f"results-{name}-{kind}.svg"] = title, svg
    return found


def accuracy_picture(rows: Sequence[Row], name: str) -> str | None:
    """Accuracy of each row in the mode that dev chose, with its interval over documents."""
    points = []
    for row in rows:
        mode = row.mode()
        value = None if mode is None else row.mean("linking", "modes", mode, "accuracy", "all")
        if mode is not None and value is not None:
            points.append((f"{row.name}, {mode}", value, accuracy_interval(row, "linking", mode)))
    if not points:
        return None
    ends = [end for _, value, interval in points for end in (interval or (value, value))]
    bottom = TOP + _LINE_HEIGHT * len(points)
    left = max(LEFT, MARGIN + width_of(max((label for label, _, _ in points), key=len)))
    scale = _wide(min(ends), max(ends), left + 12, RIGHT)
    parts = x_axis(scale, TOP - 6, bottom, "accuracy over linkable mentions, 95 % interval", _percent)
    for place, (label, value, interval) in enumerate(points):
        y = TOP + _LINE_HEIGHT * (place + 0.5)
        parts.append(text(left, y + 4, label, "small", "end"))
        if interval is not None:
            parts.append(
                f'<path class="bar c0" d="M{scale(interval[0]):.1f} {y:.1f}H{scale(interval[1]):.1f}"/>'
            )
        parts.append(f'<circle class="f0" cx="{scale(value):.1f}" cy="{y:.1f}" r="5"/>')
    return picture(f"Accuracy on {name}", bottom + 60, parts)


def threshold_picture(rows: Sequence[Row], name: str) -> str | None:
    """Mean of NMI and ARI over the threshold, on dev, by the method that was best there."""
    curves = []
    for row in rows:
        method = best_method(row, "missing")
        if method is not None:
            curve = row.of("missing")[0]["dev_curves"][method]
            chosen = row.of("missing")[0]["methods"][method]["threshold"]
            curves.append((f"{row.name}, {method.replace('_', ' ')}", _points(curve), chosen))
    curves = [each for each in curves if each[1]][: len(COLOURS)]
    if not curves:
        return None
    thresholds = [x for _, points, _ in curves for x, _ in points]
    values = [y for _, points, _ in curves for _, y in points]
    bottom = TOP + 20 + _PLOT_HEIGHT
    across = _wide(min(thresholds), max(thresholds), 70, RIGHT)
    up = _wide(min(values), max(values), bottom, TOP + 20)
    parts = x_axis(across, TOP + 20, bottom, "threshold: the least affinity of an edge", _short)
    parts += y_axis(up, 70, RIGHT, "(NMI + ARI) / 2 on dev; the circle is the threshold chosen", _short)
    for number, (label, points, chosen) in enumerate(curves):
        path = "L".join(f"{across(x):.1f} {up(y):.1f}" for x, y in points)
        parts.append(f'<path class="line c{number}" d="M{path}"/>')
        height = min(points, key=lambda point: abs(point[0] - chosen))[1]
        parts.append(f'<circle class="f{number}" cx="{across(chosen):.1f}" cy="{up(height):.1f}" r="5"/>')
        y = bottom + 66 + 20 * number
        parts.append(f'<path class="line c{number}" d="M70 {y}h40"/>')
        parts.append(text(120, y + 4, label))
    return picture(f"Discovery by threshold on {name}", bottom + 80 + 20 * len(curves), parts)


def efficiency_picture(rows: Sequence[Row], name: str) -> str | None:
    """Accuracy over the seconds of training, in the mode that dev chose."""
    points = []
    for row in rows:
        seconds, mode = training_seconds(row), row.mode()
        if seconds and mode is not None:
            value = row.mean("linking", "modes", mode, "accuracy", "all")
            points.append((row.name, seconds, value or 0.0))
    if not points:
        return None
    bottom = TOP + 20 + _PLOT_HEIGHT
    spent, values = [point[1] for point in points], [point[2] for point in points]
    across = Scale(min(spent) / 2, max(spent) * 2, 70, RIGHT, is_log=True)
    up = _wide(min(values), max(values), bottom, TOP + 20)
    parts = x_axis(across, TOP + 20, bottom, "seconds of training", _short)
    parts += y_axis(up, 70, RIGHT, "accuracy over linkable mentions", _percent)
    for label, seconds, value in points:
        x, y = across(seconds), up(value)
        side, anchor = (10, "start") if x < (70 + RIGHT) / 2 else (-10, "end")
        parts.append(f'<circle class="f0" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
        parts.append(text(x + side, y + 4, label, "small", anchor))
    return picture(f"Time of training against accuracy on {name}", bottom + 60, parts)


def _points(curve: dict[str, Any]) -> list[tuple[float, float]]:
    pairs = zip(curve["threshold"], curve["nmi_ari_mean"], strict=True)
    return [(x, y) for x, y in pairs if x is not None and y is not None]


def _wide(low: float, high: float, start: float, end: float) -> Scale:
    """A scale with some room on both sides."""
    room = max(0.08 * (high - low), 0.01)
    return Scale(low - room, high + room, start, end)


def _percent(value: float) -> str:
    return f"{100 * value:.4g}"


def _short(value: float) -> str:
    return f"{value:.4g}"
