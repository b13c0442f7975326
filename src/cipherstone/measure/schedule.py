# SPDX-License-Identifier: Apache-2.0
"""Which open cases the next pass takes in, so that the bound of a run is spent where it matters.

Without a bound, or with time for everything: all of them. Where the time will not do, a case gets no share that is too small for a figure: by the rank of the plan, cards and headline sizes first,
what can still reach the passes that an interval needs, what was begun before what was not; with time to spare what would reach them if the machine were freer than it is, and only then those that have a figure, the widest interval first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherstone.measure.casestate import CaseState
from cipherstone.model.outcomes import CaseEnd
from cipherstone.model.records import Settings
from cipherstone.model.units import counted, format_size
from cipherstone.stats.interval import SMALLEST_K

if TYPE_CHECKING:
    import numpy as np

# Processes, proofs and clearing up, over the time of the passes themselves.
OVERHEAD = 1.2
NAMED = 12  # operations that a note names one by one


def chosen(open_cases: Sequence[CaseState], remaining_s: float | None, settings: Settings) -> list[CaseState]:
    """The cases of the next pass, in the given order; at least one of `open_cases`, which must not be empty. `remaining_s`: to the bound, None without one."""
    if remaining_s is None:
        return list(open_cases)
    known = [state.quickest_s for state in open_cases if state.tried]
    if not known:  # it is not known yet what a pass costs: those that matter most tell, so that a short bound on a busy machine does not go into one pass of cases that it cannot finish
        first = min(state.rank for state in open_cases)
        return [state for state in open_cases if state.rank == first]
    usual = sum(known) / len(known)
    freer = remaining_s / OVERHEAD  # on a core that disturbs no more
    left = freer / _slowness(open_cases)
    enough = min(SMALLEST_K, settings.min_passes)

    def cost(state: CaseState) -> float:
        return state.quickest_s if state.tried else usual

    taken: set[str] = set()
    lacking = [state for state in open_cases if state.valid < enough]
    lacking.sort(key=lambda state: (state.rank, not state.tried, (enough - state.valid) * cost(state)))
    hoped: list[CaseState] = []
    for state in lacking:
        need = (enough - state.valid) * cost(state)
        if need <= left:
            left -= need
            taken.add(state.case_id)
        elif need <= freer:
            hoped.append(state)
        else:
            continue
        freer -= need
    # A burst that slowed the last passes may be over: a case without a figure comes before one with a better figure.
    for state in hoped:
        if cost(state) <= left:
            left -= (enough - state.valid) * cost(state)  # all of it, so that not two take passes from each other
            taken.add(state.case_id)
    others = [state for state in open_cases if state.valid >= enough]
    others.sort(key=lambda state: (state.valid >= settings.min_passes, -state.widest))
    for state in others:
        if cost(state) <= left:
            left -= cost(state)
            taken.add(state.case_id)
    if not taken:
        taken.add(min(lacking or others, key=cost).case_id)
    return [state for state in open_cases if state.case_id in taken]


def pass_order(open_cases: Sequence[CaseState], random: np.random.Generator, as_planned: bool) -> list[CaseState]:
    """The order of a pass: at random; or, as in the first pass of a run with a bound, by rank and then as planned, so that a bound that is too short for all leaves the first rows with figures."""
    if as_planned:
        return sorted(open_cases, key=lambda state: state.rank)
    return [open_cases[int(index)] for index in random.permutation(len(open_cases))]


def no_more_begun(cases: Sequence[CaseState], remaining_s: float | None, settings: Settings) -> bool:
    """Whether the first pass begins no further case, because those that were begun need the time that is left for their figures. `remaining_s`: to the bound, None without one."""
    if remaining_s is None:
        return False
    enough = min(SMALLEST_K, settings.min_passes)
    need = sum(max(0, enough - state.valid) * state.quickest_s for state in cases if state.end is None and state.tried)
    return need * OVERHEAD > remaining_s


def left_out(cases: Sequence[CaseState]) -> str:
    """`the run's bound cut 2 of 4 cases short: a/hash 1 KiB; b/sign`: those that ended before all their lanes had the passes that a figure needs, or ""."""
    without = [state.case for state in cases if state.end is CaseEnd.TIME_BOUND and state.valid < SMALLEST_K]
    if not without:
        return ""
    sizes: dict[str, list[str]] = {}
    for case in without:
        sizes.setdefault(case.operation, []).append(format_size(case.size_bytes) if case.size_bytes else "")
    named = [f"{operation} {', '.join(found)}".strip() for operation, found in list(sizes.items())[:NAMED]]
    if len(sizes) > NAMED:
        named.append(f"and {counted(len(sizes) - NAMED, 'operation')} more")
    return f"the run's bound cut {len(without)} of {counted(len(cases), 'case')} short: {'; '.join(named)}"


def _slowness(cases: Sequence[CaseState]) -> float:
    """How much longer the last passes took than they would have on a free core. Where it says that not all cases can have a figure, some have theirs first; the others come back once they have."""
    tried = [state for state in cases if state.tried]
    quickest = sum(state.quickest_s for state in tried)
    return max(1.0, sum(state.last_wall_s for state in tried) / quickest) if quickest > 0 else 1.0


def left_s(cases: Sequence[CaseState]) -> float | None:
    """Estimated seconds until every case has stopped, without a bound; None until a quarter of the cases told what a pass costs."""
    open_cases = [state for state in cases if state.end is None]
    known = [state.last_wall_s for state in cases if state.tried]
    if len(known) < 0.25 * len(cases) and any(state.tried == 0 for state in open_cases):
        return None
    usual = sum(known) / len(known) if known else 0.0
    return sum(state.expected_passes() * (state.last_wall_s or usual) for state in open_cases)
