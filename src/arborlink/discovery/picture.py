"""A curve as a picture: plain SVG, readable on light and on dark ground."""

from __future__ import annotations

from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from arborlink.discovery.choice import Choice
from arborlink.discovery.curve import Floats, ThresholdCurve

_WIDTH, _HEIGHT = 760, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 720, 84, 380
_LINES = (
    ("nmi_ari_mean", "mean of NMI and ARI", "a"),
    ("nil_f1", "NIL F1", "b"),
    ("accuracy", "accuracy", "c"),
)
_STYLE = """
  .ground { fill: #ffffff } text { font: 13px system-ui, sans-serif; fill: #1f2430 } .title { font-weight: 600 }
  .axis { stroke: #1f2430 } .grid { stroke: #d7dbe2 } .small { font-size: 12px }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round }
  .a { stroke: #0b62a8 } .b { stroke: #b3470b; stroke-dasharray: 7 4 } .c { stroke: #20713f; stroke-dasharray: 2 3 }
  .chosen { stroke: #1f2430; stroke-dasharray: 4 3 } .dot { fill: #ffffff; stroke-width: 2; stroke-dasharray: none }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14171d } text { fill: #e8eaef } .axis, .chosen { stroke: #e8eaef } .dot { fill: #14171d }
    .grid { stroke: #343a46 } .a { stroke: #6db7ff } .b { stroke: #ff9f5e } .c { stroke: #6fd397 }
  }
"""


def draw_curve(choice: Choice, aim: str) -> str:
    """The curve of a choice as an SVG text: three figures over the threshold, and the threshold that was chosen."""
    curve = choice.curve
    low, high = _range(curve)
    title = f"{curve.mode}, {curve.neighbours} neighbour{'' if curve.neighbours == 1 else 's'}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{escape(f'{title}: figures by threshold, {round(choice.threshold, 6)} chosen for {aim}')}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{_WIDTH}" height="{_HEIGHT}"/>',
        _text(_LEFT, 26, f"{title}; aim {aim}", "title"),
        *_axes(low, high),
        *_legend(),
        *(_line(curve, name, style, low, high) for name, _, style in _LINES),
        *_mark(choice, low, high),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _range(curve: ThresholdCurve) -> tuple[float, float]:
    finite = curve.threshold[np.isfinite(curve.threshold)]
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _x(threshold: float, low: float, high: float) -> float:
    return _LEFT + (threshold - low) / (high - low) * (_RIGHT - _LEFT)


def _y(value: float) -> float:
    return _BOTTOM - min(max(value, 0.0), 1.0) * (_BOTTOM - _TOP)


def _axes(low: float, high: float) -> list[str]:
    parts = []
    for tick in np.linspace(0, 1, 6):
        y = _y(float(tick))
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_RIGHT}"/>')
        parts.append(_text(_LEFT - 8, y + 4, f"{tick:.1f}", "small", "end"))
    for tick in np.linspace(low, high, 6):
        x = _x(float(tick), low, high)
        parts.append(f'<path class="axis" d="M{x:.1f} {_BOTTOM}v5"/>')
        parts.append(_text(x, _BOTTOM + 20, f"{tick:.3g}", "small", "middle"))
    parts.append(f'<path class="axis" fill="none" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}"/>')
    parts.append(
        _text((_LEFT + _RIGHT) / 2, _BOTTOM + 42, "threshold: the least affinity of an edge", "", "middle")
    )
    return parts


def _legend() -> list[str]:
    parts = []
    for number, (_, label, style) in enumerate(_LINES):
        x = _LEFT + 190 * number
        parts.append(f'<path class="line {style}" d="M{x} 48h30"/>')
        parts.append(_text(x + 38, 52, label, "small"))
    return parts


def _line(curve: ThresholdCurve, name: str, style: str, low: float, high: float) -> str:
    """One figure as steps, or straight between the points of a grid; not more points than the picture can show."""
    values: Floats = getattr(curve, name)
    shown = np.flatnonzero(np.isfinite(values) & np.isfinite(curve.threshold))
    if not len(shown):
        return ""
    shown = _seen(curve.threshold[shown], shown, low, high)
    points = [(_x(float(curve.threshold[point]), low, high), _y(float(values[point]))) for point in shown]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for x, y in points[1:]:
        path += f"H{x:.1f}V{y:.1f}" if curve.is_exact else f"L{x:.1f} {y:.1f}"
    return f'<path class="line {style}" d="{path}"/>'


def _seen(thresholds: Floats, points: NDArray[np.int64], low: float, high: float) -> NDArray[np.int64]:
    """Of the points in each column of the picture the last, which holds on."""
    columns = np.floor((thresholds - low) / (high - low) * (_RIGHT - _LEFT)).astype(np.int64)
    last = np.append(columns[1:] != columns[:-1], True)
    kept: NDArray[np.int64] = points[last]
    return kept


def _mark(choice: Choice, low: float, high: float) -> list[str]:
    x = _x(choice.threshold, low, high)
    dots = []
    for name, _, style in _LINES:
        value = choice.figures[name]
        if value is not None:
            dots.append(f'<circle class="dot {style}" cx="{x:.1f}" cy="{_y(value):.1f}" r="4"/>')
    anchor = "start" if x < (_LEFT + _RIGHT) / 2 else "end"
    shift = 6 if anchor == "start" else -6
    return [
        f'<path class="chosen" d="M{x:.1f} {_TOP - 8}V{_BOTTOM}"/>',
        *dots,
        _text(x + shift, _TOP - 6, f"chosen: {round(choice.threshold, 6)}", "small", anchor),
    ]


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(text)}</text>'
