# SPDX-License-Identifier: Apache-2.0
"""From the repetitions of a minimal loop to cycles per call, by its own chains of additions: one that waits (a cycle each) and one that does not.

Written apart from `stats.batches` and `stats.passvalue`, on purpose: what it is held against must not be computed by the same lines. Repetitions count whose two ends saw a free core.
Cycles, because two programs that run one after the other meet two clocks. The lower quartile, as everywhere here: disturbances that the probes do not see only add.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from cipherstone.model.agreement import FRESH, HEAP, KINDS, LIMIT, WORK, Repetitions

FREE = 1.03  # an addition among others, over a cycle, may be so much longer than on a free core
LEAST = 6  # repetitions
SLOW_NS = 3e6  # calls this long are counted by CPU time: hardly any ends without an interruption
SLOW_LEAST = 3
LEAST_OF_KIND = 3  # processes that did the same before


def widths(chain_ns: Sequence[float], wide_ns: Sequence[float]) -> list[float]:
    """Cycles of an addition among others at each reading: greater where another program computes on the core."""
    return [wide / chain for chain, wide in zip(chain_ns, wide_ns, strict=True)]


def quantile(values: Sequence[float], share: float) -> float:
    """Linear between neighbours (type 7). ValueError without values."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def call_cycles(taken: Repetitions, free: float, draws: bool = False) -> tuple[float | None, float | None, int]:
    """(cycles per call, ns per call, repetitions that counted). `free`: what `widths` are on a free core. `draws`: calls differ by what they draw, so that the median is meant. None of too few."""
    chain_ns, width = taken.chain_ns, widths(taken.chain_ns, taken.wide_ns)
    slow = min(taken.wall_ns) / taken.calls > SLOW_NS
    cycles, times = [], []
    for i, (wall, cpu) in enumerate(zip(taken.wall_ns, taken.cpu_ns, strict=True)):
        if max(width[i], width[i + 1]) > FREE * free:
            continue
        ends = chain_ns[i], chain_ns[i + 1]
        # An interrupted chain is longer, never shorter.
        cycle = sum(ends) / 2 if max(ends) <= 1.02 * min(ends) else min(ends)
        time = (cpu if slow else wall) / taken.calls - taken.empty_ns
        cycles.append(time / cycle)
        times.append(time)
    if len(cycles) < (SLOW_LEAST if slow else LEAST):
        return None, None, len(cycles)
    share = 0.5 if draws else 0.25
    return quantile(cycles, share), quantile(times, share), len(cycles)


def middle(values: Sequence[float]) -> float:
    """The median. ValueError without values."""
    return statistics.median(values)


class EmptyCall(NamedTuple):
    """Cycles of an empty call, which are taken off the figure: in our passes and in processes of the loop."""

    ours: float = 0.0
    loop: float = 0.0


NO_EMPTY = EmptyCall()


def reason_of(
    ours: Sequence[float], loop: Sequence[float], draws: bool, before: Sequence[str] = (), empty: EmptyCall = NO_EMPTY
) -> str:
    """What makes a difference, from passes of ours and processes of the loop, in cycles per call; "" for nothing known. `before`: what each process of the loop had done (`KINDS`).

    There are three reasons. One kind of process agrees with ours, and another kind is half of the difference away at least. Or the processes differ from each other by more than the difference, and overlap with ours.
    Or whole calls agree, and what is taken off for the empty call is another number in both programs.
    """
    if len(ours) < 3 or len(loop) < 3:
        return ""
    if told := _by_empty(middle(ours), middle(loop), empty):
        return told
    # What a short call takes is known to within what the empty call takes in the two programs: whole calls decide.
    ours, loop = [one + empty.ours for one in ours], [one + empty.loop for one in loop]
    low, high = quantile(loop, 0.1), quantile(loop, 0.9)
    off, spread = abs(middle(ours) / middle(loop) - 1), high / low - 1
    if not draws and (told := _by_kind(ours, loop, off, before)):
        return told
    if quantile(ours, 0.1) > high or low > quantile(ours, 0.9):
        return ""
    if draws:
        return f"calls differ by what they draw: processes of the loop by {100 * spread:.0f} %"
    return f"processes of the plain loop differ by {100 * spread:.1f} % among themselves" if spread > off else ""


def _by_empty(ours: float, loop: float, empty: EmptyCall) -> str:
    """Whether whole calls agree, and the empty calls make half of the difference at least."""
    whole, theirs = ours + empty.ours, loop + empty.loop
    if abs(whole / theirs - 1) > LIMIT or 2 * abs(empty.ours - empty.loop) < abs(ours - loop):
        return ""
    return f"what is taken off for an empty call differs, {empty.ours:.1f} and {empty.loop:.1f} cycles: whole calls take {whole:,.1f} and {theirs:,.1f}"


def _by_kind(ours: Sequence[float], loop: Sequence[float], off: float, before: Sequence[str]) -> str:
    """Whether one kind of process agrees with ours and another is half of the difference away from it, at least."""
    kinds = {name: [one for one, kind in zip(loop, before, strict=False) if kind == name] for name in KINDS}
    known = {name: values for name, values in kinds.items() if len(values) >= LEAST_OF_KIND}
    if len(known) < 2:
        return ""
    away = {name: abs(middle(values) / middle(ours) - 1) for name, values in known.items()}
    near, far = min(away, key=away.__getitem__), max(away, key=away.__getitem__)
    apart = abs(middle(known[far]) / middle(known[near]) - 1)
    overlap = quantile(ours, 0.1) <= max(known[near]) and min(known[near]) <= quantile(ours, 0.9)
    if not overlap or apart <= off / 2:
        return ""
    words = {FRESH: "in a fresh process", HEAP: "with a used heap", WORK: "after other work"}
    told = ", ".join(f"{middle(values):,.0f} {words[name]}" for name, values in known.items())
    return f"depends on what its process did before: cycles of the plain loop {told}; ours {middle(ours):,.0f}"
