"""Plain numbers of a calibration file, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.errors import InputError


def number(fields: Mapping[str, Any], name: str) -> float:
    """A finite number.

    Raises:
        InputError: it is missing or something else.
    """
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{name} is {value!r}; expected a finite number")
    return float(value)


def numbers(fields: Mapping[str, Any], name: str, n: int | None = None) -> NDArray[np.float64]:
    """A list of finite numbers, of length ``n`` if that is given.

    Raises:
        InputError: it is missing or something else.
    """
    values = fields.get(name)
    if not isinstance(values, list) or any(
        isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value)
        for value in values
    ):
        raise InputError(f"{name} is no list of finite numbers")
    if n is not None and len(values) != n:
        raise InputError(f"{name} has {len(values)} numbers; expected {n}")
    return np.array(values, np.float64)
