"""Work in threads, so that the event loop stays free: few at a time, few that wait, none for ever."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from arborlink.service.problems import RefusalError, try_later

T = TypeVar("T")
_WAITED = "the request waited too long for its turn; try again in a moment"


class Workers:
    """A pool of threads with a bounded queue before it.

    A thread cannot be stopped: what takes too long is answered as such and keeps its place until it is done, so that
    no more than ``n_working`` are ever at work.

    Args:
        name: of the threads.
        n_working: how many work at a time.
        n_waiting: how many may wait; more are turned away with 503.
        max_seconds: until a request is answered without its result, its wait included; ``None`` is never.
    """

    def __init__(self, name: str, n_working: int, n_waiting: int, max_seconds: float | None = None) -> None:
        self._pool = ThreadPoolExecutor(n_working, thread_name_prefix=f"arborlink-{name}")
        self._room = n_working + n_waiting
        self._max_seconds = max_seconds
        self._inside: set[Future[Any]] = set()
        self._changed = threading.Condition()

    @property
    def n_inside(self) -> int:
        """Requests that work or wait."""
        return len(self._inside)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of work done in a thread.

        Raises:
            RefusalError: there is no room (503), or the time is up: before it was begun (503) or after (504).
        """
        future = self._submit(work)
        waiting = asyncio.wrap_future(future)
        waiting.add_done_callback(_looked_at)
        done, _ = await asyncio.wait({waiting}, timeout=self._max_seconds)
        if done:
            return waiting.result()
        if future.cancel():
            raise try_later("overloaded", _WAITED)
        message = f"the work took longer than {self._max_seconds:g} seconds; ask for less at a time"
        raise RefusalError(504, "too_slow", message)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        deadline = None if self._max_seconds is None else time.monotonic() + self._max_seconds

        def begin() -> T:
            if deadline is not None and time.monotonic() > deadline:
                raise try_later("overloaded", _WAITED)
            return work()

        with self._changed:
            if len(self._inside) >= self._room:
                raise try_later("overloaded", "too many requests are waiting; try again in a moment")
            try:
                future = self._pool.submit(begin)
            except RuntimeError:
                raise try_later("overloaded", "the service is stopping; try again when it is back") from None
            self._inside.add(future)
        # the place is free when the thread is, which may be later than the answer
        future.add_done_callback(self._leave)
        return future

    def _leave(self, future: Future[Any]) -> None:
        with self._changed:
            self._inside.discard(future)
            self._changed.notify_all()

    def close(self, seconds: float) -> bool:
        """Take no more work, and wait for what is running; whether it was done in time."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._changed:
            return self._changed.wait_for(lambda: not self._inside, timeout=seconds)


def _looked_at(waiting: asyncio.Future[Any]) -> None:
    """An error that comes after the answer is nobody's business any more."""
    if not waiting.cancelled():
        waiting.exception()
