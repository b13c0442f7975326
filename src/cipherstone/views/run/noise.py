# SPDX-License-Identifier: Apache-2.0
"""The noise panel, and in one word how far a run may be trusted."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

from cipherstone.model.outcomes import CaseEnd, RunStatus, Verdict
from cipherstone.model.records import Manifest, NoiseRecord
from cipherstone.model.summary import CaseSummary, Estimate, NoiseSummary
from cipherstone.model.units import counted
from cipherstone.stats.ratio import half_width
from cipherstone.stats.verdict import SMALLEST_THRESHOLD, offset, verdict
from cipherstone.views.run.estimates import CaseValues
from cipherstone.views.run.passes import PassValue

LARGEST_SERIES = 600  # points of the IPC chart; more are merged in order of time
PUBLISHABLE_FIGURES = 0.95
PUBLISHABLE_DISTURBED = 0.9
COUNTED = "counted"  # of a run that counts instructions and times nothing
EMULATED = "emulated"  # of a run on a machine that is no machine
EMPTY = "empty"  # the trust word of a run without a single figure that contention does not explain
PUBLISHABLE_FALSE_POSITIVES = 0.05
AA_WIDTHS = 2.0  # of the half-width asked for: an A/A interval that is wider does not say that both are alike
SETTLED = (Verdict.FASTER, Verdict.SLOWER, Verdict.EQUAL, Verdict.UNDECIDED)  # undecided: narrow, and across a limit


def _median(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return statistics.median(known) if known else None


class NoiseTally:
    """Sums over all pass values, valid or not: the noise of a run is also in what it did not use."""

    def __init__(self) -> None:
        self.batches = self.slow = self.seen = self.probed = self.clean = self.recorded = self.nivcsw = 0
        self.timed_ns = self.cpu_ns = 0
        self.harness: list[float] = []
        self._passes: dict[tuple[str, int, float], PassValue] = {}
        self._short: set[tuple[str, int, float]] = set()

    def add(self, row: PassValue) -> None:
        """Counts a row."""
        self.batches += row.batches
        self.seen += row.seen if row.valid else 0
        self.slow += row.slow_batches
        if row.probed:
            self.probed += row.seen
            self.clean += row.batches
        self.recorded += row.recorded
        self.nivcsw += row.nivcsw
        if row.cpu_total_ns > 0:
            self.timed_ns += row.timed_ns
            self.cpu_ns += row.cpu_total_ns
        if row.harness_ns is not None:
            self.harness.append(row.harness_ns)
        key = (row.case, row.pass_index, row.start_s)
        self._passes.setdefault(key, row)
        if row.contended:
            self._short.add(key)

    @property
    def passes_whole(self) -> int:
        """Passes in which no lane fell short of undisturbed batches."""
        return len(self._passes) - len(self._short)

    @property
    def passes(self) -> list[PassValue]:
        """One row of each pass of each case, by start."""
        return sorted(self._passes.values(), key=lambda row: row.start_s)


def ipc_series(passes: Sequence[PassValue]) -> tuple[tuple[float, float], ...]:
    """(start in s, median IPC), one point a pass of a case in order of time; above 600 points neighbours are merged by their medians."""
    points = [(p.start_s, p.ipc_median) for p in passes if p.ipc_median is not None]
    step = math.ceil(len(points) / LARGEST_SERIES) if points else 1
    merged = (points[k : k + step] for k in range(0, len(points), step))
    return tuple((chunk[0][0], statistics.median(ipc for _, ipc in chunk)) for chunk in merged)


def noise_summary(
    tally: NoiseTally, aa: Sequence[Estimate], records: Sequence[NoiseRecord], ipc_reference: float | None
) -> NoiseSummary:
    """The noise panel of a run. `ipc_reference`: what its passes were judged by. `aa`: the A/A lane over its original, one a case.

    A/A offsets are distances from 1 (0.002 for 1.002 and for 1/1.002), half-widths as fractions. A false positive is an A/A interval that lies
    wholly beyond 1 %: the threshold of a case grows with its own A/A and could never be crossed by it. `timed_share`: time in timed batches over
    the wall time of the run's passes, starts of processes and proofs included where noise records tell it. `imul_ratio`: median.
    """
    passes = tally.passes
    # Below a femtosecond a period is damage, not a clock, and has no frequency that can be written.
    periods = [p.cycle_ns for p in passes if p.cycle_ns is not None and p.cycle_ns > 1e-6]
    with_interval = [e for e in aa if math.isfinite(half_width(e))]
    offsets = [offset(e) for e in aa]
    false_positives = sum(verdict(e, SMALLEST_THRESHOLD) in (Verdict.FASTER, Verdict.SLOWER) for e in with_interval)
    timed_s = sum(p.pass_timed_s for p in passes)
    covered = {p.pass_index for p in passes} <= {r.pass_index for r in records}
    wall_s = sum(r.wall_s for r in records) if records and covered else sum(p.wall_s for p in passes)
    return NoiseSummary(
        passes_tried=len(passes),
        passes_valid=tally.passes_whole,
        disturbed_ratio=1.0 - tally.clean / tally.probed if tally.probed else None,
        waited_s=sum(p.waited_s for p in passes),
        cpus=tuple(dict.fromkeys(cpu for p in passes for cpu in p.cpus)),
        ipc_median=_median(p.ipc_median for p in passes),
        ipc_reference=ipc_reference,
        ghz_low=1.0 / max(periods) if periods else None,
        ghz_high=1.0 / min(periods) if periods else None,
        slow_batches_ratio=tally.slow / tally.seen if tally.seen else None,
        nivcsw_per_batch=tally.nivcsw / tally.recorded if tally.recorded else None,
        steal_ratio=_median(r.steal_ratio for r in records),
        wall_over_cpu=tally.timed_ns / tally.cpu_ns if tally.cpu_ns else None,
        load_1min=_median(r.load_1min for r in records),
        aa_offset_median=_median(offsets),
        aa_halfwidth_median=_median(math.expm1(half_width(e)) for e in with_interval),
        aa_worst=max(offsets, default=None),
        aa_false_positives=false_positives,
        aa_cases=len(with_interval),
        harness_ns=_median(tally.harness),
        timed_share=min(timed_s / wall_s, 1.0) if wall_s > 0.0 else None,
        imul_ratio=_median(r.imul_ratio for r in records),
        ipc_by_pass=ipc_series(passes),
    )


def settled(case: CaseSummary) -> bool:
    """Whether more passes would hardly change what a case says: it converged, or each ratio to its best lane is a finding or as narrow as was asked.

    A case in which no lane works (all wrong, unavailable, ...) has nothing to settle, nor has one that is timed as whole processes alone.
    """
    if case.end in (CaseEnd.CONVERGED, CaseEnd.PROCESSES) or all(not c.outcome.timed for c in case.cells):
        return True
    return bool(case.to_best) and all(r.verdict in SETTLED for r in case.to_best)


def trust(
    manifest: Manifest, noise: NoiseSummary, cases: Sequence[CaseSummary], values: Sequence[CaseValues]
) -> tuple[str, str]:
    """The trust word and its reason.

    `counted`: instructions alone, as was asked. `emulated`: the machine is no machine. `empty`: nothing was measured. `contended`: more than half of the measured cells have no figure for want of undisturbed batches. `publishable`: the run finished, probes watched for contention, at least a tenth of
    the batches were undisturbed, at least 95 % of the cells that could have a figure have one, A/A lanes were there, at most 5 % of them
    were called different and their intervals, in the median, are no wider than `AA_WIDTHS` half-widths that the run was asked for, and every case is settled (`settled`). `indicative`: all else, with everything that is missing.
    """
    if not manifest.settings.timed:
        number = sum(one.instructions is not None for case in cases for one in case.counts)
        told = f"{counted(number, 'count')}, each the same twice; nothing was timed"
        return (COUNTED, told) if number else (EMPTY, "nothing was counted")
    if manifest.machine.emulated:
        return EMULATED, f"by {manifest.machine.emulated}: times would be the emulator's, so there is no figure"
    timed = [case for case in cases if case.end is not CaseEnd.PROCESSES]
    cells = [c for case in timed for c in case.cells if c.outcome.timed and not c.lane.endswith("#2")]
    by_case = dict(zip((case.case for case in cases), values, strict=True))
    measured = [c for c in cells if c.lane in by_case[c.case].seen]
    if not measured:
        return EMPTY, "nothing was measured"
    figures = sum(c.ns is not None for c in measured)
    contended = sum(c.ns is None and by_case[c.case].is_contended(c.lane) for c in measured)
    told = f"{figures} of {counted(len(measured), 'cell has', 'cells have')} a figure"
    if contended > len(measured) / 2:
        return "contended", f"only {told}: something else used the core"
    if not figures:
        return EMPTY, f"{told}: {measured[0].refused}"
    missing: list[str] = []
    if manifest.status != RunStatus.FINISHED:
        missing.append(f"the run is {manifest.status}")
    if noise.ipc_median is None:
        missing.append("no probe could watch for contention")
    if noise.disturbed_ratio is not None and noise.disturbed_ratio > PUBLISHABLE_DISTURBED:
        missing.append(f"{noise.disturbed_ratio:.0%} of the batches were disturbed")
    if figures < PUBLISHABLE_FIGURES * len(cells):
        missing.append(f"only {figures} of {counted(len(cells), 'cell has', 'cells have')} a figure")
    if noise.aa_cases == 0:
        missing.append("no library was measured against itself")
    elif noise.aa_false_positives > PUBLISHABLE_FALSE_POSITIVES * noise.aa_cases:
        missing.append(
            f"{noise.aa_false_positives} of {noise.aa_cases} libraries measured against themselves came out different"
        )
    widest = AA_WIDTHS * manifest.settings.target
    if noise.aa_halfwidth_median is not None and noise.aa_halfwidth_median > widest:
        missing.append(
            f"libraries are the same as themselves to \u00b1{100 * noise.aa_halfwidth_median:.2g} % in the median, more than \u00b1{100 * widest:.2g} %"
        )
    open_cases = sum(not settled(case) for case in cases)
    if open_cases:
        missing.append(
            f"{open_cases} of {counted(len(cases), 'case')} {'is' if open_cases == 1 else 'are'} not settled"
        )
    if missing:
        return "indicative", "; ".join(missing)
    same = noise.aa_cases - noise.aa_false_positives
    return (
        "publishable",
        f"{told}, {same} of {counted(noise.aa_cases, 'A/A comparison')} came out alike, every case is settled",
    )
