"""Reliability and answers as a picture: plain SVG, readable on light and on dark ground."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

import numpy as np

from arborlink.calibration.fitting import Calibrated
from arborlink.calibration.report import Trial
from arborlink.confidence import AnswerCurve
from arborlink.evaluation.metrics import reliability

_WIDTH, _HEIGHT = 800, 440
_TOP, _BOTTOM, _SIDE = 90, 380, 290
_LEFTS = (70, 470)
_MOST_ERROR = 0.3
_STYLE = """
  .ground { fill: #ffffff } text { font: 13px system-ui, sans-serif; fill: #1f2430 } .title { font-weight: 600 }
  .axis { stroke: #1f2430; fill: none } .grid { stroke: #d7dbe2 } .small { font-size: 12px }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round } .ideal { stroke: #1f2430; stroke-dasharray: 4 3 }
  .a { stroke: #0b62a8 } .b { stroke: #b3470b; stroke-dasharray: 7 4 }
  .dot { fill: #ffffff; stroke-width: 2; stroke-dasharray: none }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14171d } text { fill: #e8eaef } .axis, .ideal { stroke: #e8eaef } .dot { fill: #14171d }
    .grid { stroke: #343a46 } .a { stroke: #6db7ff } .b { stroke: #ff9f5e }
  }
"""


def draw_reliability(made: Calibrated) -> str:
    """What was said against what was so, and the share answered by target error, as an SVG text.

    Both are of mentions that took no part in what judged them.
    """
    inference = made.calibration.inference
    title = f"{inference.mode}, {inference.neighbours} neighbour{'' if inference.neighbours == 1 else 's'}"
    kinds = [
        (label, style, trial)
        for label, style, trial in (
            ("links: the link is right", "a", made.links),
            ("mentions left unlinked: the entity is new", "b", made.new),
        )
        if trial is not None
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{escape(f'{title}: reliability of probabilities, and answers by target error')}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{_WIDTH}" height="{_HEIGHT}"/>',
        _text(_LEFTS[0], 26, f"{title}; probabilities on documents held out", "title"),
        *_legend([(label, style) for label, style, _ in kinds]),
        *_panel(_LEFTS[0], 1.0, "probability", "share that was so"),
        f'<path class="ideal" d="M{_LEFTS[0]} {_BOTTOM}L{_LEFTS[0] + _SIDE} {_TOP}"/>',
        *_panel(_LEFTS[1], _MOST_ERROR, "target error", "share answered"),
    ]
    for _, style, trial in kinds:
        parts += [_reliability_line(trial, style), _answer_line(trial, style)]
        parts += _target_dot(trial, made.calibration.target_error, style)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _reliability_line(trial: Trial, style: str) -> str:
    bins = reliability(trial.probability, trial.outcome)
    return _line(
        zip(bins.probability.tolist(), bins.share_right.tolist(), strict=True), _LEFTS[0], 1.0, style
    )


def _answer_line(trial: Trial, style: str) -> str:
    targets = np.linspace(0.005, _MOST_ERROR, 60).tolist()
    shares = [_share_answered(trial, target) for target in targets]
    return _line(zip(targets, shares, strict=True), _LEFTS[1], _MOST_ERROR, style)


def _target_dot(trial: Trial, target: float, style: str) -> list[str]:
    if target > _MOST_ERROR:
        return []
    x, y = _place(target, _share_answered(trial, target), _LEFTS[1], _MOST_ERROR)
    return [f'<circle class="dot {style}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>']


def _share_answered(trial: Trial, target: float) -> float:
    least = AnswerCurve.of(trial.probability, trial.outcome).least_probability(target)
    return 0.0 if least is None else float(np.mean(trial.probability >= least))


def _place(across: float, up: float, left: int, most: float) -> tuple[float, float]:
    return left + across / most * _SIDE, _BOTTOM - up * (_BOTTOM - _TOP)


def _line(points: Iterable[tuple[float, float]], left: int, most: float, style: str) -> str:
    places = (_place(across, up, left, most) for across, up in points)
    return f'<path class="line {style}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>'


def _panel(left: int, most: float, across: str, up: str) -> list[str]:
    parts = []
    for tick in np.linspace(0, 1, 6).tolist():
        _, y = _place(0, tick, left, most)
        parts.append(f'<path class="grid" d="M{left} {y:.1f}h{_SIDE}"/>')
        parts.append(_text(left - 8, y + 4, f"{tick:.1f}", "small", "end"))
    for tick in np.arange(0, most + 1e-9, 0.2 if most == 1 else 0.05).tolist():
        x, _ = _place(tick, 0, left, most)
        parts.append(f'<path class="axis" d="M{x:.1f} {_BOTTOM}v5"/>')
        parts.append(_text(x, _BOTTOM + 20, f"{tick:.2g}", "small", "middle"))
    parts.append(f'<path class="axis" d="M{left} {_TOP}V{_BOTTOM}h{_SIDE}"/>')
    parts.append(_text(left + _SIDE / 2, _BOTTOM + 42, across, "", "middle"))
    parts.append(_text(left, _TOP - 12, up, "small"))
    return parts


def _legend(kinds: Sequence[tuple[str, str]]) -> list[str]:
    parts = []
    for number, (label, style) in enumerate(kinds):
        x = _LEFTS[0] + 230 * number
        parts.append(f'<path class="line {style}" d="M{x} 48h30"/>')
        parts.append(_text(x + 38, 52, label, "small"))
    return parts


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(text)}</text>'
