# SPDX-License-Identifier: Apache-2.0
"""Cells: what became of each lane of a case, its figures, or the reason why there are none."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cipherstone.model.counts import Count, CountedTarget
from cipherstone.model.deviations import Deviation, deviation_words, joined, outcome_with
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import (
    CaseEndRecord,
    FactsRecord,
    FirstCallRecord,
    LaneBreadth,
    MemoryRecord,
    OutcomeRecord,
    ProcessRecord,
    ProofRecord,
)
from cipherstone.model.summary import CellSummary, Estimate, LevelSummary
from cipherstone.model.units import counted
from cipherstone.stats.distribution import distribution, latency
from cipherstone.stats.flags import BIMODAL, DRIFT, SLOW, drift
from cipherstone.stats.interval import SMALLEST_K, median_estimate
from cipherstone.stats.learning import learning
from cipherstone.stats.levels import TwoLevels, two_levels
from cipherstone.stats.pairing import LanePasses, PassFigure, itself, unseen
from cipherstone.stats.passvalue import clock_refusal
from cipherstone.views.run.firstcall import first_call_summary
from cipherstone.views.run.passes import PassValue

PassKey = tuple[int, float]  # pass index and start: a contended pass may be tried again under its index


@dataclass
class CaseValues:
    """The pass values of one case. `lanes[lane]`: rows with a figure by pass; `refused[lane]`: why a lane's last row gave none; `whole`: passes in which no lane fell short of undisturbed batches."""

    tried: set[PassKey] = field(default_factory=set)
    short: set[PassKey] = field(default_factory=set)
    lanes: dict[str, dict[PassKey, PassValue]] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    contended: dict[str, int] = field(default_factory=dict)
    _levels: dict[str, TwoLevels | None] = field(default_factory=dict)
    _numbers: dict[PassKey, int] = field(default_factory=dict)

    def add(self, row: PassValue) -> None:
        """Files a row; rows of one pass come in any order."""
        key = (row.pass_index, row.start_s)
        self.tried.add(key)
        self.seen[row.lane] = self.seen.get(row.lane, 0) + 1
        if row.floor_ns is not None:
            self.lanes.setdefault(row.lane, {})[key] = row
            return
        self.refused[row.lane] = row.refused
        if row.contended:
            self.contended[row.lane] = self.contended.get(row.lane, 0) + 1
            self.short.add(key)

    @property
    def valid(self) -> set[PassKey]:
        """Passes in which no lane fell short of undisturbed batches."""
        return self.tried - self.short

    def is_contended(self, lane: str) -> bool:
        """Whether undisturbed batches are what a lane without an interval lacks."""
        return len(self.lanes.get(lane, {})) < SMALLEST_K and self.contended.get(lane, 0) > 0

    def rows(self, lane: str) -> list[PassValue]:
        """Usable rows of a lane in pass order."""
        mine = self.lanes.get(lane, {})
        return [mine[key] for key in sorted(mine)]

    def passes_of(self, lane: str) -> LanePasses:
        """The lane as it is paired."""
        fast = self.at_low(lane)
        return LanePasses(
            {key_of(row): figure for row in self.rows(lane) if (figure := figure_of(row)) is not None},
            None if fast is None else frozenset(fast),
        )

    def number(self, key: PassKey) -> int:
        """The number of a pass among those that were tried, from 0, in order: what names it in a summary."""
        if len(self._numbers) != len(self.tried):
            self._numbers = {key: number for number, key in enumerate(sorted(self.tried))}
        return self._numbers[key]

    def levels(self, lane: str) -> TwoLevels | None:
        """The two speeds of a lane, None if it has one."""
        if lane not in self._levels:
            self._levels[lane] = two_levels(
                [row.spread_ns for row in self.rows(lane)], [row.turn_spread for row in self.rows(lane)]
            )
        return self._levels[lane]

    def at_low(self, lane: str) -> set[PassKey] | None:
        """The passes in which a lane whose processes keep one of two speeds has the faster one; None for any other lane."""
        levels = self.levels(lane)
        if levels is None or not levels.kept:
            return None
        keys = sorted(self.lanes[lane])
        return {keys[position] for position in levels.low_passes}


def key_of(row: PassValue) -> PassKey:
    """What names the pass of a row within its case."""
    return row.pass_index, row.start_s


def figure_of(row: PassValue) -> PassFigure | None:
    """A row as it is paired; None without a figure."""
    return None if row.floor_ns is None else PassFigure(row.floor_ns, row.clean_median_ns, row.long)


def _unseen(rows: Sequence[PassValue]) -> float:
    return unseen([figure for row in rows if (figure := figure_of(row)) is not None])


@dataclass
class CellRecords:
    """The records of a run that are not passes, indexed. `proofs` and `breadth` by (operation, lane), `outcomes`, `memory`, `firsts`, `told` and `processes` by (case, lane); `counts` and `targets` as they came."""

    proofs: dict[tuple[str, str], list[ProofRecord]] = field(default_factory=dict)
    breadth: dict[tuple[str, str], list[LaneBreadth]] = field(default_factory=dict)
    outcomes: dict[tuple[str, str], OutcomeRecord] = field(default_factory=dict)
    memory: dict[tuple[str, str], MemoryRecord] = field(default_factory=dict)
    firsts: dict[tuple[str, str], FirstCallRecord] = field(default_factory=dict)
    told: dict[tuple[str, str], FactsRecord] = field(default_factory=dict)
    processes: dict[tuple[str, str], list[ProcessRecord]] = field(default_factory=dict)
    counts: list[Count] = field(default_factory=list)
    targets: list[CountedTarget] = field(default_factory=list)
    ends: dict[str, CaseEndRecord] = field(default_factory=dict)

    def add_outcome(self, record: OutcomeRecord) -> None:
        """The last outcome counts, but `wrong` is never taken back."""
        known = self.outcomes.get((record.case, record.lane))
        if known is None or known.outcome is not Outcome.WRONG:
            self.outcomes[record.case, record.lane] = record

    def lanes_with_outcome(self) -> dict[str, list[str]]:
        """Case -> lanes that some outcome names, in order of appearance."""
        found: dict[str, list[str]] = {}
        for case, lane in self.outcomes:
            found.setdefault(case, []).append(lane)
        return found


def _twins(lane: str) -> tuple[str, str]:
    """The lane and the other process of the same implementation."""
    return (lane, lane[:-2]) if lane.endswith("#2") else (lane, lane + "#2")


def _failures(proof: ProofRecord) -> str:
    """The first failure of a proof and how many more there are."""
    if not proof.failures:
        return f"the check ended as {proof.outcome}"
    more = len(proof.failures) - 1
    return proof.failures[0] + (f" (and {more} more)" if more else "")


def cell_outcome(case: str, operation: str, lane: str, facts: CellRecords, measured: bool) -> tuple[Outcome, str]:
    """What became of a cell, and the detail.

    A wrong result, in a proof or later, makes the cell `wrong` for good, and its A/A twin with it: it is the same code. The proof speaks first: it names the vector. An outcome record comes next. A
    proof that failed in another way (crash, time-out) counts if nothing was measured; a worker that broke once and was started again stays timed. Else the vectors tell whether it is `ok`, `lax` or `strict`.
    """
    for name in _twins(lane):
        where = "" if name == lane else f"in {name}: "
        for proof in facts.proofs.get((operation, name), ()):
            if proof.outcome is Outcome.WRONG:
                return Outcome.WRONG, where + _failures(proof)
        for looked in facts.breadth.get((operation, name), ()):
            if looked.wrong:
                return Outcome.WRONG, where + "; ".join(looked.failures)
        record = facts.outcomes.get((case, name))
        if record is not None and record.outcome is Outcome.WRONG:
            return Outcome.WRONG, where + record.detail
    record = facts.outcomes.get((case, lane))
    if record is not None:
        return record.outcome, record.detail
    proofs = facts.proofs.get((operation, lane), [])
    if not measured and proofs and not proofs[-1].outcome.timed:
        return proofs[-1].outcome, _failures(proofs[-1])
    deviations = deviations_of(operation, lane, facts)
    return outcome_with(deviations), deviation_words(deviations)


def deviations_of(operation: str, lane: str, facts: CellRecords) -> tuple[Deviation, ...]:
    """What the proofs of a lane and of its A/A twin tell together: it is the same code."""
    return joined(d for name in _twins(lane) for p in facts.proofs.get((operation, name), ()) for d in p.deviations)


def refusal(values: CaseValues, lane: str, end: CaseEnd | None, clock_step_ns: float | None) -> str:
    """Why a cell that is timed has no figure, or "". The A/A rule, which concerns the whole case, is applied by the caller."""
    rows = values.rows(lane)
    if lane not in values.seen:
        if values.tried:
            return "not measured: no pass of this case holds this lane"
        because = (
            {
                CaseEnd.INTERRUPTED: "the run was interrupted before this case",
                CaseEnd.TIME_BOUND: "the time bound came before this case",
                CaseEnd.NO_LANES: "no lane of this case was left",
                CaseEnd.PROCESSES: "timed as whole processes alone",
            }.get(end)
            if end is not None
            else None
        )
        return f"not measured: {because or 'no pass of this case is on record'}"
    if len(rows) < SMALLEST_K:
        more = f"; the last other one: {values.refused[lane]}" if lane in values.refused else ""
        if not rows and values.seen[lane] >= SMALLEST_K:
            return values.refused[lane]
        return f"{counted(len(rows), 'pass', 'passes')} with a figure, {SMALLEST_K} needed for an interval{more}"
    if clock_step_ns is not None:
        return clock_refusal(clock_step_ns, statistics.median((r.floor_ns or 0.0) * r.calls for r in rows))
    return ""


def _cycles(values: CaseValues, lane: str, rows: Sequence[PassValue], chain_is_sound: bool) -> Estimate | None:
    """By the hardware counter where every pass has one, else from the calibrated chain, if that is sound. Of a lane whose processes keep one of two speeds, those of the faster one, as its time."""
    counted = [(r, r.counted_cycles) for r in rows if r.counted_cycles is not None]
    if len(counted) == len(rows) >= SMALLEST_K:
        return _at_the_faster(values, lane, counted)
    if not chain_is_sound:
        return None
    told = [(r, r.floor_ns / r.cycle_ns) for r in rows if r.floor_ns is not None and r.cycle_ns is not None]
    return _at_the_faster(values, lane, told) if len(told) >= SMALLEST_K else None


def _at_the_faster(values: CaseValues, lane: str, told: Sequence[tuple[PassValue, float]]) -> Estimate | None:
    """The median of one value a pass with its interval; for a lane whose processes keep one of two speeds the median of the passes at the faster one, and an interval that holds it."""
    estimate = median_estimate([value for _, value in told])
    fast = values.at_low(lane)
    if estimate is None or estimate.low is None or estimate.high is None or not fast:
        return estimate
    chosen = [value for row, value in told if key_of(row) in fast]
    value = statistics.median(chosen) if chosen else estimate.value
    return Estimate(value, min(estimate.low, value), max(estimate.high, value))


@dataclass(frozen=True)
class CaseBasis:
    """What the cells of a case are summed up from. `case`: its id, of `operation`. `refusal`: why no cell of it gets a figure, or "". `with_cycles`: whether the chain that cycles are counted by is sound. `clock_step_ns`: the largest step of the workers' clocks in ns, None: not known. `drawn`: calls differ by what they draw; `sides`: the operation is one side's part of a call."""

    case: str
    operation: str
    values: CaseValues
    facts: CellRecords
    refusal: str
    with_cycles: bool
    clock_step_ns: float | None
    drawn: bool = False
    sides: bool = False


def cell_summary(basis: CaseBasis, lane: str) -> CellSummary:
    """One cell. Counts of a proof are of the process that checked most."""
    case, operation, values, facts = basis.case, basis.operation, basis.values, basis.facts
    rows = values.rows(lane)
    end = facts.ends[case].end if case in facts.ends else None
    outcome, detail = cell_outcome(case, operation, lane, facts, bool(rows))
    refused = ""
    if outcome.timed:
        refused = refusal(values, lane, end, basis.clock_step_ns) or basis.refusal
    shown = rows if outcome.timed and not refused else []
    floors = [r.floor_ns for r in shown if r.floor_ns is not None]
    levels = values.levels(lane) if shown else None
    medians = [r.median_ns for r in shown if r.median_ns is not None]
    slow = any(r.slow for r in rows)
    flags = [name for name, raised in ((SLOW, slow), (DRIFT, drift(floors)), (BIMODAL, levels is not None)) if raised]
    proofs = facts.proofs.get((operation, lane), [])
    looked = [one for name in _twins(lane) for one in facts.breadth.get((operation, name), ())]
    calls = [ns for r in shown for ns in r.calls_ns] if basis.drawn or basis.sides else []
    return CellSummary(
        case=case,
        lane=lane,
        outcome=outcome,
        detail=detail,
        ns=_time(values, lane, shown),
        cycles=_cycles(values, lane, shown, basis.with_cycles),
        typical_ns=statistics.median(medians) if medians else None,
        pass_ns=tuple(floors),
        passes=tuple(values.number(key_of(r)) for r in shown if r.floor_ns is not None),
        pass_median_ns=tuple(r.clean_median_ns for r in shown if r.floor_ns is not None),
        long_passes=tuple(values.number(key_of(r)) for r in shown if r.floor_ns is not None and r.long),
        fast_passes=None
        if levels is None or not levels.kept
        else tuple(values.number(key) for key in sorted(values.at_low(lane) or ())),
        passes_used=len(floors),
        batches=sum(r.batches for r in shown),
        calls_per_batch=round(statistics.median(r.calls for r in rows)) if rows else 0,
        slow=slow,
        proof_accepted=max((p.accepted for p in proofs), default=0),
        proof_rejected=max((p.rejected for p in proofs), default=0),
        proof_oracle=max((p.oracle for p in proofs), default=0),
        breadth_genuine=sum(one.genuine for one in looked),
        breadth_forged=sum(one.forged for one in looked),
        breadth_wrong=sum(one.wrong for one in looked),
        proof_sources=tuple(dict.fromkeys(s for p in proofs for s in p.sources)),
        memory=facts.memory.get((case, lane)),
        first=first_call_summary(facts.firsts.get((case, lane))),
        facts=facts.told[case, lane].facts if (case, lane) in facts.told else {},
        flags=tuple(flags),
        distribution=distribution(calls) if basis.drawn else None,
        latency=latency(calls) if basis.sides else None,
        deviations=deviations_of(operation, lane, facts) if outcome.timed else (),
        refused=refused,
        levels=()
        if levels is None
        else (LevelSummary(levels.low, levels.low_share), LevelSummary(levels.high, levels.high_share)),
        levels_by="" if levels is None else levels.kept_by,
        learning=learning([(r.settling, r.floor_ns) for r in shown if r.floor_ns is not None]),
    )


def _time(values: CaseValues, lane: str, rows: Sequence[PassValue]) -> Estimate | None:
    """Median over passes with its interval; of the passes at the faster speed where processes keep one of two, so that the figure does not jump from run to run. Long calls: widened downwards."""
    estimate = _at_the_faster(values, lane, [(r, r.floor_ns) for r in rows if r.floor_ns is not None])
    if estimate is None or estimate.low is None:
        return estimate
    return Estimate(estimate.value, estimate.low / math.exp(_unseen(rows)), estimate.high)


def lanes_of(planned: Sequence[str], also: Iterable[str], seen: Iterable[str]) -> tuple[str, ...]:
    """Lane ids of a case: as planned, then those that outcomes or passes name; A/A lanes last."""
    names = list(dict.fromkeys((*planned, *also, *sorted(seen))))
    return tuple(sorted(names, key=lambda name: name.endswith("#2")))


def twin_pair(lanes: Sequence[str]) -> tuple[str, str] | None:
    """The A/A lane and its original, if the case has both."""
    for lane in lanes:
        if lane.endswith("#2") and lane[:-2] in lanes:
            return lane, lane[:-2]
    return None


def aa_estimate(values: CaseValues, lanes: Sequence[str]) -> Estimate | None:
    """Cost of the A/A lane over its original, at their faster speed where they keep one of two, widened for long calls; None without such a lane or without a common valid pass."""
    names = twin_pair(lanes)
    return None if names is None else itself(*map(values.passes_of, names))
