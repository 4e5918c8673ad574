"""The end of the process at a chosen moment, without a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class KilledError(BaseException):
    """Stands for the end of the process."""


def dies_at(call: int, function: Any, counts: Callable[..., bool] = lambda *_: True) -> Any:
    """The function, the n-th call of which that counts ends it all."""
    n_calls = 0

    def wrapped(*arguments: Any, **options: Any) -> Any:
        nonlocal n_calls
        n_calls += counts(*arguments)
        if n_calls == call:
            raise KilledError
        return function(*arguments, **options)

    return wrapped
