"""Compilation of inner loops, with the machine code kept on disk where there is a place for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function on its first call and keep the result on disk; other threads go on while it runs.

    Without a folder to write to (a read-only installation, a user without a home) the function is compiled in
    every process anew: slower to start, otherwise the same.
    """
    from numba import njit  # takes a while to import

    try:
        return cast(Function, njit(cache=True, nogil=True)(function))
    except RuntimeError:
        return cast(Function, njit(nogil=True)(function))
