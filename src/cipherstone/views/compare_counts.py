# SPDX-License-Identifier: Apache-2.0
"""Counts of two runs, or of two lanes of one. Exact, so that nothing is divided by an anchor and no difference is too small; the machine that they were made on is no part of them."""

from __future__ import annotations

from collections.abc import Iterable

from cipherstone.model.counts import Difference, differences
from cipherstone.model.ids import Lane, base_lane
from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.views.run.counts import all_counts
from cipherstone.views.samecode import OnBothSides, same_counted_lanes, shared_counts


def between_runs(a: RunSummary, b: RunSummary) -> tuple[tuple[Difference, ...], int]:
    """(every count of b that is not that of a, how many cells have one in both)."""
    before, now = all_counts(a), all_counts(b)
    had, has = ({one.key for one in counts if one.instructions is not None} for counts in (before, now))
    return tuple(differences(before, now)), len(had & has)


def lost(a: RunSummary, b: RunSummary) -> tuple[str, ...]:
    """What a counted and b could not reach, a line each."""
    had = {(one.target, Lane.parse(one.lane).build_label) for one in all_counts(a) if one.instructions is not None}
    return tuple(
        f"{one.label} on {one.target}: counted in A, not in B: {one.problem}"
        for one in b.counted
        if one.problem and (one.target, one.label) in had
    )


def shared(a: RunSummary, b: RunSummary) -> OnBothSides:
    """What both runs counted, and how much of it in the same code."""
    return shared_counts((a.counted, all_counts(a)), (b.counted, all_counts(b)))


def same_between(run: RunSummary, lane_a: str, lane_b: str) -> str:
    """What both lanes are that were counted, where that is the same code on some machine; else ""."""
    for case in run.cases:
        lanes = dict.fromkeys(one.lane for one in case.counts)
        a, b = base_lane(lane_a, lanes), base_lane(lane_b, lanes)
        if a is None or b is None or a == b:
            continue
        for target in dict.fromkeys(one.target for one in case.counts):
            if code := same_counted_lanes(run.counted, target, a, b):
                return f"{target}: {code}"
    return ""


def between_lanes(cases: Iterable[CaseSummary], lane_a: str, lane_b: str) -> tuple[Difference, ...]:
    """b against a, in every case and on every target that has both; each name as for lanes that are timed. The same count is no difference, and is among them all the same: two lanes are two things."""
    found = []
    for case in cases:
        lanes = [one.lane for one in case.counts]
        a, b = base_lane(lane_a, dict.fromkeys(lanes)), base_lane(lane_b, dict.fromkeys(lanes))
        if a is None or b is None or a == b:
            continue
        by_lane = {(one.lane, one.target): one.instructions for one in case.counts}
        label = f"{Lane.parse(b).label} / {Lane.parse(a).label}"
        for target in dict.fromkeys(one.target for one in case.counts):
            before, now = by_lane.get((a, target)), by_lane.get((b, target))
            if before is not None or now is not None:
                found.append(Difference(target, case.case, label, before, now))
    return tuple(found)


def counted_lanes(run: RunSummary, name: str) -> list[str]:
    """The counted lanes that `name` means, in some case."""
    found = (base_lane(name, dict.fromkeys(one.lane for one in case.counts)) for case in run.cases)
    return list(dict.fromkeys(lane for lane in found if lane is not None))
