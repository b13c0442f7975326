# SPDX-License-Identifier: Apache-2.0
"""What a run knows of one case while it measures: passes so far, lanes still in, and whether to go on."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec

from cipherstone.model.ids import Case, Lane, base_lane
from cipherstone.model.outcomes import CaseEnd
from cipherstone.model.records import CaseEndRecord, PassRecord, PlannedCase, Settings
from cipherstone.model.summary import Estimate
from cipherstone.stats.passvalue import pass_floor
from cipherstone.stats.probes import pass_is_valid
from cipherstone.stats.ratio import half_width, ratio_estimate
from cipherstone.stats.stopping import Stopping

# What cases need on average above the smallest number of passes, before their intervals can tell.
EXTRA_PASSES = 2.0


class _Pass:
    """A pass reduced to what decisions need."""

    def __init__(self, record: PassRecord, settings: Settings) -> None:
        self.chain = record.chain_ns
        self.tput = record.tput_ns
        self.valid = True
        self.floors: dict[str, float] = {}
        for index, samples in enumerate(record.lanes):
            harness = record.harness_ns[index] if index < len(record.harness_ns) else 0.0
            floor = pass_floor(samples, settings.dropped_batches, harness)
            if floor is not None:
                self.floors[samples.lane] = floor


class CaseState:
    """Mutable; `end` is None while the case is open."""

    def __init__(self, planned: PlannedCase, settings: Settings) -> None:
        self.case_id = planned.case
        self.case = Case.parse(planned.case)
        self.lanes = list(planned.lanes)
        self.end: CaseEnd | None = None
        self.ns_per_call: dict[str, float] = {}
        self.last_wall_s = 0.0
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
        """Passes that count."""
        return sum(one.valid for one in self._passes)

    def add(self, record: PassRecord, reference: float | None) -> PassRecord:
        """Takes a pass in; the record with its validity filled in."""
        one = _Pass(record, self._settings)
        one.valid, reason = self._judged(one, reference)
        self._passes.append(one)
        self.last_wall_s = record.wall_s
        for samples in record.lanes:
            # Resuming: an earlier part of the run has calibrated already.
            floor = one.floors.get(samples.lane)
            if floor is not None:
                self.ns_per_call.setdefault(samples.lane, floor)
        return msgspec.structs.replace(record, valid=one.valid, reason=reason)

    def judge(self, reference: float | None) -> None:
        """Judges every pass by `reference`."""
        for one in self._passes:
            one.valid = self._judged(one, reference)[0]

    def _judged(self, one: _Pass, reference: float | None) -> tuple[bool, str]:
        settings = self._settings
        return pass_is_valid(one.chain, one.tput, reference, settings.contention_threshold, settings.contention_share)

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
        room = float(max(1, settings.max_passes - self.tried))
        missing = settings.min_passes - self.valid
        if missing > 0 or self._widest is None:
            return min(room, max(missing, 0) + EXTRA_PASSES)
        needed = self.valid * (self._widest / math.log1p(settings.target)) ** 2
        return min(room, max(1.0, needed - self.valid))

    def decide(self) -> CaseEndRecord | None:
        """Ends the case if it has converged or reached its number of passes."""
        if self.end is not None:
            return None
        pairs = self._pairs()
        self._widest = max((half_width(pair) for pair in pairs if pair is not None), default=None)
        state = self._stopping.state(pairs, self.valid, self.tried)
        if state == "continue":
            return None
        if state == "converged":
            return self.finish(CaseEnd.CONVERGED)
        return self.finish(CaseEnd.CONTENDED if self.valid < self._settings.min_passes else CaseEnd.MAX_PASSES)

    def finish(self, end: CaseEnd) -> CaseEndRecord:
        """Ends the case for the reason given."""
        self.end = end
        return CaseEndRecord(self.case_id, end, self.tried, self.valid)

    def _pairs(self) -> list[Estimate | None]:
        """Every ratio that will be printed: each lane over the best, each over the base, the A/A pair."""
        values = {lane: [one.floors.get(lane) for one in self._passes if one.valid] for lane in self.lanes}
        medians = {lane: _median(column) for lane, column in values.items()}
        known = {lane: median for lane, median in medians.items() if median is not None}
        if len(known) < 2:
            return []
        best = min(known, key=lambda lane: known[lane])
        base = base_lane(self._settings.base, known)
        against = {best} if base is None else {best, base}
        pairs: list[Estimate | None] = []
        for reference in against:
            pairs += [_ratio(values[lane], values[reference]) for lane in known if lane != reference]
        pairs += [
            _ratio(values[lane], values[lane[:-2]]) for lane in known if lane.endswith("#2") and lane[:-2] in known
        ]
        return pairs


def _ratio(ours: list[float | None], theirs: list[float | None]) -> Estimate | None:
    both = [(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
    return ratio_estimate([a for a, _ in both], [b for _, b in both]) if both else None


def _median(values: list[float | None]) -> float | None:
    present = sorted(value for value in values if value is not None)
    return present[len(present) // 2] if present else None
