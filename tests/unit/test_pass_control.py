# SPDX-License-Identifier: Apache-2.0
"""When a pass ends, waits or moves: a session's gate with a real watch and a scripted scout."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from scripted_scout import Scout
from test_views_passes import IPC, pass_record

from cipherstone.host.facts import allowed_cpus
from cipherstone.measure import pass_control as module
from cipherstone.measure.casestate import CaseState
from cipherstone.measure.pass_control import PassControl
from cipherstone.measure.watch import CpuWatch
from cipherstone.model.outcomes import CaseEnd
from cipherstone.model.records import PlannedCase, Settings

BUSY = [3.0, 3.4, 3.9]
A = "openssl@3"


@pytest.fixture
def scout(tmp_path: Path) -> Scout:
    return Scout(tmp_path)


@pytest.fixture
def two_cpus() -> Iterator[tuple[int, int]]:
    """This process goes back to all its CPUs afterwards."""
    allowed = allowed_cpus()
    if len(allowed) < 2:
        pytest.skip("one CPU: there is none to go to")
    yield allowed[0], allowed[1]
    os.sched_setaffinity(0, allowed)


Make = Callable[..., tuple[PassControl, CpuWatch]]


@pytest.fixture
def make(scout: Scout, two_cpus: tuple[int, int]) -> Iterator[Make]:
    """A gate on the first of two CPUs, `elapsed_s` into the run."""
    made: list[CpuWatch] = []

    def gate(
        max_time_s: float | None = None, elapsed_s: float = 0.0, move: bool = True
    ) -> tuple[PassControl, CpuWatch]:
        settings = Settings(cpu=two_cpus[0], move=move, max_time_s=max_time_s)
        watch = CpuWatch(settings, (scout.launch,), IPC, two_cpus)
        made.append(watch)
        return PassControl(settings, watch, two_cpus, lambda: elapsed_s), watch

    yield gate
    for watch in made:
        watch.close()


def case(valid: int, end: CaseEnd | None = None) -> CaseState:
    state = CaseState(PlannedCase("md5/hash", (A,)), Settings())
    for p in range(valid):
        state.add(pass_record("md5/hash", p, {A: 100.0}), IPC)
    state.end = end
    return state


def test_the_time_of_a_run(make: Make) -> None:
    gate, watch = make()
    assert gate.remaining_s() is None and not gate.late()
    assert gate.quiet == watch.quiet == pytest.approx(0.97 * IPC)
    gate, _ = make(10.0, 4.0)
    assert gate.remaining_s() == 6.0 and not gate.late()
    for elapsed_s in (10.0, 12.0):
        gate, _ = make(10.0, elapsed_s)
        assert gate.remaining_s() == 10.0 - elapsed_s and gate.late()


def test_without_a_bound_a_pass_never_has_enough(make: Make) -> None:
    gate, _ = make()
    assert not gate.enough()
    gate.share_out([case(0)])
    assert not gate.enough()


def test_a_pass_has_enough_when_its_share_of_the_time_is_over(make: Make) -> None:
    gate, _ = make(1000.0)
    assert not gate.enough()  # before the first share
    gate.share_out([case(0), case(3)])
    assert not gate.enough()
    late, _ = make(1000.0, 1000.0)
    late.share_out([case(0)])
    assert late.enough()


def test_cases_that_ended_take_no_share_and_one_that_is_nearly_there_takes_one(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """90 s for 9 passes of one case and the last of another: 6 s of a pass's 9 are for its rounds. The last pass of all has the time for itself."""
    gate, _ = make(90.0)
    now = [100.0]
    monkeypatch.setattr(module, "awake_s", lambda: now[0])
    for open_cases, passes in (([case(0), case(12), case(4, CaseEnd.CONVERGED)], 10), ([case(8)], 1)):
        now[0] = 100.0
        gate.share_out(open_cases)
        share = module.PASS_SHARE * 90.0 / passes
        for after, enough in ((0.0, False), (share - 0.01, False), (share + 0.01, True)):
            now[0] = 100.0 + after
            assert gate.enough() is enough


def test_a_round_in_vain_makes_the_next_turns_wait_longer(make: Make, scout: Scout, two_cpus: tuple[int, int]) -> None:
    """By looking, in the worker itself; a round that gave something ends that."""
    scout.set(dict.fromkeys(two_cpus, BUSY))
    gate, _ = make()
    assert gate.wait_us == Settings().wait_us
    assert gate.goes_on(0.5, 0.5) and gate.wait_us == module.LONGER_WAIT * Settings().wait_us
    assert gate.goes_on(0.75, 0.25) and gate.waited_s == 0.75
    assert gate.goes_on(0.75, 0.0)
    assert gate.wait_us == Settings().wait_us and gate.waited_s == 0.75


def test_it_goes_elsewhere_with_all_workers_when_time_is_lost(
    make: Make, scout: Scout, two_cpus: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether rounds were in vain or each waited for its one clean batch. The pass goes on there."""
    monkeypatch.setattr(module, "SURVEY_EVERY_S", 0.0)
    scout.set({two_cpus[0]: BUSY, two_cpus[1]: [IPC]})
    for vain_s in (0.0, 0.3 * module.LOST_BEFORE_LOOK_S):
        gate, watch = make()
        went: list[int | None] = []
        gate.on_move = went.append
        looked = len(scout.said("probe"))
        for _ in range(3):
            assert gate.goes_on(0.3 * module.LOST_BEFORE_LOOK_S, vain_s)
        assert len(scout.said("probe")) == looked and gate.cpu == two_cpus[0] and went == []
        assert gate.goes_on(0.3 * module.LOST_BEFORE_LOOK_S, vain_s)
        assert gate.cpu == watch.cpu == two_cpus[1] and went == [two_cpus[1]]
        assert gate.goes_on(0.3 * module.LOST_BEFORE_LOOK_S, vain_s)  # what was lost before the move is forgotten
        assert went == [two_cpus[1]] and not gate.given_up


def test_where_no_other_is_freer_the_pass_goes_on(make: Make, scout: Scout, two_cpus: tuple[int, int]) -> None:
    scout.set(dict.fromkeys(two_cpus, BUSY))
    gate, watch = make()
    assert gate.goes_on(1.0, 1.0) and len(scout.said("probe")) == 4 and watch.cpu == two_cpus[0]
    scout.set({two_cpus[0]: BUSY, two_cpus[1]: [IPC]})
    stays, watch = make(move=False)
    assert stays.goes_on(1.0, 1.0) and watch.cpu == two_cpus[0]


def test_it_does_not_look_after_every_round_in_vain(
    make: Make, scout: Scout, two_cpus: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SURVEY_EVERY_S", 3600.0)
    scout.set(dict.fromkeys(two_cpus, BUSY))
    gate, _ = make()
    gate.survey()
    looked = len(scout.said("probe"))
    assert gate.goes_on(1.0, 1.0) and gate.goes_on(2.0, 1.0) and len(scout.said("probe")) == looked


def test_it_looks_again_when_the_time_between_two_looks_is_over(
    make: Make, scout: Scout, two_cpus: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the very moment, by the time that has passed since the last one."""
    scout.set(dict.fromkeys(two_cpus, BUSY))
    now = [100.0]
    monkeypatch.setattr(module, "awake_s", lambda: now[0])
    monkeypatch.setattr(module, "SURVEY_EVERY_S", 0.5)
    gate, _ = make()
    gate.survey()
    looked = len(scout.said("probe"))
    for now[0], looks in ((100.25, 1), (100.5, 2), (100.75, 2), (101.25, 3)):
        assert gate.goes_on(1.0, 0.0) and len(scout.said("probe")) == looks * looked, now


def test_without_a_bound_the_budget_for_waiting_ends_the_run(
    make: Make, scout: Scout, two_cpus: tuple[int, int]
) -> None:
    """In all, whatever came in between. With a bound the bound ends it."""
    scout.set(dict.fromkeys(two_cpus, BUSY))
    endless, _ = make()
    assert endless.goes_on(0.0, module.WAIT_BUDGET_S - 1.0) and not endless.given_up
    assert endless.goes_on(0.0, 0.0)
    assert not endless.goes_on(0.0, 1.0) and endless.given_up
    bounded, _ = make(max_time_s=600.0)
    assert bounded.goes_on(0.0, 10 * module.WAIT_BUDGET_S) and not bounded.given_up


def test_who_waits_is_told_how_long_nothing_has_come(scout: Scout, two_cpus: tuple[int, int]) -> None:
    scout.set(dict.fromkeys(two_cpus, BUSY))
    told: list[float] = []
    settings = Settings(cpu=two_cpus[0], move=True)
    watch = CpuWatch(settings, (scout.launch,), IPC, two_cpus)
    gate = PassControl(settings, watch, two_cpus, lambda: 0.0, told.append)
    try:
        for _ in range(3):
            assert gate.goes_on(0.0, 0.5)
        assert told == [1.0, 1.5]  # not before a second
        assert gate.goes_on(0.0, 0.0)
        assert gate.goes_on(0.0, 0.5) and told == [1.0, 1.5]
    finally:
        watch.close()


@pytest.mark.parametrize(("share", "looks"), [(1.0, False), (0.6, False), (0.4, True), (0.0, True)])
def test_after_a_disturbed_pass_it_looks_for_a_freer_cpu(
    make: Make, scout: Scout, two_cpus: tuple[int, int], share: float, looks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SURVEY_EVERY_S", 0.0)
    scout.set({two_cpus[0]: BUSY, two_cpus[1]: [IPC]})
    gate, watch = make()
    clean = round(share * 50)
    gate.look_around(np.array([IPC] * clean + [3.0] * (50 - clean)))
    assert (len(scout.said("probe")) > 0) is looks and watch.cpu == two_cpus[looks]
    assert watch.cpu not in os.sched_getaffinity(0)  # this process keeps off wherever it measures


def test_it_does_not_look_after_every_pass_nor_where_there_is_nothing_to_see(
    make: Make, scout: Scout, two_cpus: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    scout.set(dict.fromkeys(two_cpus, BUSY))
    gate, _ = make()
    gate.look_around(np.empty(0))  # workers without a probe
    assert scout.said("probe") == []
    monkeypatch.setattr(module, "SURVEY_EVERY_S", 3600.0)
    gate.survey()
    looked = len(scout.said("probe"))
    assert looked == 4
    gate.look_around(np.full(50, 3.0))
    assert len(scout.said("probe")) == looked
