# SPDX-License-Identifier: Apache-2.0
"""Is this machine fit to measure, what disturbs it, what to change. Behind `cipherstone doctor`."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import msgspec

from cipherstone.host.energy import find_counters
from cipherstone.host.facts import (
    allowed_cpus,
    load_1min,
    machine_facts,
    measuring_cpu,
    steal_and_total_ticks,
)
from cipherstone.host.reading import read_text


class Check(msgspec.Struct, frozen=True):
    """One finding. `level`: `good`, `note` (known, handled by the method) or `bad` (act on it)."""

    name: str
    level: str
    seen: str
    advice: str = ""


def checks(output_root: Path, compiler: str | None, seconds: float = 1.0) -> list[Check]:
    """Looks for `seconds` at the idle machine and lists what it found, in the order a person would act on it."""
    facts = machine_facts()
    found: list[Check] = []
    add = found.append
    before, started = steal_and_total_ticks(), time.monotonic()
    jitter = _wakeup_jitter_us(seconds)
    after = steal_and_total_ticks()

    load = load_1min()
    if load is None:
        add(Check("load", "note", "unknown"))
    else:
        busy = load > 0.5 * facts.logical_cpus
        add(
            Check(
                "load",
                "bad" if busy else "good",
                f"{load:.2f} over the last minute",
                "other programs are running: stop them, or expect more retried passes" if busy else "",
            )
        )
    if before and after and after[1] > before[1]:
        steal = (after[0] - before[0]) / (after[1] - before[1])
        add(
            Check(
                "steal",
                "bad" if steal > 0.02 else "good",
                f"{steal:.1%} of CPU time taken by the host in {time.monotonic() - started:.1f} s",
                "the host is overcommitted: measure at another time" if steal > 0.02 else "",
            )
        )
    add(
        Check(
            "wake-up jitter",
            "bad" if jitter > 2000 else "good",
            f"{jitter:.0f} us at worst in {seconds:.0f} s",
            "something holds the CPU for milliseconds" if jitter > 2000 else "",
        )
    )

    cpus = allowed_cpus()
    cpu = measuring_cpu()
    if cpu is None:
        add(
            Check(
                "pinning", "note", "this system has no CPU affinity", "workers are not pinned; intervals will be wider"
            )
        )
    elif len(cpus) < 2:
        add(
            Check(
                "pinning",
                "note",
                f"one CPU only ({cpu})",
                "the orchestrator shares the CPU with the worker that it waits for",
            )
        )
    else:
        add(Check("pinning", "good", f"workers on CPU {cpu}, the orchestrator elsewhere ({len(cpus)} CPUs)"))

    if facts.hypervisor:
        add(
            Check(
                "hypervisor",
                "note",
                facts.hypervisor,
                "neighbours come and go: the probes tell, and contended passes are retried",
            )
        )
    else:
        add(Check("hypervisor", "good", "none seen"))
    if facts.governor is not None:
        fixed = facts.governor == "performance"
        add(
            Check(
                "governor",
                "good" if fixed else "note",
                facts.governor,
                ""
                if fixed
                else "`cpupower frequency-set -g performance` (root) narrows absolute times; ratios do not need it",
            )
        )
    if facts.turbo is not None:
        add(
            Check(
                "turbo",
                "note" if facts.turbo == "on" else "good",
                facts.turbo,
                "absolute times move with temperature; cycles and ratios do not" if facts.turbo == "on" else "",
            )
        )
    if facts.smt is not None:
        on = facts.smt in ("on", "1")
        add(
            Check(
                "SMT",
                "note" if on else "good",
                facts.smt,
                "a busy sibling thread slows throughput-bound code; the probes tell" if on else "",
            )
        )
    if facts.autogroup == "1":
        add(
            Check(
                "autogroup",
                "note",
                "on (kernel.sched_autogroup_enabled = 1)",
                "nice has no effect across sessions; harmless on a quiet machine",
            )
        )
    energy, why_not = find_counters()
    seen = ", ".join(counter.name for counter in energy) or why_not
    advice = "" if energy else "a run has no energy of a call"
    add(Check("energy", "good" if energy else "note", seen, advice))
    add(
        Check(
            "counters",
            "note" if facts.counters.startswith("none") else "good",
            facts.counters,
            "cycles come from the calibrated addition chain" if facts.counters.startswith("none") else "",
        )
    )
    clock = read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    if clock is not None:
        slow = clock in ("hpet", "acpi_pm")
        add(
            Check(
                "clock source", "bad" if slow else "good", clock, "a slow clock source: boot with tsc" if slow else ""
            )
        )
    add(
        Check(
            "compiler",
            "good" if compiler else "bad",
            compiler or "none found",
            "" if compiler else "install one: `apt-get install gcc` or your system's word for it",
        )
    )
    try:
        output_root.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(output_root).free
        writable = os.access(output_root, os.W_OK)
        low = free < 200e6 or not writable
        add(
            Check(
                "output",
                "bad" if low else "good",
                f"{output_root}: {free / 1e9:.1f} GB free" + ("" if writable else ", not writable"),
                "choose another folder with --output" if low else "",
            )
        )
    except OSError as error:
        add(Check("output", "bad", f"{output_root}: {error.strerror}", "choose another folder with --output"))
    return found


def _wakeup_jitter_us(seconds: float) -> float:
    """The latest that a 1 ms sleep came back, in microseconds over what was asked."""
    worst, end = 0.0, time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        time.sleep(0.001)
        worst = max(worst, time.monotonic() - now - 0.001)
    return worst * 1e6
