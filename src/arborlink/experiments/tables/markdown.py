"""Tables in Markdown, and figures as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOT_RUN = "not run"
NOTHING = "–"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a row that is too short is filled up."""
    lines = [_line(headings), "|" + "---|" * len(headings)]
    lines += [_line([*row, *[NOTHING] * (len(headings) - len(row))]) for row in rows]
    return "\n".join(lines) + "\n"


def percent(value: float | None, digits: int = 1) -> str:
    """A share as points of a hundred."""
    return NOTHING if value is None else f"{100 * value:.{digits}f}"


def number(value: float | None, digits: int = 3) -> str:
    """A figure as it is."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def with_interval(shown: str, interval: tuple[float, float] | None, scale: float, digits: int) -> str:
    """A figure and the interval around it."""
    if interval is None:
        return shown
    low, high = (f"{scale * end:.{digits}f}" for end in interval)
    return f"{shown} ({low}–{high})"


def difference(value: float, interval: tuple[float, float] | None, scale: float, digits: int) -> str:
    """A difference with its sign; in bold if its interval leaves out zero."""
    shown = f"{scale * value:+.{digits}f}"
    if interval is None:
        return shown
    low, high = (f"{scale * end:+.{digits}f}" for end in interval)
    is_clear = interval[0] > 0 or interval[1] < 0
    return f"**{shown}** ({low} to {high})" if is_clear else f"{shown} ({low} to {high})"


def distinct(values: Iterable[object]) -> str:
    """Values of several seeds, each once, in order."""
    return ", ".join(dict.fromkeys(str(value) for value in values)) or NOTHING


def duration(seconds: float | None) -> str:
    """Seconds, or minutes and hours where they are many."""
    if seconds is None:
        return NOTHING
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
