# SPDX-License-Identifier: Apache-2.0
"""Turns of lanes whose task is no call in a timing loop: handshakes over sockets, servers, programs. The order, the A/A lane, the probes, the bound and resumption are the same for all such instruments; what a turn is, the instrument says."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from statistics import median
from typing import NamedTuple, Protocol

from cipherstone.host.facts import allowed_cpus
from cipherstone.measure.pool import Launch
from cipherstone.measure.watch import CpuWatch
from cipherstone.model.awake_clock import awake_s
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import TWIN
from cipherstone.model.instruments import InstrumentCase, InstrumentPlan, TurnRecord
from cipherstone.model.records import Settings

MOST_TRIES = 2  # times the passes that are planned: a program that breaks in each pass does not make it endless
Turn = Callable[[str], Mapping[str, float | str]]


class TurnFailed(Exception):
    """A turn gave no figure, and its pass goes on; the reason."""


class Instrument(Protocol):
    """What measures. `plan` is complete when the run begins."""

    @property
    def plan(self) -> InstrumentPlan:
        """What is measured."""

    @property
    def scouts(self) -> Sequence[Launch]:
        """Workers whose probes can watch the core that is measured; none where the plan says `unprobed`."""

    def opened(self, case: InstrumentCase, pass_index: int) -> AbstractContextManager[Turn]:
        """Fresh processes for one pass of a case. Its value makes a turn of a lane, the A/A lane included, and gives the figures by name: numbers, and texts where the plan has words. CipherstoneError ends the run. A turn may raise TurnFailed, and WorkerError: a process broke, and its pass ends."""


class TurnProgress(NamedTuple):
    """How far the measuring is. `title`: of the case."""

    title: str
    passes: int
    planned: int


class Turns:
    """Measures what an instrument plans. `elapsed_s`: what earlier parts of the run took of the bound."""

    def __init__(
        self,
        instrument: Instrument,
        settings: Settings,
        reference: float | None,
        earlier: Iterable[object] = (),
        elapsed_s: float = 0.0,
        on_case: Callable[[TurnProgress], None] = lambda looked: None,
    ) -> None:
        self._instrument = instrument
        self._plan = instrument.plan
        self._settings = settings
        self._on_case = on_case
        self._started = awake_s() - elapsed_s
        scouts = () if self._plan.unprobed else instrument.scouts
        self._watch = CpuWatch(settings, scouts, reference, allowed_cpus())
        mine = [one for one in earlier if isinstance(one, TurnRecord) and one.instrument == self._plan.name]
        self._done = {case.id: passes_of(self._plan, case, mine) for case in self._plan.cases}
        self.note = ""

    @property
    def reference(self) -> float | None:
        """IPC of a free core as it is known now, None without probes."""
        return self._watch.reference

    def run(self) -> Iterator[TurnRecord]:
        """A record a turn. Passes of all cases take turns, so that every case has some when the bound comes."""
        cases = [case for case in self._plan.cases if case.lanes]
        try:
            while waiting := [case for case in cases if self._waits(case)]:
                least = min(self._done[case.id].next for case in waiting)
                for case in waiting:
                    done = self._done[case.id]
                    if done.next > least:
                        continue
                    if self._late():
                        self.note = f"{self._plan.title}: the bound came after {done.whole} of {self._plan.passes} passes of {case.title}"
                        return
                    self._on_case(TurnProgress(case.title, done.whole, self._plan.passes))
                    yield from self._pass(case)
        finally:
            self._watch.close()

    def _waits(self, case: InstrumentCase) -> bool:
        done, planned = self._done[case.id], self._plan.passes
        return done.whole < planned and done.next < MOST_TRIES * planned

    def _late(self) -> bool:
        if is_exact(self._plan):  # a pass that a bound cannot cut: without it nothing is known
            return False
        bound = self._settings.max_time_s
        return bound is not None and awake_s() - self._started >= bound

    def _pass(self, case: InstrumentCase) -> Iterator[TurnRecord]:
        done = self._done[case.id]
        # By case and pass, so that a resumed run does not draw the orders of its beginning again.
        order = random.Random(f"{self._settings.seed} {case.id} {done.next}")
        lanes = [lane for _ in range(self._plan.rounds) for lane in order.sample(case.lanes, len(case.lanes))]
        self._done[case.id] = Passes(done.whole, done.next + 1)
        with self._instrument.opened(case, done.next) as turn:
            before = self._ipc()
            for place, lane in enumerate(lanes):
                began = awake_s()
                taken = _taken(turn, lane)
                wall, after = awake_s() - began, self._ipc()
                yield TurnRecord(
                    instrument=self._plan.name,
                    case=case.id,
                    lane=lane,
                    pass_index=done.next,
                    turn=place,
                    start_s=began - self._started,
                    wall_s=wall,
                    figures=taken.figures,
                    words=taken.words,
                    ipc_before=before,
                    ipc_after=after,
                    failed=taken.failed,
                )
                if taken.broken:
                    return
                before = after
        self._done[case.id] = Passes(done.whole + 1, done.next + 1)

    def _ipc(self) -> float | None:
        """What the core that is measured gives now, None without probes."""
        readings = self._watch.look()
        return None if readings is None or not readings.size else median(readings.tolist())


class Passes(NamedTuple):
    """`whole`: passes in which every lane had all of its turns; `next`: the index of the next one."""

    whole: int = 0
    next: int = 0


def passes_of(plan: InstrumentPlan, case: InstrumentCase, turns: Sequence[TurnRecord]) -> Passes:
    """What is there of a case. A pass that was cut off is none of the whole ones; its turns are kept and count."""
    made = Counter(one.pass_index for one in turns if one.case == case.id)
    due = len(case.lanes) * plan.rounds
    return Passes(sum(number >= due for number in made.values()), max(made, default=-1) + 1)


class _Taken(NamedTuple):
    """What a turn gave. `failed`: why nothing; `broken`: a process of the pass is gone."""

    figures: dict[str, float]
    words: dict[str, str]
    failed: str = ""
    broken: bool = False


def _taken(turn: Turn, lane: str) -> _Taken:
    try:
        given = turn(lane)
        return _Taken(
            {name: value for name, value in given.items() if not isinstance(value, str)},
            {name: value for name, value in given.items() if isinstance(value, str)},
        )
    except TurnFailed as reason:
        return _Taken({}, {}, str(reason))
    except WorkerError as error:
        return _Taken({}, {}, f"{error.outcome}: {error}", True)


def is_exact(plan: InstrumentPlan) -> bool:
    """Whether all figures are exact: nothing is timed."""
    return all(kind.exact for kind in plan.figures)


def with_twin(lanes: Sequence[str], base: str) -> tuple[str, ...]:
    """The lanes with the base once more, in processes of its own: the A/A lane."""
    return (*lanes, base + TWIN) if base in lanes else tuple(lanes)


def untwinned(lane: str) -> str:
    """The lane whose program an A/A lane is."""
    return lane.removesuffix(TWIN)
