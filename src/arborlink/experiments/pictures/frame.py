"""What all pictures share: plain SVG, readable on light and on dark ground, axes with ticks, a legend."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP = 760, 270, 720, 60
MARGIN = 20
# Of a letter of small text, as the widest of usual fonts have it on average.
_LETTER = 6.8
COLOURS = ("#0b62a8", "#b3470b", "#20713f", "#8a3b9c", "#8c6d00", "#0f7c86", "#a3263f", "#5a6472")
_BRIGHT = ("#6db7ff", "#ff9f5e", "#6fd397", "#d99aea", "#e0c04a", "#62cbd6", "#ff8fa3", "#aab4c4")
DASHES = ("", "7 4", "2 3", "9 3 2 3", "5 2", "1 3", "12 4", "4 4")


@dataclass(frozen=True)
class Scale:
    """From values to places.

    Args:
        low: value at ``start``.
        high: value at ``end``.
        start: place.
        end: place.
        is_log: equal factors are equal distances.
    """

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value; those outside are put at the border."""
        turn: Callable[[float], float] = math.log if self.is_log else float
        low, high = turn(self.low), turn(self.high)
        share = (turn(min(max(value, self.low), self.high)) - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values between low and high."""
        if self.is_log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            wanted = [step * 10.0**power for power in powers for step in (1, 3)]
        else:
            step = _round_step((self.high - self.low) / 5)
            first = math.ceil(self.low / step - 1e-9)
            wanted = [step * number for number in range(first, math.floor(self.high / step + 1e-9) + 1)]
        return [value for value in wanted if self.low <= value <= self.high]


def picture(title: str, height: int, parts: Sequence[str]) -> str:
    """The whole SVG text."""
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
                f"<title>{escape(title)}</title>",
                f"<style>{_style()}</style>",
                f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
                text(MARGIN, 26, title, "title"),
                *parts,
                "</svg>",
            ]
        )
        + "\n"
    )


def text(x: float, y: float, content: str, style: str = "small", anchor: str = "start") -> str:
    """A line of text."""
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'


def width_of(content: str) -> float:
    """How wide a line of small text is at most."""
    return _LETTER * len(content)


def x_axis(scale: Scale, top: float, bottom: float, label: str, shown: Callable[[float], str]) -> list[str]:
    """Grid lines with their values below, and what they mean."""
    parts = []
    for tick in scale.ticks():
        x = scale(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {top}V{bottom}"/>')
        parts.append(text(x, bottom + 18, shown(tick), "small", "middle"))
    return [*parts, text((scale.start + scale.end) / 2, bottom + 40, label, "small", "middle")]


def y_axis(scale: Scale, left: float, right: float, label: str, shown: Callable[[float], str]) -> list[str]:
    """Grid lines with their values on the left, and what they mean above them."""
    parts = [text(left, min(scale.start, scale.end) - 12, label)]
    for tick in scale.ticks():
        y = scale(tick)
        parts.append(f'<path class="grid" d="M{left} {y:.1f}H{right}"/>')
        parts.append(text(left - 8, y + 4, shown(tick), "small", "end"))
    return parts


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step)) if step > 0 else 1.0
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= step * (1 - 1e-9))


def _style() -> str:
    light = " ".join(
        f".c{number} {{ stroke: {colour}; stroke-dasharray: {dash or 'none'} }} .f{number} {{ fill: {colour} }}"
        for number, (colour, dash) in enumerate(zip(COLOURS, DASHES, strict=True))
    )
    dark = " ".join(
        f".c{number} {{ stroke: {colour} }} .f{number} {{ fill: {colour} }}"
        for number, colour in enumerate(_BRIGHT)
    )
    return (
        ".ground { fill: #ffffff } text { font: 13px system-ui, sans-serif; fill: #1f2430 } "
        ".title { font-weight: 600 } .small { font-size: 12px } .grid { stroke: #d7dbe2 } "
        f".line {{ fill: none; stroke-width: 2 }} .bar {{ stroke-width: 2; stroke-dasharray: none }} {light} "
        "@media (prefers-color-scheme: dark) { .ground { fill: #14171d } text { fill: #e8eaef } "
        f".grid {{ stroke: #343a46 }} {dark} }}"
    )
