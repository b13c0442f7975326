# SPDX-License-Identifier: Apache-2.0
"""What a session takes over from an earlier part of its run, tells meanwhile, and does with a lane that fails, without any process: the passes are made by this file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sessions import HASHING, LANES, MACCING, SHORT, A, B
from test_views_passes import samples

from cipherstone.host.facts import steal_ratio
from cipherstone.measure import session as module
from cipherstone.measure.plan import Plan
from cipherstone.measure.progress import Progress
from cipherstone.measure.proof import Capability
from cipherstone.measure.rounds import Contestant, LaneCrashed, LaneFailed, Rounds
from cipherstone.measure.session import Session
from cipherstone.measure.start import Start
from cipherstone.model.errors import WorkerError
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import (
    CaseEndRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    PlannedCase,
    ProofRecord,
    Record,
    Settings,
)
from cipherstone.protocol.messages import Refusal

IPC = 5.0


def session(*earlier: Record, told: list[Progress] | None = None, settings: Settings = SHORT, cases: tuple[str, ...] = (HASHING, MACCING), **more: Any) -> Session:  # fmt: skip
    return Session(
        Plan(tuple(PlannedCase(case, tuple(LANES)) for case in cases), LANES, {}),
        {},
        lambda algorithm: (),
        settings,
        Start(earlier=earlier, **{"ipc_reference": IPC, **more}),
        None if told is None else told.append,
    )


def made(case: str, index: int, ipc: float = IPC) -> PassRecord:
    lanes = tuple(samples(lane, 1000.0, ipc=ipc) for lane in LANES)
    return PassRecord(case, index, 0.0, 2.0, 1.0, lanes, ((0, 1, 2),), (0.0,) * 3)


# -- the bound -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("left_s", "once_s"), [(30.0, 45.0), (0.0, 15.0), (-20.0, 15.0), (None, None)])
def test_memory_and_first_calls_have_what_is_left_and_their_share(left_s: float | None, once_s: float | None) -> None:
    one = session(settings=Settings(max_time_s=100.0, once_share=0.15))
    one._control = SimpleNamespace(remaining_s=lambda: left_s)  # type: ignore[assignment]
    assert one.once_s() == once_s
    endless = session(settings=Settings(max_time_s=None))
    assert endless.once_s() is None


@pytest.mark.parametrize(("remaining_s", "out"), [(None, False), (2.0, False), (1.999, True), (-1.0, True)])
def test_a_case_that_no_longer_fits_is_not_begun(remaining_s: float | None, out: bool) -> None:
    one = session(made(HASHING, 0))
    one._control = SimpleNamespace(remaining_s=lambda: remaining_s)  # type: ignore[assignment]
    assert one._out_of_time(one._by_id[HASHING]) is out
    assert one._out_of_time(one._by_id[MACCING]) is (remaining_s == -1.0)  # nobody knows what it costs


def test_time_of_an_earlier_part_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    one = session(settings=Settings(max_time_s=60.0), elapsed_s=25.0)
    now[0] = 110.0
    assert one.elapsed_s == 35.0 and one._control.remaining_s() == 25.0


# -- an earlier part -------------------------------------------------------------------------------------------------------------


def test_what_an_earlier_part_recorded_is_taken_over() -> None:
    one = session(
        made(HASHING, 0),
        made(HASHING, 1, ipc=4.0),
        made("md5/hash", 5),  # a case that is not planned any more
        ProofRecord("sha-256/hash", A.id, 0, Outcome.OK),
        OutcomeRecord(HASHING, B.id, Outcome.CRASHED, "signal 11"),
        OutcomeRecord(MACCING, "gone@1.0", Outcome.CRASHED, ""),
        OutcomeRecord("md5/hash", A.id, Outcome.CRASHED, ""),
        CaseEndRecord(MACCING, CaseEnd.CONVERGED, 2, 2),
        CaseEndRecord("md5/hash", CaseEnd.CONVERGED, 2, 2),
    )
    hashing, maccing = one._by_id[HASHING], one._by_id[MACCING]
    assert (hashing.tried, hashing.valid, hashing.end, hashing.lanes) == (2, 1, None, [A.id, f"{A.id}#2"])
    assert (maccing.tried, maccing.end, maccing.lanes) == (0, CaseEnd.CONVERGED, list(LANES))
    assert one._pass_index == 6 and one.ipc_reference == IPC


@pytest.mark.parametrize(
    ("records", "index"),
    [((), 0), ((made(HASHING, 3),), 4), ((NoiseRecord(4, 0.0, 1.0), made(HASHING, 3)), 5), ((NoiseRecord(0, 0.0, 1.0),), 1)],
)  # fmt: skip
def test_the_run_goes_on_behind_the_last_pass(records: tuple[Record, ...], index: int) -> None:
    assert session(*records)._pass_index == index


@pytest.mark.parametrize("end", [*CaseEnd])
def test_a_case_that_was_only_cut_short_is_open_again(end: CaseEnd) -> None:
    cut = end in (CaseEnd.INTERRUPTED, CaseEnd.TIME_BOUND)
    assert session(CaseEndRecord(HASHING, end, 1, 1))._by_id[HASHING].end is (None if cut else end)


def test_what_earlier_passes_read_is_known() -> None:
    one = session(made(HASHING, 0), ipc_reference=None)
    assert one.ipc_reference == IPC and one.sure_level == IPC
    wild = session(made(HASHING, 0, ipc=900.0), ipc_reference=None)
    assert wild.ipc_reference is None and wild.sure_level is None


def test_an_interrupt_ends_what_is_open() -> None:
    one = session(CaseEndRecord(HASHING, CaseEnd.CONVERGED, 2, 2), made(MACCING, 0))
    assert list(one.interrupt()) == [CaseEndRecord(MACCING, CaseEnd.INTERRUPTED, 1, 1)]
    assert list(one.interrupt()) == []


@pytest.mark.parametrize(
    ("end", "ends"),
    [(CaseEnd.CONTENDED, [CaseEnd.CONTENDED, CaseEnd.CONVERGED]), (CaseEnd.TIME_BOUND, [CaseEnd.TIME_BOUND, CaseEnd.CONVERGED])],
)  # fmt: skip
def test_what_the_bound_or_the_others_end(end: CaseEnd, ends: list[CaseEnd]) -> None:
    """A case that has what it needs has converged all the same; one that has ended is not told again."""
    one = session(*[made(MACCING, p) for p in range(6)], settings=Settings(min_passes=6, max_passes=9, base="alpha"))
    assert [record.end for record in one._end_all(end) if isinstance(record, CaseEndRecord)] == ends
    assert list(one._end_all(end)) == []
    few = session(made(MACCING, 0), settings=Settings(min_passes=1, max_passes=9))
    assert [record.end for record in few._end_all(end) if isinstance(record, CaseEndRecord)] == [end, CaseEnd.MAX_PASSES if end is CaseEnd.CONTENDED else end]  # fmt: skip


# -- what is told ----------------------------------------------------------------------------------------------------------------


def test_who_waits_is_told_by_the_first_open_case() -> None:
    told: list[Progress] = []
    one = session(CaseEndRecord(HASHING, CaseEnd.CONVERGED, 2, 2), made(MACCING, 0), told=told)
    one._on_wait(2.5)
    (said,) = told
    assert (said.case, said.waiting_s, said.case_number, said.cases_open) == (MACCING, 2.5, 0, 1)
    assert (said.cases_done, said.cases_all, said.passes_tried, said.passes_valid) == (1, 2, 1, 1)
    assert (said.pass_index, said.min_passes, said.left_most_s, said.disturbed) == (1, 2, None, None)
    list(one.interrupt())
    one._on_wait(3.0)
    assert len(told) == 1
    session()._on_wait(1.0)  # nobody listens


@pytest.mark.parametrize(("left_s", "remaining_s", "told_s", "most_s"), [(50.0, None, 50.0, None), (50.0, 30.0, 30.0, 30.0), (50.0, 80.0, 50.0, 80.0), (50.0, -5.0, 0.0, 0.0), (None, 30.0, None, 30.0)])  # fmt: skip
def test_the_time_that_is_left_is_never_beyond_the_bound(
    monkeypatch: pytest.MonkeyPatch, left_s: float | None, remaining_s: float | None, told_s: float | None, most_s: float | None
) -> None:  # fmt: skip
    told: list[Progress] = []
    one = session(told=told)
    monkeypatch.setattr(module, "left_s", lambda cases: left_s)
    one._control = SimpleNamespace(remaining_s=lambda: remaining_s)  # type: ignore[assignment]
    one._tell(one._by_id[HASHING], 3, 7)
    assert (told[0].left_s, told[0].left_most_s, told[0].case_number, told[0].cases_open) == (told_s, most_s, 3, 7)


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [((10, 100), (13, 200), 0.03), ((10, 100), (11, 400), 0.00333), ((10, 100), (13, 100), None), ((10, 100), (13, 99), None), (None, (1, 2), None), ((1, 2), None, None), ((0, 0), (0, 1), 0.0)],
)  # fmt: skip
def test_the_time_that_the_host_took(
    before: tuple[int, int] | None, after: tuple[int, int] | None, share: float | None
) -> None:
    assert steal_ratio(before, after) == share


def test_probes_that_no_core_gives_are_left_out_and_noted() -> None:
    one = session()
    honest, wild, blind = (samples(A.id, 1000.0, ipc=ipc) for ipc in (5.0, 900.0, None))
    assert one._plausible(honest) is honest and one._plausible(blind) is blind and not one.notes
    bare = one._plausible(wild)
    assert (bare.chain_ns, bare.tput_ns, bare.ns) == ((), (), wild.ns)
    assert one.notes == {"a worker's probes tell of more than 8 additions a cycle: such passes are used without them"}
    emulated = session()
    emulated._watch.unsound = "an emulator"
    assert emulated._plausible(honest).chain_ns == () and emulated.notes == {"an emulator"}


# -- a lane that fails -----------------------------------------------------------------------------------------------------------


class Pool:
    """Proves everything; notes which processes are given up."""

    def __init__(self) -> None:
        self.discarded: list[str] = []
        self.ratios: dict[str, float | Exception | None] = {}

    def prove(self, lane: Any, capability: Any) -> None:
        return None

    def discard(self, lane: Any) -> None:
        self.discarded.append(lane.id)

    def harness_ns(self, lane: Any, ring: int, case: Any) -> float:
        return 1.23456

    def worker(self, lane: Any) -> Any:
        def check() -> Any:
            ratio = self.ratios[lane.id]
            if isinstance(ratio, Exception):
                raise ratio
            return SimpleNamespace(imul_ratio=ratio)

        return SimpleNamespace(check_probe=check)


Made = Callable[..., tuple[Session, Pool, list[Record], list[list[str]]]]


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Made:
    """One pass of the first case whose rounds fail as told before they succeed; which lanes were in each try."""

    def run(*fails: Exception, cases: tuple[str, ...] = (HASHING, MACCING)) -> tuple[Session, Pool, list[Record], list[list[str]]]:  # fmt: skip
        one, pool = session(cases=cases), Pool()
        one._capabilities = {(state.case.operation, lane): Capability(state.case.operation, "default") for state in one._cases for lane in LANES}  # fmt: skip
        left, tries = list(fails), list[list[str]]()

        def enter(state: Any, lane: Any, capability: Any, pool: Any, contestants: list[Any]) -> None:
            proven: Any = SimpleNamespace(ring=1, close=lambda: None)
            contestants.append(Contestant(lane.id, proven, 0.0))

        def rounds(contestants: list[Any], settings: Any, random: Any, gate: Any) -> Rounds:
            tries.append([one.lane for one in contestants])
            if left:
                raise left.pop(0)
            lanes = tuple(samples(one.lane, 1000.0) for one in contestants)
            return Rounds(lanes, (tuple(range(len(lanes))),), (), np.full(4, IPC), 5_000_000_000, 0.25)

        monkeypatch.setattr(one, "_enter", enter)
        monkeypatch.setattr(module, "run_rounds", rounds)
        monkeypatch.setattr(module, "cost_of_call", lambda lane, proven, ns: 7.0 if ns == 100_000.0 else 0.0)
        monkeypatch.setattr(module, "spread_out", lambda *arguments: None)
        before = os.sched_getaffinity(0)
        records: Iterator[Record] = one._one_case(one._cases[0], pool)  # type: ignore[arg-type]
        try:
            return one, pool, list(records), tries
        finally:
            os.sched_setaffinity(0, before)

    return run


def test_a_pass_is_recorded_with_what_its_processes_cost(passing: Made) -> None:
    one, pool, records, tries = passing()
    (record,) = records
    assert isinstance(record, PassRecord) and tries == [list(LANES)] and pool.discarded == []
    assert (record.case, record.index, record.timed_s, record.waited_s, record.valid) == (HASHING, 0, 5.0, 0.25, True)
    assert record.harness_ns == (1.2346,) * 3 and record.order == ((0, 1, 2),)
    assert one._cases[0].ns_per_call == dict.fromkeys(LANES, 7.0) and one._cases[0].tried == 1


def test_a_wrong_lane_leaves_with_its_process_and_the_rest_goes_on(passing: Made) -> None:
    _, pool, records, tries = passing(LaneFailed(B.id, "other bytes"))
    assert records[0] == OutcomeRecord(HASHING, B.id, Outcome.WRONG, "other bytes") and len(records) == 2
    assert pool.discarded == [B.id] and tries == [list(LANES), [A.id, f"{A.id}#2"]]


def test_a_broken_lane_leaves_too_and_a_base_takes_its_twin_along(passing: Made) -> None:
    error = WorkerError("timed-out", "no answer", "last words")
    _, pool, records, tries = passing(LaneCrashed(A.id, error))
    assert records[0] == OutcomeRecord(HASHING, A.id, Outcome.TIMED_OUT, str(error), "last words")
    assert pool.discarded == [A.id] and tries == [list(LANES), [B.id]] and isinstance(records[1], PassRecord)


def test_a_case_without_lanes_ends(passing: Made) -> None:
    _, _, records, tries = passing(LaneFailed(A.id, "x"), LaneFailed(B.id, "y"))
    assert [type(record) for record in records] == [OutcomeRecord, OutcomeRecord, CaseEndRecord] and len(tries) == 2
    assert records[-1] == CaseEndRecord(HASHING, CaseEnd.NO_LANES, 0, 0)


def test_a_build_that_broke_three_times_leaves_every_case(passing: Made) -> None:
    one, pool, records, _ = passing()
    error = WorkerError("crashed", "signal 11")
    told: list[Record] = []
    for state in one._cases[:1] * 2:
        outcome = one._broken(state, B, error, pool)  # type: ignore[arg-type]
        told += one._drop(state, B.id, outcome)
    assert told == [] and [B.id in state.lanes for state in one._cases] == [False, True]
    outcome = one._broken(one._cases[1], A, error, pool)  # type: ignore[arg-type]
    told += one._drop(one._cases[1], A.id, outcome)
    assert told == [] and [A.id in state.lanes for state in one._cases] == [True, False]
    outcome = one._broken(one._cases[0], B, error, pool)  # type: ignore[arg-type]
    told += one._drop(one._cases[0], B.id, outcome)
    detail = f"not tried again: its worker broke too often; the last: {error}"
    assert told == [OutcomeRecord(MACCING, B.id, Outcome.CRASHED, detail)]
    assert [state.lanes for state in one._cases] == [[A.id, f"{A.id}#2"], []] and len(records) == 1


def test_a_build_whose_code_changed_leaves_at_once(passing: Made) -> None:
    one, pool, _, _ = passing()
    error = WorkerError("unavailable", "its code changed")
    outcome = one._broken(one._cases[0], A, error, pool)  # type: ignore[arg-type]
    told = list(one._drop(one._cases[0], A.id, outcome))
    assert told == [
        OutcomeRecord(MACCING, A.id, Outcome.UNAVAILABLE, outcome.detail)
    ]  # the twin is told of by its original
    assert [state.lanes for state in one._cases] == [[B.id], [B.id]]


@pytest.mark.parametrize(
    ("ratios", "found", "discarded"),
    [
        ((3.0, 4.0, 5.0), 3.0, []),
        ((None, 4.0, 5.0), 4.0, []),
        ((WorkerError("crashed", ""), None, 5.0), 5.0, [A.id]),
        ((Refusal("bad-request", ""), WorkerError("crashed", ""), None), None, [A.id, B.id]),
        ((0.0, 4.0, 5.0), 0.0, []),
    ],
)
def test_the_first_probe_that_can_tell_speaks_for_the_core(
    ratios: tuple[float | Exception | None, ...], found: float | None, discarded: list[str]
) -> None:
    one, pool = session(), Pool()
    pool.ratios = dict(zip(LANES, ratios, strict=True))
    assert one._imul_ratio(one._cases[0], pool) == found and pool.discarded == discarded  # type: ignore[arg-type]
