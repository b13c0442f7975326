# SPDX-License-Identifier: Apache-2.0
"""Which clocks are found out: workers whose claims are scaled, held against the CPU time that the system counts, beside so many programs that only compute.

    python -m bench.clockrate WORKER --busy 0 20 --factors 0.5 0.95 0.99 1 --trials 20

In `empty` the worker lies about the empty calls of a process; in the other cases about one operation, over the turns of a pass. A row counts how many were `caught`, had `no figure` (nobody is accused), or `passed`.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import msgspec

from cipherstone.measure.rounds import HARNESS_CASE, Contestant, LaneCrashed, _Turns, calibrate, harness_cost_ns
from cipherstone.model.errors import WorkerError
from cipherstone.model.records import Settings
from cipherstone.protocol.messages import Batch
from cipherstone.stats.probes import ipc
from cipherstone.worker import WorkerProcess

CASES: dict[str, tuple[str, dict[str, str], bool]] = {
    "64 bytes": ("sha-256/hash", {"msg": "gen:1:64"}, False),
    "16 KiB": ("sha-256/hash", {"msg": "gen:1:16384"}, False),
    "256 KiB": ("sha-256/hash", {"msg": "gen:1:262144"}, False),
    "2 MiB": ("sha-256/hash", {"msg": "gen:1:2097152"}, False),
    "16 MiB": ("sha-256/hash", {"msg": "gen:1:16777216"}, False),
    "one by one": ("x25519/keygen", {}, True),
}


class Scaled(WorkerProcess):
    """A worker whose claims are multiplied by `factor` in the cases of `lies`."""

    factor = 1.0
    lies: Callable[[int], bool] = staticmethod(lambda case: True)

    def run(self, case: int, *more: Any, **options: Any) -> Batch:
        """As asked, with other times."""
        told = super().run(case, *more, **options)
        if not self.lies(case):
            return told
        each = tuple(max(1, round(one * self.factor)) for one in told.each)
        cpu = None if told.cpu_ns is None else round(told.cpu_ns * self.factor)
        return msgspec.structs.replace(
            told, ns=sum(each) if each else max(1, round(told.ns * self.factor)), each=each, cpu_ns=cpu
        )


def begun(command: list[str], cpu: int, factor: float, everywhere: bool) -> WorkerProcess:
    """A fresh process. Raises WorkerError."""
    worker = Scaled(command, cpu=cpu)
    worker.factor = factor
    worker.lies = lambda case: everywhere or case < HARNESS_CASE
    worker.hello()
    harness_cost_ns(worker)
    return worker


def judged(command: list[str], cpu: int, factor: float, case: str) -> str:
    """What becomes of a process that lies in one case, or in everything (`empty`)."""
    try:
        worker = begun(command, cpu, factor, case == "empty")
    except WorkerError as error:
        return "caught" if "its clock runs" in error.message else error.message
    with worker:
        if case == "empty":
            return "not judged" if worker.clock_note else "passed"
        operation, inputs, alone = CASES[case]
        worker.prepare(0, operation, "default", inputs)
        level = worker.probe(64)
        fast = sorted(ipc([x or 0.0 for x in level.chain_ns or ()], [x or 0.0 for x in level.tput_ns or ()]))
        quiet = 0.97 * fast[len(fast) // 2] if len(fast) else None
        proven: Any = SimpleNamespace(
            worker=worker, number=0, ring=1, cold=False, parted=False, count=lambda calls: None
        )
        try:
            settings = Settings()
            gate: Any = SimpleNamespace(quiet=quiet, wait_us=settings.wait_us, late=lambda: False)
            ns = calibrate("one", proven, settings.batch_us * 1e3)
            turns = _Turns(Contestant("one", proven, ns, alone), settings, random.uniform(0.9, 1.1))
            for index in range(turns.planned):
                turns.take(index, gate)
            turns.need_true_times()
        except LaneCrashed:
            return "caught"
        return f"no figure: {turns.samples().doubt}" if turns.samples().doubt else "passed"


def main() -> None:
    """One row for each load, case and factor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("worker", nargs="+")
    parser.add_argument("--busy", type=int, nargs="+", default=[0, 20])
    parser.add_argument("--factors", type=float, nargs="+", default=[0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 1.0])
    parser.add_argument("--cases", nargs="+", default=["empty", *CASES])
    parser.add_argument("--trials", type=int, default=20)
    given = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, set(cpus[:-1]) or set(cpus))
    for busy in given.busy:
        hogs = [subprocess.Popen([sys.executable, "-c", "while 1: pass"]) for _ in range(busy)]
        for hog in hogs:
            os.sched_setaffinity(hog.pid, cpus)
        time.sleep(3 if busy else 0)
        try:
            for case in given.cases:
                for factor in given.factors:
                    began = time.monotonic()
                    found = Counter(judged(given.worker, cpus[-1], factor, case) for _ in range(given.trials))
                    each_ms = (time.monotonic() - began) / given.trials * 1e3
                    row = ", ".join(f"{count} {what}" for what, count in sorted(found.items()))
                    print(f"busy {busy:3d}  {case:10}  {factor:5.2f}  {row}  ({each_ms:.0f} ms each)", flush=True)
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()


if __name__ == "__main__":
    main()
