"""Progress bars on standard error for long work; silent where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]


@contextmanager
def progress_bar(description: str, total: int, enabled: bool | None = None) -> Iterator[Advance]:
    """A bar with rate and time left; call the yielded function with the number of items just done.

    Args:
        description: what is being counted, in the user's words.
        total: how many there are.
        enabled: show it; ``None`` shows it only on a terminal.
    """
    if enabled is None:
        enabled = sys.stderr is not None and sys.stderr.isatty()
    if not enabled or total == 0:
        yield lambda n: None
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
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(description, total=total)
        yield lambda n: bar.advance(task, n)
