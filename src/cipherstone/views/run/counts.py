# SPDX-License-Identifier: Apache-2.0
"""Counts of a run: of each case in one order, and the least of each target. Exact: nothing is estimated, nothing has an interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cipherstone.model.counts import Count, CountedTarget, CountingPlan
from cipherstone.model.summary import RunSummary


def targets_of(plan: CountingPlan | None) -> tuple[str, ...]:
    """The targets of a run, in the order of its plan."""
    return plan.targets if plan is not None else ()


def counts_by_case(counts: Iterable[Count], plan: CountingPlan | None) -> dict[str, tuple[Count, ...]]:
    """The counts of each case: lanes in order, and targets as planned; of two records of a cell the later."""
    order = {target: place for place, target in enumerate(targets_of(plan))}
    cells = {(one.target, one.case, one.lane): one for one in counts}
    found: dict[str, list[Count]] = {}
    for one in cells.values():
        found.setdefault(one.case, []).append(one)
    return {
        case: tuple(sorted(members, key=lambda one: (one.lane, order.get(one.target, len(order)))))
        for case, members in found.items()
    }


def counted_targets(records: Iterable[CountedTarget], plan: CountingPlan | None) -> tuple[CountedTarget, ...]:
    """Each build on each target once, targets as planned: of several records the last, what could not be reached at first and then could."""
    order = {target: place for place, target in enumerate(targets_of(plan))}
    last = {(one.target, one.label): one for one in records}
    return tuple(sorted(last.values(), key=lambda one: (order.get(one.target, len(order)), one.label)))


def least(counts: Sequence[Count]) -> dict[str, int]:
    """Target -> the fewest instructions of a case there, where several lanes are counted."""
    found: dict[str, list[int]] = {}
    for one in counts:
        if one.instructions is not None:
            found.setdefault(one.target, []).append(one.instructions)
    return {target: min(values) for target, values in found.items() if len(values) > 1}


def all_counts(run: RunSummary) -> list[Count]:
    """Every count of a run."""
    return [one for case in run.cases for one in case.counts]


def is_timed(run: RunSummary) -> bool:
    """Whether anything of it competes in time; else the run is of counts alone."""
    return run.manifest.settings.timed
