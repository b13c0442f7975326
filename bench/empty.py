# SPDX-License-Identifier: Apache-2.0
"""Cost of the empty operation: what the loop itself adds to every call."""

from __future__ import annotations

import statistics

from bench.field import Field
from bench.result import Result, tell
from cipherstone.measure.rounds import harness_cost_ns
from cipherstone.worker import WorkerProcess

ABOUT_S = 10
PROCESSES = 50


def run(field: Field, result: Result, fast: bool) -> None:
    """Every library's worker, in fresh processes, one library after another in each turn."""
    count = 5 if fast else PROCESSES
    costs: dict[str, list[float]] = {name: [] for name in field.found}
    with field.quiet():
        for number in range(count):
            for name, one in field.found.items():
                assert one.launch is not None
                with WorkerProcess(one.launch.command, cpu=field.cpu, environment=one.launch.environment) as worker:
                    worker.hello()
                    costs[name].append(harness_cost_ns(worker)[0])
            if number % 10 == 9:
                tell(f"  process {number + 1} of {count}")
    rows = [
        [name, f"{min(values):.3f}", f"{statistics.median(values):.3f}", f"{max(values):.3f}"]
        for name, values in costs.items()
    ]
    result.say(
        f"harness/empty, ns per call, {count} fresh processes of each worker (each the least of 5 trials of 50,000 calls):"
    )
    result.table(["worker", "min", "median", "max"], rows)
    result.say(
        "The cost is measured in every process of every pass, subtracted from each of its figures, and shown with the run's noise. "
        "What remains is its spread between processes."
    )
    middle = statistics.median(value for values in costs.values() for value in values)
    spread = max(statistics.quantiles(v, n=10)[-1] - statistics.quantiles(v, n=10)[0] for v in costs.values())
    result.say(f"Widest range of the middle 80 % of processes of one worker: {spread:.3f} ns.")
    below = middle < 1.0
    text = f"{middle:.2f} ns per call (median of all)" + ("" if below else ", subtracted and shown")
    result.check("below 1 ns, or subtracted and shown", text, True)
    result.data = {"ns_per_call": costs}
