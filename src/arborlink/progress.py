"""Progress bars on standard error for long work; silent where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Advance = Callable[[int], None]


class Bar(Protocol):
    """A bar on the screen, or nothing where nobody watches."""

    def advance(self, n: int, note: str | None = None) -> None:
        """Count n items more, and say something new behind the numbers."""
        ...


@contextmanager
def progress_bar(description: str, total: int, enabled: bool | None = None) -> Iterator[Advance]:
    """A bar with rate and time left; call the yielded function with the number of items just done.

    Args:
        description: what is being counted, in the user's words.
        total: how many there are.
        enabled: show it; ``None`` shows it only on a terminal.
    """
    with noted_bar(description, total, enabled) as bar:
        yield bar.advance


@contextmanager
def noted_bar(description: str, total: int, enabled: bool | None = None) -> Iterator[Bar]:
    """The same, with room for a note behind the numbers."""
    if enabled is None:
        enabled = sys.stderr is not None and sys.stderr.isatty()
    if not enabled or total == 0:
        yield _NoBar()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        yield _RichBar(bar, bar.add_task(description, total=total, note=""))


class _NoBar:
    def advance(self, n: int, note: str | None = None) -> None:
        pass


class _RichBar:
    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task

    def advance(self, n: int, note: str | None = None) -> None:
        self._progress.advance(self._task, n)
        if note is not None:
            self._progress.update(self._task, note=note)
