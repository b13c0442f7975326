# SPDX-License-Identifier: Apache-2.0
"""What is counted and not timed: several processes at a time, each on a CPU of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event
from typing import TypeVar

from cipherstone.host.facts import allowed_cpus
from cipherstone.worker.process import end_workers

Item = TypeVar("Item")
Result = TypeVar("Result")
Cpus = Sequence[int | None]

MOST = 8  # at a time: each may hold hundreds of open connections


def counting_cpus(cpu: int | None) -> tuple[int | None, ...]:
    """The CPUs for it: the measuring one (`cpu`, which this process may be keeping off), and those that this process may run on; `(None,)` where neither is known."""
    known = sorted({*allowed_cpus(), *(() if cpu is None else (cpu,))})
    return tuple(known[:MOST]) or (None,)


def each(
    do: Callable[[Item, int | None], Result], items: Sequence[Item], cpus: Cpus, stop: Event | None = None
) -> Iterator[Result]:
    """`do(item, its CPU)` of every item, in their order, as many at a time as there are CPUs; one after the other in this very thread where there is one.

    A caller that wants no more of them, or is interrupted, sets `stop`, ends every worker of this program, and waits for what runs.
    """
    if len(cpus) < 2:
        for item in items:
            yield do(item, cpus[0] if cpus else None)
        return
    free: SimpleQueue[int | None] = SimpleQueue()
    for cpu in cpus:
        free.put(cpu)

    def one(item: Item) -> Result:
        cpu = free.get()
        try:
            return do(item, cpu)
        finally:
            free.put(cpu)

    with ThreadPoolExecutor(len(cpus)) as threads:
        try:
            for future in [threads.submit(one, item) for item in items]:
                yield future.result()
        except BaseException:
            if stop is not None:
                stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            end_workers()  # threads are waited for: what they wait for ends
            raise
