"""Compiled functions, with and without a place to keep them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import pytest

import arborlink
from arborlink.compiled import compiled


def double(number: int) -> int:
    return 2 * number


def test_a_compiled_function_gives_the_same() -> None:
    assert compiled(double)(21) == 42


def test_without_a_folder_for_the_cache_functions_are_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    real = numba.njit
    asked: list[dict[str, Any]] = []

    def njit(*functions: Any, **options: Any) -> Any:
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'double': no locator available")
        return real(*functions, **options)

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled(double)(21) == 42
    assert asked == [{"cache": True, "nogil": True}, {"nogil": True}]


def test_no_module_asks_for_the_cache_by_itself() -> None:
    """Without a folder for it numba would refuse to import the module."""
    package = Path(arborlink.__file__).parent
    asking = {path.name for path in package.rglob("*.py") if "njit(" in path.read_text(encoding="utf-8")}
    assert asking == {"compiled.py"}
