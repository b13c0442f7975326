# SPDX-License-Identifier: Apache-2.0
"""Is this machine fit to measure, what disturbs it, what to change. Behind `cipherstone doctor`."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
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
from cipherstone.model.records import Machine


class Finding(msgspec.Struct, frozen=True):
    """One finding. `level`: `good`, `note` (known, handled by the method) or `bad` (act on it)."""

    name: str
    level: str
    seen: str
    advice: str = ""


def checks(output_root: Path, compiler: str | None, seconds: float = 1.0) -> list[Finding]:
    """Looks for `seconds` at the idle machine and lists what it found, in the order a person would act on it."""
    facts = machine_facts()
    return [
        *_disturbance(facts, seconds),
        _pinning(),
        *_processor(facts),
        *_meters(facts),
        _judged("compiler", compiler or "none found", "" if compiler else _NO_COMPILER),
        _output(output_root),
    ]


_NO_COMPILER = "install one: `apt-get install gcc` or your system's word for it"


def _judged(name: str, seen: str, advice: str, otherwise: str = "bad") -> Finding:
    """`good` where there is no advice."""
    return Finding(name, otherwise if advice else "good", seen, advice)


def _disturbance(facts: Machine, seconds: float) -> Iterator[Finding]:
    """What others do here now."""
    before, started = steal_and_total_ticks(), time.monotonic()
    jitter = _wakeup_jitter_us(seconds)
    after = steal_and_total_ticks()
    load = load_1min()
    if load is None:
        yield Finding("load", "note", "unknown")
    else:
        busy = load > 0.5 * facts.logical_cpus
        advice = "other programs are running: stop them, or expect more retried passes" if busy else ""
        yield _judged("load", f"{load:.2f} over the last minute", advice)
    if before and after and after[1] > before[1]:
        steal = (after[0] - before[0]) / (after[1] - before[1])
        seen = f"{steal:.1%} of CPU time taken by the host in {time.monotonic() - started:.1f} s"
        yield _judged("steal", seen, "the host is overcommitted: measure at another time" if steal > 0.02 else "")
    late = "something holds the CPU for milliseconds" if jitter > 2000 else ""
    yield _judged("wake-up jitter", f"{jitter:.0f} us at worst in {seconds:.0f} s", late)


def _pinning() -> Finding:
    cpus, cpu = allowed_cpus(), measuring_cpu()
    if cpu is None:
        return Finding(
            "pinning", "note", "this system has no CPU affinity", "workers are not pinned; intervals will be wider"
        )
    if len(cpus) < 2:
        advice = "the orchestrator shares the CPU with the worker that it waits for"
        return Finding("pinning", "note", f"one CPU only ({cpu})", advice)
    return Finding("pinning", "good", f"workers on CPU {cpu}, the orchestrator elsewhere ({len(cpus)} CPUs)")


def _processor(facts: Machine) -> Iterator[Finding]:
    """How the processor is run; what the system does not say is left out."""
    neighbours = "neighbours come and go: the probes tell, and contended passes are retried"
    yield _judged("hypervisor", facts.hypervisor or "none seen", neighbours if facts.hypervisor else "", "note")
    if facts.governor is not None:
        advice = "`cpupower frequency-set -g performance` (root) narrows absolute times; ratios do not need it"
        yield _judged("governor", facts.governor, "" if facts.governor == "performance" else advice, "note")
    if facts.turbo is not None:
        advice = "absolute times move with temperature; cycles and ratios do not"
        yield _judged("turbo", facts.turbo, advice if facts.turbo == "on" else "", "note")
    if facts.smt is not None:
        advice = "a busy sibling thread slows throughput-bound code; the probes tell"
        yield _judged("SMT", facts.smt, advice if facts.smt in ("on", "1") else "", "note")
    if facts.autogroup == "1":
        advice = "nice has no effect across sessions; harmless on a quiet machine"
        yield Finding("autogroup", "note", "on (kernel.sched_autogroup_enabled = 1)", advice)


def _meters(facts: Machine) -> Iterator[Finding]:
    """What counts energy, cycles and time."""
    energy, why_not = find_counters()
    seen = ", ".join(counter.name for counter in energy) or why_not
    yield _judged("energy", seen, "" if energy else "a run has no energy of a call", "note")
    chain = "cycles come from the calibrated addition chain" if facts.counters.startswith("none") else ""
    yield _judged("counters", facts.counters, chain, "note")
    clock = read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    if clock is not None:
        slow = "a slow clock source: boot with tsc" if clock in ("hpet", "acpi_pm") else ""
        yield _judged("clock source", clock, slow)


def _output(folder: Path) -> Finding:
    advice = "choose another folder with --output"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
        writable = os.access(folder, os.W_OK)
    except OSError as error:
        return Finding("output", "bad", f"{folder}: {error.strerror}", advice)
    seen = f"{folder}: {free / 1e9:.1f} GB free" + ("" if writable else ", not writable")
    return _judged("output", seen, advice if free < 200e6 or not writable else "")


def _wakeup_jitter_us(seconds: float) -> float:
    """The latest that a 1 ms sleep came back, in microseconds over what was asked."""
    worst, end = 0.0, time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        time.sleep(0.001)
        worst = max(worst, time.monotonic() - now - 0.001)
    return worst * 1e6
