# SPDX-License-Identifier: Apache-2.0
"""A pool of threads for several jobs side by side. Each thread keeps to one job as long as that has work: it has the job's emulators by then, and what they translated. One that has none left helps where fewest are."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class ThreadPool:
    """At most so many `threads`, which are started as work comes. Leave it by `close`."""

    def __init__(self, threads: int) -> None:
        self._most = threads
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._queues: dict[int, deque[tuple[Future[Any], Callable[[], Any]]]] = {}
        self._at: dict[int, int] = {}  # by thread, where it works
        self._closed = False

    def submit(self, job: int, call: Callable[[], T]) -> Future[T]:
        """What will come of a piece of work of a job; those of one job begin in the order in which they came."""
        future: Future[T] = Future()
        with self._changed:
            self._queues.setdefault(job, deque()).append((future, call))
            if len(self._threads) < self._most:
                self._threads.append(threading.Thread(target=self._work, args=(len(self._threads),), daemon=True))
                self._threads[-1].start()
            self._changed.notify()
        return future

    def close(self) -> None:
        """No thread begins anything more; waits until each has done what it has begun. What was not begun is cancelled."""
        with self._changed:
            self._closed = True
            for queue in self._queues.values():
                for future, _ in queue:
                    future.cancel()
                queue.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self, thread: int) -> None:
        while (one := self._next(thread)) is not None:
            future, call = one
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 -- raised where the result is asked for
                future.set_exception(error)

    def _next(self, thread: int) -> tuple[Future[Any], Callable[[], Any]] | None:
        """What a thread does next; None if nothing ever will be."""
        with self._changed:
            while not self._closed:
                at = self._at.pop(thread, None)
                left = [job for job, queue in self._queues.items() if queue]
                if left:
                    there = [*self._at.values()]
                    job = at if at in left else min(left, key=lambda one: (there.count(one), one))
                    self._at[thread] = job
                    return self._queues[job].popleft()
                self._changed.wait()
            return None
