"""What a result says about the run that made it: the version of the package, and how long each step took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str | None:
    """The version that is installed; a tree that was never installed has none."""
    try:
        return version("arborlink")
    except PackageNotFoundError:
        return None


@contextmanager
def timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    """Note how many seconds the step took, if it came to its end."""
    start = time.perf_counter()
    yield
    seconds[step] = time.perf_counter() - start
