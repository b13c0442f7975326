# SPDX-License-Identifier: Apache-2.0
"""Threads that do the work of several jobs: each keeps to its own, and helps when it has none left."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from contextlib import closing

import pytest

from cipherstone.execute.counting.thread_pool import ThreadPool

LONG_S = 60.0  # ends what hangs


def test_a_thread_keeps_to_one_job_and_then_helps() -> None:
    """Two jobs, two threads: each has one of its own; when the short one is done, its thread takes of the long one."""
    both, done = threading.Barrier(2), threading.Event()
    by: dict[str, list[int]] = {"short": [], "long": []}

    def work(job: str, meet: bool, wait: bool) -> None:
        by[job].append(threading.get_ident())
        if meet:
            both.wait(LONG_S)
        if wait:
            assert done.wait(LONG_S)

    with closing(ThreadPool(2)) as pool:
        # Each of the first two begins only when both threads are there, each at a job of its own.
        running = [pool.submit(0, lambda: work("long", True, True)), pool.submit(1, lambda: work("short", True, False))]
        running += [pool.submit(1, lambda: work("short", False, False)) for _ in range(3)]
        running += [pool.submit(0, lambda: work("long", False, False)) for _ in range(3)]
        running.append(pool.submit(0, done.set))  # which only a helper comes to, since the first waits for it
        for one in running:
            one.result(LONG_S)
    assert len(by["short"]) == len(by["long"]) == 4
    assert by["long"][0] != by["short"][0] and set(by["short"][1:]) == {by["short"][0]} == set(by["long"][1:])


def test_what_work_raises_is_raised_where_it_is_asked_for() -> None:
    def fails() -> int:
        raise ValueError("on purpose")

    with closing(ThreadPool(1)) as pool:
        failed, after = pool.submit(3, fails), pool.submit(3, lambda: 4)
        with pytest.raises(ValueError, match="on purpose"):
            failed.result(LONG_S)
        assert after.result(LONG_S) == 4


def test_what_was_not_begun_is_cancelled_when_it_is_left() -> None:
    begun, go = threading.Event(), threading.Event()

    def first() -> str:
        begun.set()
        assert go.wait(LONG_S)
        return "done"

    pool = ThreadPool(1)
    running, never = pool.submit(0, first), pool.submit(0, lambda: "never")
    assert begun.wait(LONG_S)
    threading.Timer(0.05, go.set).start()
    pool.close()
    assert running.result(LONG_S) == "done"
    with pytest.raises(CancelledError):
        never.result(LONG_S)
