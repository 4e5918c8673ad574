"""Threshold curves for the page, from the file of ``arborlink tune --output`` or from a tuning in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arborlink.errors import InputError
from arborlink.files import read_lines

_VERSION = 1
_COLUMNS = ("threshold", "nmi_ari_mean", "nil_precision", "nil_recall", "nil_f1", "accuracy", "n_discovered")
_HOW = "give the file that `arborlink tune --output` wrote"


def read_curves(path: str | Path) -> dict[str, Any]:
    """The file of ``arborlink tune --output``, as :meth:`arborlink.discovery.Tuning.to_json` gives it.

    Raises:
        InputError: it is not such a file.
    """
    path = Path(path)
    try:
        found = json.loads("\n".join(line for _, line in read_lines(path)))
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error}); {_HOW}", path) from error
    try:
        curves_for_page(found)
    except InputError as error:
        raise error.at(path) from error
    return dict(found)


def curves_for_page(tuning: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a tuning that the page draws.

    Raises:
        InputError: it is no tuning, or one of another version.
    """
    if not isinstance(tuning, Mapping) or not isinstance(tuning.get("curves"), list):
        raise InputError(f"holds no threshold curves; {_HOW}")
    if tuning.get("version") != _VERSION:
        raise InputError(
            f"curves of version {tuning.get('version')!r}, but this ArborLink reads version {_VERSION}; {_HOW}"
        )
    try:
        chosen = {key: tuning["chosen"][key] for key in ("mode", "neighbours", "threshold")}
        curves = [_curve(curve) for curve in tuning["curves"]]
        return {"aim": str(tuning["aim"]), "chosen": chosen, "curves": curves}
    except (KeyError, TypeError) as error:
        raise InputError(f"curves that lack something ({error}); {_HOW}") from error


def _curve(curve: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of equal length, without the first point at infinity, where nothing is joined."""
    columns = {name: list(curve[name]) for name in _COLUMNS}
    if len({len(column) for column in columns.values()}) != 1:
        raise InputError(f"a curve whose columns are not of one length; {_HOW}")
    shown = [number for number, threshold in enumerate(columns["threshold"]) if threshold is not None]
    return {
        "mode": str(curve["mode"]),
        "neighbours": int(curve["neighbours"]),
        "is_exact": bool(curve["is_exact"]),
        **{name: [column[number] for number in shown] for name, column in columns.items()},
    }
