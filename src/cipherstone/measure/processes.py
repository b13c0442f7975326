# SPDX-License-Identifier: Apache-2.0
"""Whole processes: a fresh one for each sample, which starts, loads its library, does one task and ends.

Rounds follow one another; in each, every cell has one process, in an order drawn anew: cases, and within a case its lanes, beside one empty process of every build. So
what disturbs one lane disturbs the others, and samples of a round make pairs. The message is read from a file while the process runs, everything else is
an argument. What each process left is compared with what was proven before its figures are kept.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from cipherstone.catalogue.conditions import call_conditions
from cipherstone.measure.firstcall import Cell
from cipherstone.measure.pool import Launch, PassPool, outcome_of
from cipherstone.measure.proof import Expectations, Expected
from cipherstone.model.awake_clock import awake_s
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import EMPTY_CASE, OutcomeRecord, ProcessRecord, Record, Settings
from cipherstone.stats.interval import SMALLEST_K
from cipherstone.worker.environment import preloading
from cipherstone.worker.single import Single, Starter

EMPTY_IMPLEMENTATION = "sdk"
# Of a bound on the run's time, what the timing inside of processes leaves for these at least.
SHARE = 0.5


def empty_lane(lane: Lane) -> str:
    """The lane that stands for the empty process of a build."""
    return Lane(lane.library, lane.build, EMPTY_IMPLEMENTATION).id


def timing_bound(settings: Settings) -> float | None:
    """Seconds that the timing inside of processes may take at most; None without a bound."""
    if settings.max_time_s is None or not settings.processes:
        return settings.max_time_s
    return settings.max_time_s * (1 - SHARE)


def left_s(settings: Settings, elapsed_s: float) -> float | None:
    """Seconds of the run's bound that are left; None without one."""
    return None if settings.max_time_s is None else max(0.0, settings.max_time_s - elapsed_s)


class Processes:
    """`settings.processes` rounds over these cells, for so many seconds from now on (None: as long as it takes). `earlier`: what a part of the run before this one recorded."""

    def __init__(
        self,
        cells: Sequence[Cell],
        launches: Mapping[str, Launch],
        launcher: Path,
        settings: Settings,
        seconds: float | None,
        earlier: Iterable[Record] = (),
    ) -> None:
        self._cells = list(cells)
        self._launches = launches
        self._launcher = launcher
        self._settings = settings
        self._seconds = seconds
        self._began = awake_s()
        before = [record.round for record in earlier if isinstance(record, ProcessRecord)]
        self._round = max(before, default=-1) + 1
        self._empty = {empty_lane(lane): lane for _, lane, _ in cells}
        self._out = False

    def run(self, on_rounds: Callable[[int, int], None] | None = None) -> Iterator[Record]:
        """The records, in the order in which the processes ran. A cell whose process is wrong, crashes or hangs gives an outcome and is asked no more."""
        expectations = Expectations()
        with tempfile.TemporaryDirectory(prefix="cipherstone-") as folder:
            starter = Starter(self._launcher, Path(folder), self._settings.cpu)
            while self._cells and self._round < self._settings.processes and not self._late():
                if on_rounds is not None:
                    on_rounds(self._round, self._settings.processes)
                yield from self._one_round(starter, expectations)
                if not self._out:  # a round that the bound cuts is none of those that were made
                    self._round += 1

    @property
    def note(self) -> str:
        """What there was no time for, or ""."""
        if not self._out:
            return ""
        few = "" if self._round >= SMALLEST_K else ", too few for an interval"
        return f"whole processes: {self._round} of {self._settings.processes} rounds{few}: the run's bound leaves no more time"

    def _one_round(self, starter: Starter, expectations: Expectations) -> Iterator[Record]:
        # By round, so that a resumed run does not draw the orders of its beginning again.
        order = random.Random(f"{self._settings.seed} {self._round}")
        by_case: dict[str, list[Cell | str]] = {EMPTY_CASE: [*self._empty]}
        for cell in self._cells:
            by_case.setdefault(cell[0].id, []).append(cell)
        cases = list(by_case)
        order.shuffle(cases)
        for case in cases:
            order.shuffle(by_case[case])
            for job in by_case[case]:
                if self._late():
                    return
                yield (
                    self._empty_process(job, starter)
                    if isinstance(job, str)
                    else self._task(job, starter, expectations)
                )

    def _empty_process(self, name: str, starter: Starter) -> Record:
        lane = self._empty[name]
        try:
            fields = {"op": EMPTY_CASE, "impl": EMPTY_IMPLEMENTATION}
            return self._record(EMPTY_CASE, name, _started(starter, self._launches[lane.build_id], fields))
        except WorkerError as error:
            del self._empty[name]
            return OutcomeRecord(EMPTY_CASE, name, outcome_of(error), _whole(str(error)), error.stderr)

    def _task(self, cell: Cell, starter: Starter, expectations: Expectations) -> Record:
        case, lane, capability = cell
        expected = expectations.of(case, capability.form)
        fields = {
            "op": case.listed,
            "impl": capability.implementation,
            "known": 1,
            **_texts(expected, starter),
        }
        try:
            single = _started(starter, self._launches[lane.build_id], fields)
        except WorkerError as error:
            self._cells.remove(cell)
            return OutcomeRecord(case.id, lane.id, outcome_of(error), _whole(str(error)), error.stderr)
        if problem := expected.problem(single.computed):
            self._cells.remove(cell)
            return OutcomeRecord(case.id, lane.id, Outcome.WRONG, _whole(problem))
        return self._record(case.id, lane.id, single)

    def _record(self, case: str, lane: str, single: Single) -> ProcessRecord:
        return ProcessRecord(case, lane, self._round, single.wall_ns, single.cpu_ns, single.max_rss_kib)

    def _late(self) -> bool:
        self._out = self._out or (self._seconds is not None and awake_s() - self._began >= self._seconds)
        return self._out


def proven(cells: Sequence[Cell], pool: PassPool, late: Callable[[], bool] = lambda: False) -> Iterator[Record]:
    """Proves cells that no pass came to, so that they may have samples: their proofs, and outcomes of those that fail. `late`: whether the bound has come, behind which no process would be started."""
    for case, lane, capability in cells:
        if late():
            return
        try:
            proof = pool.prove(lane, capability)
        except WorkerError as error:
            yield OutcomeRecord(case.id, lane.id, outcome_of(error), str(error), error.stderr)
            continue
        if proof is not None:
            yield proof
        if not pool.is_proven(lane, capability):
            yield OutcomeRecord(case.id, lane.id, *pool.failure(lane, capability))


def able_cells(cells: Sequence[Cell], able: Collection[str]) -> list[Cell]:
    """Those whose build can be started for one call, and that are called under no condition: one call has none."""
    return [cell for cell in cells if cell[1].build_id in able and not _conditional(cell)]


def _conditional(cell: Cell) -> bool:
    return bool(call_conditions(cell[0].params))


def _started(starter: Starter, launch: Launch, fields: Mapping[str, object]) -> Single:
    return starter.start(launch.command, fields, preloading(launch.environment, launch.preload), launch.patience)


def _texts(expected: Expected, starter: Starter) -> dict[str, str]:
    """The fields of a task: its message is a file, everything else is as `prepare` has it."""
    message = expected.inputs.get("msg")
    return expected.texts if message is None else {**expected.texts, "msg": starter.file_of(message)}


def _whole(text: str) -> str:
    return f"as a process of its own: {text}"
