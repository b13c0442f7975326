# SPDX-License-Identifier: Apache-2.0
"""What the pages of recomputation leave out: cycles, typical times, speeds and who keeps them, learning, distributions, counts of a case, the noise panel. Of generated runs, against slow versions over their records."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import fmean

import memory_run
import obvious
import recompute
from generated_runs import DRAWN, GeneratedRun, examples, runs
from hypothesis import given
from memory_run import MemoryRun, number_of
from obvious import median, near, quantile
from recompute_figures import lanes_of_passes, pass_cycle

from cipherstone.model.estimate import Estimate
from cipherstone.model.records import LaneSamples, NoiseRecord, PassRecord
from cipherstone.model.summary import CellSummary, RunSummary
from cipherstone.views.run.passes import parts, pass_values
from cipherstone.views.run.summarise import summarise

assert memory_run.__file__  # its import is what finds recompute.py


def ends(one: Estimate | None) -> obvious.Told | None:
    return None if one is None else (one.value, one.low, one.high)


class Slow:
    """A run by its records and by the program that was written from the pages."""

    def __init__(self, one: GeneratedRun) -> None:
        self.kept = one.manifest.settings
        self.summary: RunSummary = summarise(one.manifest, one.records)
        self.run = MemoryRun(one.manifest, one.records, self.summary)
        self.cases = {case.name: case for case in recompute.cases_of(self.run)}
        self.batches = lanes_of_passes(self.run)
        self.records = [record for record in one.records if isinstance(record, PassRecord)]
        self.noise = [record for record in one.records if isinstance(record, NoiseRecord)]
        imul = [record.imul_ratio for record in self.noise if record.imul_ratio is not None]
        self.chain_is_sound = bool(imul) and abs(median(imul) / 3 - 1) <= 0.02

    def mine(self, case: str, lane: str) -> dict[int, tuple[LaneSamples, PassRecord]]:
        """By number the passes in which a lane has a figure."""
        figures = self.cases[case].values[lane].figures
        found = {
            number_of(record, self.records): (one, record)
            for record in self.records
            if record.case == case
            for one in record.lanes
            if one.lane == lane
        }
        return {number: found[number] for number in sorted(figures)}

    def period(self, case: str, number: int) -> float | None:
        return pass_cycle(self.batches[case, number].values())

    def harness(self, record: PassRecord, lane: str) -> float:
        place = [one.lane for one in record.lanes].index(lane)
        return record.harness_ns[place] if record.harness_ns else 0.0


def cycles(slow: Slow, case: str, lane: str) -> obvious.Told | None:
    """By the hardware counter where each pass with a figure has one, else by the chain if that is sound; at the faster of two kept speeds."""
    mine, values = slow.mine(case, lane), slow.cases[case].values[lane]
    by_counter = {number: counted(slow, case, number, *both) for number, both in mine.items()}
    by_chain = {
        number: values.figures[number].ns / period
        for number in mine
        if (period := slow.period(case, number)) is not None
    }
    found = {number: one for number, one in by_counter.items() if one is not None}
    if len(found) < len(mine):
        found = by_chain if slow.chain_is_sound and len(by_chain) >= 6 else {}
    told = obvious.told(list(found.values()))
    if told is None or not values.fast:
        return told
    fast = [one for number, one in found.items() if number in values.fast]
    return obvious.holding(told, median(fast)) if fast else told


def counted(slow: Slow, case: str, number: int, one: LaneSamples, record: PassRecord) -> float | None:
    """Cycles of a call: of the requests that hold no batch that is dropped, the 10 % quantile, less the empty call's."""
    whole = [
        count / (one.per_turn * one.calls)
        for request, count in enumerate(one.cycles)
        if request * one.per_turn >= slow.kept.dropped_batches
    ]
    if len(whole) < 3:
        return None
    period = slow.period(case, number)
    return quantile(whole, 0.1) - (slow.harness(record, one.lane) / period if period else 0.0)


def wall_medians(slow: Slow, case: str, lane: str) -> list[float]:
    """By pass: over all batches that do not only warm up, disturbed ones too, by the wall."""
    return [
        median(ns / one.calls for ns in one.ns[slow.kept.dropped_batches :]) - slow.harness(record, lane)
        for one, record in slow.mine(case, lane).values()
    ]


def times_of(slow: Slow, case: str, number: int, lane: str) -> dict[int, float]:
    """By batch, the clean ones: time of a call at the clock of the pass, less the empty call."""
    batches, period = slow.batches[case, number][lane], slow.period(case, number)
    return {
        slow.kept.dropped_batches + k: (ns / cycle * period if batches.probed and period else ns) - batches.harness
        for k, (ns, cycle, clean) in enumerate(zip(batches.ns, batches.cycle, batches.clean, strict=True))
        if clean
    }


def turn_spread(slow: Slow, case: str, number: int, one: LaneSamples) -> float | None:
    """The median over turns of what separates the outermost of a turn's clean, alike batches; turns of three at least."""
    by_turn: dict[int, list[float]] = {}
    every = {k: ns for k, ns in times_of(slow, case, number, one.lane).items() if memory_run.alike(one, k)}
    for k, ns in every.items():
        by_turn.setdefault(one.rounds[k], []).append(math.log(ns))
    within = [max(part) - min(part) for part in by_turn.values() if len(part) >= 3]
    return median(within) if within and len(every) >= 8 else None


def check_pass(slow: Slow, record: PassRecord) -> None:
    """What is known of each lane of a pass beside its figure."""
    number, drawn = number_of(record, slow.records), record.case == DRAWN
    rows = pass_values(parts(record, slow.kept), slow.kept, slow.summary.noise.ipc_reference, drawn)
    lanes = slow.batches[record.case, number]
    probed = [one for one in lanes.values() if one.probed]
    seen = sum(len(one.ns) for one in probed)
    for row, one in zip(rows, record.lanes, strict=True):
        figure = slow.cases[record.case].values[one.lane].all[number]
        assert near(row.floor_ns, figure.ns) and row.contended == figure.contended and row.seen == figure.seen
        assert near(row.clean_share, sum(int(one.clean.sum()) for one in probed) / seen if seen else None)
        assert (row.recorded, row.timed_ns, row.clock == "cpu") == (
            len(one.ns),
            sum(one.ns),
            one.slow and bool(one.cpu_ns),
        )
        if figure.ns is not None:
            floor = figure.ns + slow.harness(record, one.lane)
            assert row.slow_batches == sum(ns > 1.2 * floor for ns in lanes[one.lane].ns)
            assert near(row.turn_spread, None if drawn else turn_spread(slow, record.case, number, one), 1e-6)


def check_cell(slow: Slow, cell: CellSummary) -> None:
    case, lane = cell.case, cell.lane
    told = slow.cases[case]
    if told.times[lane] is None:
        assert cell.ns is None and cell.cycles is None and not cell.levels and cell.learning is None
        return
    figures = told.values[lane].figures
    assert near(ends(cell.cycles), cycles(slow, case, lane)), (case, lane)
    assert near(cell.typical_ns, median(wall_medians(slow, case, lane)))
    assert cell.passes_used == len(figures) and cell.batches == sum(one.used for one in figures.values())
    assert cell.passes == tuple(sorted(figures))
    assert near(cell.pass_ns, [one.ns for one in figures.values()])
    assert near(cell.pass_median_ns, [one.median for one in figures.values()])
    assert cell.long_passes == tuple(number for number, one in figures.items() if one.long)
    turns = [turn_spread(slow, case, number, one) for number, (one, _) in slow.mine(case, lane).items()]
    speeds = obvious.two_speeds(
        {n: one.spread for n, one in figures.items() if one.spread}, [one for one in turns if one is not None]
    )
    assert (
        [(one.ns, one.share) for one in cell.levels] == []
        if speeds is None
        else near([(one.ns, one.share) for one in cell.levels], [(speeds[0], speeds[2]), (speeds[1], 1 - speeds[2])])
    )
    assert cell.levels_by == ("" if speeds is None else speeds[3])
    kept = speeds is not None and speeds[3] == "process"
    assert cell.fast_passes == (tuple(sorted(speeds[4])) if speeds is not None and kept else None)
    settling = [
        ([(n, ns / n) for n, ns in zip(one.settling_calls, one.settling_ns, strict=True)], figures[number].ns)
        for number, (one, _) in slow.mine(case, lane).items()
    ]
    learned = obvious.learning(settling)
    if learned is None:
        assert cell.learning is None
    else:
        assert cell.learning is not None
        calls, steps, after, steady = learned
        found = cell.learning
        assert (found.cycle_calls, found.settled_after) == (calls, after) and near(found.steady_ns, steady)
        assert near([list(one) for one in found.steps], [[k * calls, ns] for k, ns in enumerate(steps)])
    if case == DRAWN:
        every = [ns for number in figures for ns in times_of(slow, case, number, lane).values()]
        one = cell.distribution
        assert one is not None and one.calls == len(every)
        assert near(
            (one.median_ns, one.mean_ns, one.low_ns, one.high_ns),
            (median(every), fmean(every), quantile(every, 0.1), quantile(every, 0.9)),
        )
    else:
        assert cell.distribution is None


def middle(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return median(known) if known else None


def check_noise(slow: Slow) -> None:
    noise, passes = slow.summary.noise, slow.records
    lanes = [(record, one) for record in passes for one in record.lanes]
    every = [one for case in slow.cases.values() for lane in case.values.values() for one in lane.all.values()]
    seen, used = (sum(getattr(one, name) for one in every if one.probed) for name in ("seen", "used"))
    assert near(noise.disturbed_ratio, 1 - used / seen if seen else None)
    assert noise.passes_tried == len(passes)
    short = [
        record
        for record in passes
        if any(
            values.all[number_of(record, passes)].contended
            for name, values in slow.cases[record.case].values.items()
            if name in {one.lane for one in record.lanes}
        )
    ]
    assert noise.passes_valid == len(passes) - len(short)
    for case in slow.summary.cases:
        tried = [record for record in passes if record.case == case.case]
        assert case.passes_tried == len(tried)
        assert case.passes_valid == len([record for record in tried if record not in short])
    assert near(noise.waited_s, math.fsum(record.waited_s for record in passes))
    assert near(noise.nivcsw_per_batch, sum(one.nivcsw for _, one in lanes) / sum(len(one.ns) for _, one in lanes))
    assert near(noise.wall_over_cpu, sum(sum(one.ns) for _, one in lanes) / sum(one.cpu_total_ns for _, one in lanes))
    assert near(noise.harness_ns, middle(slow.harness(record, one.lane) for record, one in lanes if record.harness_ns))
    periods = [one for record in passes if (one := slow.period(record.case, number_of(record, passes)))]
    assert near(noise.ghz_low, 1 / max(periods) if periods else None)
    assert near(noise.ghz_high, 1 / min(periods) if periods else None)
    assert near(noise.steal_ratio, middle(one.steal_ratio for one in slow.noise))
    assert near(noise.load_1min, middle(one.load_1min for one in slow.noise))
    assert near(noise.imul_ratio, middle(one.imul_ratio for one in slow.noise))
    assert near(noise.timed_share, min(1.0, sum(one.timed_s for one in passes) / sum(one.wall_s for one in slow.noise)))
    aa = [case.aa for case in slow.cases.values() if case.aa is not None]
    offsets = [max(one[0], 1 / one[0]) - 1 for one in aa]
    widths = [math.exp(obvious.half_width(one)) - 1 for one in aa if obvious.half_width(one) < math.inf]
    assert near(noise.aa_offset_median, middle(offsets)) and near(noise.aa_worst, max(offsets, default=None))
    assert near(noise.aa_halfwidth_median, middle(widths)) and noise.aa_cases == len(widths)
    assert noise.aa_false_positives == sum(obvious.verdict(one, 0.01, 0.01) in ("faster", "slower") for one in aa)
    by_pass = []
    for record in sorted(passes, key=lambda one: one.start_s):
        pairs = [pair for one in record.lanes for pair in zip(one.chain_ns, one.tput_ns, strict=True)]
        good = [chain / tput for chain, tput in pairs if chain > 0 and tput > 0]
        by_pass += [[record.start_s, median(good)]] if good else []
    assert near([list(one) for one in noise.ipc_by_pass], by_pass)
    assert near(noise.ipc_median, middle(one[1] for one in by_pass))


@given(runs())
@examples(32)
def test_cells_and_noise(one: GeneratedRun) -> None:
    slow = Slow(one)
    for case in slow.summary.cases:
        for cell in case.cells:
            check_cell(slow, cell)
    for record in slow.records:
        check_pass(slow, record)
    if slow.records:
        check_noise(slow)
