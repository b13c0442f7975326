# SPDX-License-Identifier: Apache-2.0
"""What a run knows of one case while it measures: passes so far, lanes still in, and whether to go on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from cipherstone.measure.lead import lead_of, middle
from cipherstone.measure.progress import Lead
from cipherstone.model.ids import Case, Lane, base_lane
from cipherstone.model.outcomes import CaseEnd
from cipherstone.model.records import CaseEndRecord, PassRecord, PlannedCase, Settings
from cipherstone.model.summary import Estimate
from cipherstone.stats.distribution import LEAST_CALLS
from cipherstone.stats.levels import two_levels
from cipherstone.stats.pairing import LanePasses, PassFigure, alike
from cipherstone.stats.passvalue import PassFigures, batches_of, pass_cycle_ns, pass_figures
from cipherstone.stats.ratio import half_width
from cipherstone.stats.stopping import Stopping

# What cases need on average above the smallest number of passes, before their intervals can tell.
EXTRA_PASSES = 2.0
# Passes that fell short are tried again, but not for ever: this many times the largest number of passes.
MOST_TRIES = 3
LEAST_SHARE = 0.1  # of batches used, for what a pass would take without the others


class _Pass:
    """A pass reduced to what decisions need: its batches, and each lane's figure by the reference that is known now."""

    def __init__(self, record: PassRecord, settings: Settings, distribution: bool = False) -> None:
        self._settings = settings
        self._distribution = distribution
        self._names = [samples.lane for samples in record.lanes]
        self._batches = batches_of(record, settings.dropped_batches)
        self._harness = [*record.harness_ns, *[0.0] * len(self._names)]
        self.figures: dict[str, PassFigures] = {}
        self.short: set[str] = set()
        self.reason = ""
        self.used = self.seen = 0

    def judge(self, reference: float | None) -> None:
        """Figures by `reference`."""
        threshold = self._settings.clean_threshold
        period = pass_cycle_ns(self._batches, reference, threshold)
        self.figures, self.short, self.reason = {}, set(), ""
        self.used = self.seen = 0
        for name, batches, harness in zip(self._names, self._batches, self._harness, strict=False):
            figures = pass_figures(batches, harness, period, reference, threshold, self._distribution)
            self.used += figures.batches
            self.seen += figures.seen
            if figures.floor_ns is not None:
                self.figures[name] = figures
            else:
                self.reason = f"{name}: {figures.reason}"
                if figures.short:
                    self.short.add(name)

    def complete(self, lanes: Sequence[str]) -> bool:
        """Whether none of `lanes` fell short of batches. A lane without a figure for another reason will not get one by more passes."""
        return not any(lane in self.short for lane in lanes)


class CaseState:
    """Mutable; `end` is None while the case is open."""

    def __init__(self, planned: PlannedCase, settings: Settings) -> None:
        self.case_id = planned.case
        self.case = Case.parse(planned.case)
        self.lanes = list(planned.lanes)
        self.rank = planned.rank
        self.distribution = planned.distribution
        self.processes_only = planned.processes_only and settings.processes > 0
        self.end: CaseEnd | None = None
        self.ns_per_call: dict[str, float] = {}
        self.lead: Lead | None = None
        self.last_wall_s = 0.0
        self.quickest_s = 0.0
        self._settings = settings
        self._stopping = Stopping(settings.min_passes, settings.max_passes, settings.target)
        self._passes: list[_Pass] = []
        self._widest: float | None = None

    @property
    def tried(self) -> int:
        """Passes made, contended ones included."""
        return len(self._passes)

    @property
    def valid(self) -> int:
        """Passes in which every lane that is still in has a figure."""
        return sum(one.complete(self.lanes) for one in self._passes)

    @property
    def widest(self) -> float:
        """Half-width (in logarithms) of the widest ratio that will be printed; infinite before there is an interval."""
        return math.inf if self._widest is None else self._widest

    def add(self, record: PassRecord, reference: float | None) -> PassRecord:
        """Takes a pass in; the record with its validity filled in."""
        one = _Pass(record, self._settings, self.distribution)
        one.judge(reference)
        self._passes.append(one)
        self.last_wall_s = record.wall_s
        # Without the waiting, and without the batches that were not used: what a disturbed pass took says nothing of the next.
        used = max(one.used / one.seen, LEAST_SHARE) if one.used else 1.0
        needed_s = max(record.wall_s - record.waited_s, 0.0) * used
        self.quickest_s = min(needed_s, self.quickest_s or needed_s)
        for samples in record.lanes:
            # Resuming: an earlier part of the run has calibrated already.
            figures = one.figures.get(samples.lane)
            if figures is not None and figures.floor_ns is not None:
                self.ns_per_call.setdefault(samples.lane, figures.floor_ns)
        return msgspec.structs.replace(record, valid=bool(one.figures), reason="" if one.figures else one.reason)

    def judge(self, reference: float | None) -> None:
        """Judges every pass by `reference`."""
        for one in self._passes:
            one.judge(reference)

    def drop(self, lane_id: str, lanes: Mapping[str, Lane]) -> None:
        """Takes a lane out, and with an original its A/A twin."""
        gone = lanes[lane_id]
        self.lanes = [
            name
            for name in self.lanes
            if name != lane_id
            and not (
                lanes[name].twin and not gone.twin and lanes[name].id == msgspec.structs.replace(gone, twin=True).id
            )
        ]

    def expected_passes(self) -> float:
        """Passes still to come, for the time left: up to the smallest number, then by how far the widest interval has to shrink (as one over the root of passes)."""
        settings = self._settings
        room = float(max(1, settings.max_passes - self.valid))
        missing = settings.min_passes - self.valid
        if self.distribution:
            return float(max(1, missing))
        if missing > 0 or self._widest is None:
            return min(room, max(missing, 0) + EXTRA_PASSES)
        needed = self.valid * (self._widest / math.log1p(settings.target)) ** 2
        return min(room, max(1.0, needed - self.valid))

    def decide(self) -> CaseEndRecord | None:
        """Ends the case if it has converged or reached its number of passes."""
        if self.end is not None:
            return None
        lanes = {lane: self._passes_of(lane) for lane in self.lanes}
        self.lead = lead_of(lanes, self._settings.target)
        pairs = self._pairs(lanes)
        self._widest = max((half_width(pair) for pair in pairs if pair is not None), default=None)
        state = self._stopping.state(pairs, self.valid)
        if state == "continue" and self._calls_enough():
            return self.finish(CaseEnd.MAX_PASSES)
        if state == "continue":
            return self.given_up() if self.tried >= MOST_TRIES * self._settings.max_passes else None
        return self.finish(CaseEnd.CONVERGED if state == "converged" else CaseEnd.MAX_PASSES)

    def _calls_enough(self) -> bool:
        """Whether a distribution has the calls that it needs: what is left of its width is luck, which further passes do not narrow."""
        calls = [sum(one.figures[lane].batches for one in self._passes if lane in one.figures) for lane in self.lanes]
        return self.distribution and self.valid >= self._settings.min_passes and min(calls, default=0) >= LEAST_CALLS

    def given_up(self) -> CaseEndRecord:
        """Ends the case because nothing undisturbed comes any more."""
        return self.finish(CaseEnd.CONTENDED if self.valid < self._settings.min_passes else CaseEnd.MAX_PASSES)

    def finish(self, end: CaseEnd) -> CaseEndRecord:
        """Ends the case for the reason given."""
        self.end = end
        return CaseEndRecord(self.case_id, end, self.tried, self.valid)

    def _pairs(self, lanes: Mapping[str, LanePasses]) -> list[Estimate | None]:
        """Every ratio that will be printed: each lane over the best, each over the base, the A/A pair; at their faster speed where processes keep one of two, because more passes do not narrow what spans both."""
        known = {lane: middle(one) for lane, one in lanes.items() if one.figures}
        if len(known) < 2:
            return []
        best = min(known, key=lambda lane: known[lane])
        base = base_lane(self._settings.base, known)
        against = {best} if base is None else {best, base}
        pairs = [alike(lanes[lane], lanes[other]) for other in against for lane in known if lane != other]
        twins = [lane for lane in known if lane.endswith("#2") and lane[:-2] in known]
        return pairs + [alike(lanes[twin], lanes[twin[:-2]]) for twin in twins]

    def _passes_of(self, lane: str) -> LanePasses:
        """The lane as it is paired, by the number of the pass."""
        rows = {number: one.figures[lane] for number, one in enumerate(self._passes) if lane in one.figures}
        levels = two_levels([row.spread_ns for row in rows.values()], [row.turn_spread for row in rows.values()])
        numbers = list(rows)
        fast = frozenset(numbers[place] for place in levels.low_passes) if levels is not None and levels.kept else None
        return LanePasses(
            {number: PassFigure(row.floor_ns) for number, row in rows.items() if row.floor_ns is not None}, fast
        )
