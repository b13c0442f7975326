# SPDX-License-Identifier: Apache-2.0
"""The judgement of a worker's clock in its slow, obvious form, from protocol/PROTOCOL.md section 5.1 and docs/decisions/0048; and a worker whose every turn comes from a seed, so that two judges see the same."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from obvious import median

from cipherstone.protocol.messages import Batch
from cipherstone.worker.claims import Seen, TurnOverhead
from cipherstone.worker.terms import PROBED, Terms

LIMIT = 0.96


@dataclass(frozen=True)
class Character:
    """A worker. `factor`: of the true time that it claims; `overhead_ns`: its own part of a turn; `noise`: of that part; `busy`: share of its turns that are interrupted; `hidden`: share of the claims of interrupted turns that the interruption hides."""

    factor: float
    call_ns: float
    overhead_ns: float
    noise: float
    busy: float
    sleeps: bool
    counts: bool = True
    dearer: float = 1.0  # the call of a later turn over that of the first ones


class Worker:
    """Its turns, one after the other. `seen`: what the system saw of the last one."""

    def __init__(self, character: Character, seed: int) -> None:
        self.character, self._rng = character, random.Random(seed)
        self.seen = Seen(0)
        self.asked: list[int] = []

    def turn(self, calls: int) -> int:
        """What it claims."""
        one = self.character
        self.asked.append(calls)
        true = calls * one.call_ns * (one.dearer if len(self.asked) > 3 else 1.0) * (1 + 0.002 * self._rng.random())
        used = round(true + one.overhead_ns * (1 + one.noise * self._rng.gauss(0, 1)))
        busy = self._rng.random() < one.busy
        waiting = self._rng.uniform(0, 2e6) if busy or one.sleeps else 0.0
        claimed = round(one.factor * true + (waiting if self._rng.random() < 0.7 else 0.0) * busy)
        self.seen = Seen(round(used + waiting), used if one.counts else None, 2 if busy or one.sleeps else 1)
        return claimed

    def run(self, case: int, calls: int, lead: int = 0, batches: int = 1, *, terms: Terms = PROBED) -> Batch:
        """Of empty calls: each further batch costs a quarter of the own part more."""
        claimed = self.turn(calls)
        if self.seen.cpu_ns is not None:
            more = round(self.character.overhead_ns / 4 * (batches - 1))
            self.seen = Seen(self.seen.wall_ns + more, self.seen.cpu_ns + more, self.seen.turns)
        return Batch(ns=claimed, failed=0)


class Looked(NamedTuple):
    claimed: float
    counted: float
    calm: bool


class Rate(NamedTuple):
    of_counted: float
    overhead_ns: float
    call_ns: float


Ask = Callable[[int], int]


def chosen(turns: Sequence[Looked], least: int) -> list[Looked]:
    """The undisturbed ones; where there is none those that claim no more than was counted, if they are enough."""
    calm = [one for one in turns if one.calm]
    humble = [one for one in turns if not one.calm and one.claimed <= one.counted]
    return humble if not calm and len(humble) >= least else calm


def share(turns: Sequence[Looked], overhead_ns: float) -> float:
    """What they claim over what was counted less their own part."""
    claimed = median(one.claimed for one in turns)
    counted = claimed + median(one.counted - one.claimed for one in turns) - overhead_ns
    return claimed / counted if counted > 0 else 1.0


def standard_error(values: Sequence[float]) -> float:
    """Of a median of normal values: 1.253 sigma / root n, with sigma from the quartiles."""
    ordered = sorted(values)
    cut = len(ordered) // 4
    return 1.253 * (ordered[len(ordered) - 1 - cut] - ordered[cut]) / 1.349 / len(ordered) ** 0.5


def rate(worker: Worker, ask: Ask, ns_per_call: float, by_cpu: bool, least_ns: float = 0.0) -> Rate | None:
    known: Rate | None = None
    for count, length in ((5, 1e6), (20, 2e6), (60, 2e6), (20, 5e5)):
        if known is not None and length == 5e5:
            return known  # shorter turns are for those who never had enough
        many = int(min(1e8, 1 + max(1, max(length, least_ns) / max(ns_per_call, 1e-9))))
        turns: dict[int, list[Looked]] = {1: [], many: []}
        for _ in range(4 * count):
            for calls, mine in turns.items():
                if sum(one.calm for one in mine) < count:
                    claimed, seen = ask(calls), worker.seen
                    if seen.cpu_ns is not None:
                        mine.append(Looked(claimed, seen.cpu_ns, by_cpu or seen.turns is None or seen.turns <= 1))
            if all(sum(one.calm for one in mine) >= count for mine in turns.values()):
                break
        short, long = (chosen(mine, count) for mine in turns.values())
        if len(short) < count or len(long) < count:
            continue
        beside = [[one.counted - one.claimed for one in mine] for mine in (short, long)]
        claimed = median(one.claimed for one in long) - median(one.claimed for one in short)
        counted = claimed + median(beside[1]) - median(beside[0])
        found = claimed / counted if counted > 0 else 1.0
        whole = median(one.claimed for one in long)
        ns_per_call = whole / many  # as it was claimed last: the next turns are as long by that
        error = 2 * math.sqrt(standard_error(beside[0]) ** 2 + standard_error(beside[1]) ** 2) / max(whole, 1.0)
        first = count == 5
        if found - (error if first else 0) >= LIMIT:
            return Rate(found, median(beside[0]), whole / many)
        if not first:
            known = Rate(found + error, median(beside[0]), whole / many)
            if known.of_counted < LIMIT:
                return known
    return known


def judged(found: Rate | None) -> str:
    return "too few" if found is None else "accused" if found.of_counted < LIMIT else ""


class OfPass(NamedTuple):
    """A turn of a pass: the reply and what was seen of it."""

    batch: Batch
    seen: Seen


def pass_turns(turns: Sequence[OfPass], by_cpu: bool, more: float) -> list[Looked]:
    """What they claim with their lead-in, which is counted and claimed by nobody; waiting is no computing. Of CPU time each turn tells."""
    found = []
    for batch, seen in turns:
        if seen.cpu_ns is None:
            continue
        used = max(0, seen.cpu_ns - (batch.waited_ns or 0))
        cpu = by_cpu and batch.cpu_ns is not None
        claimed = min(batch.cpu_ns or 0, batch.ns) if cpu else batch.ns
        calm = cpu or seen.turns is None or seen.turns <= 1
        if calm or claimed <= used:
            found.append(Looked(claimed * more, used, calm))
    calm_ones = [one for one in found if one.calm]
    return calm_ones if calm_ones or len(found) < 3 else found


def rate_problem(
    turns: Sequence[OfPass],
    own: TurnOverhead,
    worker: Worker,
    calls: int,
    lead: int,
    batches: int,
    known_ns: float,
    by_cpu: bool,
    spot: bool,
) -> str:
    """`accused`, `too few`, `doubted` or ""."""
    if not any(seen.cpu_ns is not None for _, seen in turns):
        return ""
    whole = calls * batches
    told = pass_turns(turns, by_cpu, (lead + whole) / whole)
    overhead_ns = own.ns + own.per_batch_ns * (batches - 1)
    unsure = max(12_000, own.unsure_ns)
    enough = len(told) >= 3
    clear = enough and share(told, overhead_ns - unsure) >= LIMIT
    if clear and not spot:
        return ""
    a_call = median(one.claimed for one in told) / (lead + whole) if told else 0.0
    surely = enough and overhead_ns + 2 * unsure <= 0.02 * median(one.claimed for one in told)
    found = None if by_cpu and surely else rate(worker, worker.turn, max(a_call, known_ns), by_cpu)
    if found is None and clear:
        return ""
    if found is None and surely:
        found = Rate(share(told, overhead_ns + 2 * unsure), overhead_ns, a_call)
    if judged(found):
        return judged(found)
    assert found is not None
    if enough:
        grown = max(overhead_ns, found.overhead_ns + own.per_batch_ns * (batches - 1)) + 2 * unsure
        less = found.call_ns > 0 and a_call / found.call_ns < LIMIT
        if share(told, grown) < 0.88 and less:
            return "doubted"
    return ""


def turn_overhead(worker: Worker) -> tuple[float, float, float] | None:
    """(of a turn of one batch, of each further batch, how unsure) by undisturbed turns of single empty calls: five of each, of twenty at most."""
    found = []
    for batches in (1, 8):
        calm: list[int] = []
        every: list[int] = []
        while len(calm) < 5 and len(every) < 20:
            worker.run(0, 1, 0, batches)
            if worker.seen.cpu_ns is None:
                return None
            every.append(worker.seen.cpu_ns)
            if worker.seen.turns == 1:
                calm.append(worker.seen.cpu_ns)
        found.append(sorted(calm or every))
    widths = [one[len(one) - 1 - len(one) // 4] - one[len(one) // 4] for one in found]
    return median(found[0]), max(0.0, (median(found[1]) - median(found[0])) / 7), max(widths) / 2
