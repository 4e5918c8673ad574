"""Standard output and error as the command finds them: closed, a broken pipe, of a narrow encoding."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console


def prepare_streams() -> None:
    """Give closed streams a place to write to, and print a sign that standard output lacks as a question mark."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (it stays to the end)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")


@contextmanager
def warnings_in_one_line() -> Iterator[None]:
    """Show warnings as the command's own remarks, without the place in the code."""
    before = warnings.showwarning
    warnings.showwarning = _show
    try:
        yield
    finally:
        warnings.showwarning = before


def console() -> Console:
    """A console on standard output that leaves a broken pipe to the command; rich would end it with status 1."""
    from rich.console import Console

    class PipedConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return PipedConsole(highlight=False, markup=False)


def is_unicode(encoding: str | None) -> bool:
    """Whether a stream of this encoding can take any character."""
    return (encoding or "").lower().replace("_", "-").startswith(("utf-8", "utf8", "utf-16", "utf-32"))


def _show(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"arborlink: {' '.join(str(message).splitlines())}", err=True)
