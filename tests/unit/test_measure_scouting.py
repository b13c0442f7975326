# SPDX-License-Identifier: Apache-2.0
"""The watch of a core with scouts that are objects of this file: who is asked, in which order, where a run goes, and what is left where it was. No process, no clock."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cipherstone.measure import watch as module
from cipherstone.measure.watch import AwayFrom, CpuWatch, _unsound, keep_away, plausible
from cipherstone.model.errors import WorkerError
from cipherstone.model.records import Settings
from cipherstone.protocol.messages import Readings, Refusal

FREE, BUSY = 5.0, 3.0
Told = Callable[[int | None], Sequence[float] | None]  # CPU -> IPC of readings, repeated


class Scout:
    """A launch and the process that it starts. `ratios`: what the checks of its probe tell, one after the other."""

    def __init__(self, told: Told, ratios: Sequence[float | None] = (3.0,), error: Exception | None = None) -> None:
        self._told, self._ratios, self._error = told, list(ratios), error
        self.alive = False
        self.cpu: int | None = None
        self.log: list[str] = []

    def start(self) -> Scout:
        self.alive = True
        self.log.append("start")
        return self

    def hello(self) -> None:
        self.log.append("hello")

    def check_probe(self) -> Any:
        self.log.append("check")
        return SimpleNamespace(imul_ratio=self._ratios.pop(0) if len(self._ratios) > 1 else self._ratios[0])

    def pin(self, cpu: int) -> bool:
        changed, self.cpu = self.cpu != cpu, cpu
        return changed

    def probe(self, count: int) -> Readings:
        self.log.append(f"probe {self.cpu}")
        if self._error is not None:
            raise self._error
        told = self._told(self.cpu)
        if told is None:
            return Readings()
        ipc = [told[k % len(told)] for k in range(count)]
        return Readings((0.25,) * count, tuple(0.25 / one for one in ipc))

    def close(self) -> None:
        self.alive = False
        self.log.append("close")


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every CPU is like every other one; nobody sleeps."""
    found: list[float] = []
    monkeypatch.setattr(module, "cpus_like", lambda cpu, allowed: list(allowed))
    monkeypatch.setattr(time, "sleep", found.append)
    return found


def watching(
    *scouts: Scout, cpus: Sequence[int] = (0, 1), stored: float | None = FREE, move: bool = True, seed: int = 0
) -> CpuWatch:
    return CpuWatch(Settings(cpu=cpus[0], move=move, seed=seed), scouts, stored, cpus)  # type: ignore[arg-type]


def shares(by_cpu: dict[int, int]) -> Told:
    """So many readings of ten are of a free core."""

    def told(cpu: int | None) -> list[float]:
        count = by_cpu[cpu or 0]
        return [FREE] * count + [BUSY] * (10 - count)

    return told


@pytest.mark.parametrize(
    "lame",
    [
        Scout(lambda cpu: None),
        Scout(lambda cpu: [900.0]),
        Scout(lambda cpu: [FREE], error=WorkerError("crashed", "gone")),
        Scout(lambda cpu: [FREE], error=Refusal("bad-request", "no probe")),
    ],
    ids=["no probe", "no core", "breaks", "refuses"],
)
def test_one_that_cannot_look_makes_room_for_the_next(lame: Scout) -> None:
    """It is ended first: a process that goes on beside a measurement is a neighbour."""
    able = Scout(lambda cpu: [FREE])
    watch = watching(lame, able)
    assert not watch.survey()
    assert lame.log[-2:] == ["probe 0", "close"] and not lame.alive and lame.log.count("start") == 1
    assert able.log == ["start", "hello", "check", "probe 0", "probe 1", "probe 0", "probe 1"]
    watch.close()
    assert able.log[-1] == "close"
    watch.close()
    assert able.log.count("close") == 1


def test_where_nobody_can_look_the_run_stays(slept: list[float]) -> None:
    lame = Scout(lambda cpu: None)
    watch = watching(lame)
    assert not watch.survey() and not watch.survey() and (watch.cpu, watch.reference) == (0, FREE)
    assert lame.log.count("start") == 1


def test_a_scout_settles_where_it_was_moved(slept: list[float]) -> None:
    """A thread moves at its next wake-up; one that is there already need not wait."""
    scout = Scout(lambda cpu: [FREE])
    watch = watching(scout, cpus=(4,))
    for _ in range(3):
        watch.survey()
    assert slept == [module.SETTLE_S] and scout.log[3:] == ["probe 4"] * 3
    loose = Scout(lambda cpu: [FREE])
    watch = CpuWatch(Settings(cpu=None, move=True), [loose], None, (0, 1))  # type: ignore[list-item]
    assert not watch.survey() and loose.log[3:] == ["probe None"] and watch.reference == FREE and len(slept) == 1


def test_one_that_has_died_is_started_again() -> None:
    scout = Scout(lambda cpu: [FREE])
    watch = watching(scout, move=False)
    watch.survey()
    scout.alive = False
    watch.survey()
    assert scout.log == ["start", "hello", "check", "probe 0"] * 2


@pytest.mark.parametrize(
    ("there", "goes"), [({0: 5, 1: 7}, 1), ({0: 5, 1: 6}, 0), ({0: 5, 1: 5}, 0), ({0: 0, 1: 10, 2: 9}, 1), ({0: 10, 1: 10}, 0), ({0: 3, 1: 6, 2: 7}, 2)]
)  # fmt: skip
def test_a_run_goes_to_who_is_freer_by_a_fifth(there: dict[int, int], goes: int) -> None:
    """A fifth exactly is enough."""
    watch = watching(Scout(shares(there)), cpus=tuple(there))
    assert watch.survey() is (goes != 0) and watch.cpu == goes


def test_of_many_cpus_seven_others_are_looked_at() -> None:
    cpus = tuple(range(20, 40))
    scout = Scout(lambda cpu: [FREE])
    watch = watching(scout, cpus=cpus, seed=3)
    watch.survey()
    asked = [int(line.partition(" ")[2]) for line in scout.log if line.startswith("probe")]
    assert asked[:8] == asked[8:] and asked[0] == 20 and asked[1:8] == sorted(asked[1:8])
    others = set(asked) - {20}
    assert len(asked) == 16 and len(others) == 7 and others <= set(cpus)
    watch.survey()
    again = [int(line.partition(" ")[2]) for line in scout.log if line.startswith("probe")][16:]
    assert set(again) != set(asked)  # others than before: nobody knows who is free


@pytest.mark.parametrize(("count", "looked_at"), [(1, 1), (2, 2), (8, 8), (9, 8), (12, 8)])
def test_up_to_eight_cpus_are_all_looked_at(count: int, looked_at: int) -> None:
    scout = Scout(lambda cpu: [FREE])
    watching(scout, cpus=tuple(range(count))).survey()
    assert len({line for line in scout.log if line.startswith("probe")}) == looked_at


def test_a_survey_without_an_answer_decides_nothing() -> None:
    """The scout falls silent between two CPUs, and no other is left."""
    asked: list[int | None] = []

    def told(cpu: int | None) -> list[float] | None:
        asked.append(cpu)
        return [BUSY] if cpu == 0 else [FREE] if len(asked) < 4 else None

    watch = watching(Scout(told))
    assert not watch.survey() and watch.cpu == 0 and asked == [0, 1, 0, 1]


def test_a_probe_is_sound_as_soon_as_one_of_eight_checks_is() -> None:
    sound = Scout(lambda cpu: [FREE], [2.5, 1.2, 4.0, 2.5])
    watch = watching(sound, move=False)
    watch.survey()
    assert watch.unsound == "" and sound.log.count("check") == 3
    wrong = Scout(lambda cpu: [FREE], [2.5] * 7 + [1.07, 3.0])
    watch = watching(wrong, move=False)
    watch.survey()
    assert wrong.log.count("check") == 8 and watch.unsound.startswith("a multiplication takes 1.07 additions")
    assert watch.quiet is None


@pytest.mark.parametrize(
    ("ratio", "sound"), [(1.86, True), (1.84, False), (2.14, True), (2.16, False), (8.0, True), (8.01, False), (9.0, False), (1.1, False)]
)  # fmt: skip
def test_what_a_multiplication_may_take(ratio: float, sound: bool) -> None:
    assert (_unsound(ratio) == "") is sound


def test_plausible_by_the_median_of_what_was_seen() -> None:
    assert plausible(np.array([8.0, 8.0, 9.0])).size == 3 and plausible(np.array([8.0, 9.0, 9.0])).size == 0


def test_a_share_is_of_all_readings() -> None:
    watch = watching()
    assert watch.share(np.array([FREE, 4.85, 4.84, np.nan, 5.25, 5.26])) == 0.5
    assert watch.share(np.empty(0)) == 0.0 and watching(stored=None).share(np.array([FREE])) == 0.0


def test_the_level_is_looked_for_four_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a quarter of a second, and not before."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    watch = watching(stored=4.0)
    for now[0], level, known in ((100.0, 5.0, 5.0), (100.249, 5.5, 5.0), (100.25, 5.5, 5.5), (100.4, 5.9, 5.5)):
        watch.learn(np.full(100, level))
        assert watch.reference == known


def test_the_sample_of_readings_stays_fair() -> None:
    """Of four times as many as are kept, a quarter of each kind; both halves of a first slice that is too large."""
    watch = watching(stored=None)
    for level in (1.0, 2.0, 3.0, 4.0):
        watch.learn(np.full(module.KEPT_READINGS, level))
    kept = watch._readings
    counts = [int(np.count_nonzero(kept == level)) for level in (1.0, 2.0, 3.0, 4.0)]
    assert kept.size == module.KEPT_READINGS == sum(counts) and all(abs(one - 2048) < 200 for one in counts)
    assert counts[3] == 2048
    watch = watching(stored=None)
    watch.learn(np.full(module.KEPT_READINGS, 1.0))
    assert watch._readings.size == module.KEPT_READINGS
    watch.learn(np.full(1, 2.0))
    assert watch._readings.size == module.KEPT_READINGS


# -- this process ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def went(monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    """Where this process went: CPUs 2k and 2k + 1 share a core."""
    found: list[set[int]] = []
    monkeypatch.setattr(module, "thread_siblings", lambda cpu: [cpu & ~1, cpu | 1])
    monkeypatch.setattr(os, "sched_setaffinity", lambda process, cpus: found.append(set(cpus)))
    return found


@pytest.mark.parametrize(
    ("cpu", "allowed", "to"),
    [
        (1, (0, 1, 2, 3), {2, 3}),
        (1, (0, 1), {0}),  # nothing but its sibling is left
        (1, (1,), None),
        (1, (), None),
        (None, (0, 1), None),
        (2, (0, 1, 2), {0, 1}),
    ],
)
def test_this_process_keeps_off_the_core(
    went: list[set[int]], cpu: int | None, allowed: tuple[int, ...], to: set[int] | None
) -> None:
    keep_away(cpu, allowed)
    assert went == ([] if to is None else [to])


def test_within_it_keeps_off_and_goes_back_afterwards(went: list[set[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "allowed_cpus", lambda: [0, 1, 2])
    with AwayFrom(1):
        assert went == [{2}]
    assert went == [{2}, {0, 1, 2}]
    with AwayFrom(None):
        pass
    assert len(went) == 2
    monkeypatch.setattr(module, "allowed_cpus", lambda: [])
    with AwayFrom(1):
        pass
    assert len(went) == 2


def test_where_the_system_does_not_let_it_nothing_happens(
    went: list[set[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(process: int, cpus: object) -> None:
        raise OSError

    monkeypatch.setattr(os, "sched_setaffinity", refused)
    keep_away(1, (0, 1, 2))
    assert went == []
