# SPDX-License-Identifier: Apache-2.0
"""The instrument that times ladders: the very files that were proven are the lanes, an input of a program of a library is a case, the step `default` its base.

A turn is one fresh process, whose value is the lower quartile of its batches of CPU time. A client of TLS is compared with the default client of the same server, so that version and certificates are alike: each server is a case of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from cipherstone.build.cache import file_digest
from cipherstone.build.workshop import Workshop
from cipherstone.labs.footprint.ladder import TLS_CLIENT, Ladder, Tls
from cipherstone.labs.footprint.machine import TargetMachine
from cipherstone.labs.footprint.request import REFERENCE
from cipherstone.labs.footprint.sizes import InputCount
from cipherstone.labs.footprint.speed import (
    DRAWS,
    TASKS,
    Bench,
    CallPlan,
    Runner,
    Site,
    Task,
    bench_of,
    counter,
    plan_of,
    repeater,
)
from cipherstone.labs.footprint.stored import SPEED, TIME, Input, case_of, lane_of
from cipherstone.measure.pool import Launch
from cipherstone.measure.turns import Turn, TurnFailed, untwinned, with_twin
from cipherstone.model.errors import BuildError, CipherstoneError
from cipherstone.model.ids import Lane
from cipherstone.model.instruments import FigureKind, InstrumentCase, InstrumentLane, InstrumentPlan, LeftOut

PASSES = 9  # the smallest number whose interval leaves the lowest and the highest out
FIGURES = (
    FigureKind(
        TIME,
        "ns",
        "processor time of a call of main in that very file, from input to output, without reading and writing; of a handshake: of the client alone",
        True,
    ),
)
NO_DEFAULT = "the step default was not asked for, or is not proven"
NO_TIME = "takes no longer than reading and writing alone"
_TRIAL = CallPlan(1, 2, 1)


class Ready(NamedTuple):
    """The proven steps of one program of a ladder on one machine, in the order of the ladder."""

    machine: TargetMachine
    workshop: Workshop
    ladder: Ladder
    program: str
    runners: tuple[Runner, ...]


class How(NamedTuple):
    """How times are taken. `cpu`: where programs run, None for any; `scouts`: workers whose probes can watch it; `unprobed`: why there is none."""

    passes: int = PASSES
    cpu: int | None = None
    scouts: tuple[Launch, ...] = ()
    unprobed: str = ""


class _Kind(NamedTuple):
    """Steps that are compared: clients of one server (`server`: what it agrees on, None for other programs). `base`: the file of the step `default` as a client of that server, None where it is not proven."""

    server: Tls | None
    runners: tuple[Runner, ...]
    base: Runner | None

    @property
    def everyone(self) -> tuple[Runner, ...]:
        """The files that may be called, the base first."""
        return tuple(dict.fromkeys((*([self.base] if self.base else ()), *self.runners)))

    def is_base_again(self, runner: Runner) -> bool:
        """Whether a step is the same file as `default`: there is nothing to compare."""
        base = self.base
        return base is not None and runner != base and file_digest(runner.program) == file_digest(base.program)


class _Contest(NamedTuple):
    """What the turns of a case call: a bench, and by lane the file and what its process does."""

    bench: Bench
    lanes: Mapping[str, tuple[Runner, CallPlan]]


class LadderTimes:
    """The instrument. Tries every file once when it is made, and counts its instructions where they can be counted: `counts` has an entry for each input of each step."""

    def __init__(self, ready: Sequence[Ready], how: How) -> None:
        self.scouts = how.scouts
        self._contests: dict[str, _Contest] = {}
        self._cases: list[InstrumentCase] = []
        self._files: dict[str, dict[str, None]] = {}  # digests by lane: a step is a file a program
        self._left: list[LeftOut] = []
        self.counts = [one for group in ready for one in self._inputs(group, how.cpu)]
        self.plan = InstrumentPlan(
            SPEED,
            "Time of the steps of a ladder",
            FIGURES,
            tuple(_described(lane, tuple(files)) for lane, files in self._files.items()),
            tuple(self._cases),
            how.passes,
            unprobed=how.unprobed,
            left_out=tuple(dict.fromkeys(self._left)),
        )

    @contextmanager
    def opened(self, case: InstrumentCase, pass_index: int) -> Iterator[Turn]:
        """Nothing is open between turns: each is a process of its own."""
        contest = self._contests[case.id]

        def turn(lane: str) -> dict[str, float]:
            runner, plan = contest.lanes[untwinned(lane)]
            told = contest.bench.run(runner, plan)
            if told.wrong:
                raise CipherstoneError(f"{case.title}: {lane}: {told.problem}", "its answers were right before")
            if told.problem or not told.ns > 0.0:
                raise TurnFailed(told.problem or NO_TIME)
            return {TIME: told.ns}

        yield turn

    def _inputs(self, group: Ready, cpu: int | None) -> Iterator[InputCount]:
        """Every input of a program, for each of its steps; the cases on the way."""
        try:
            library = repeater(group.workshop, group.machine)
        except BuildError as error:  # another C library than glibc
            self._left.append(LeftOut(f"{group.ladder.library} {group.program}", error.message))
            return
        count = None if group.program == TLS_CLIENT else counter(group.machine, group.workshop)
        for task in TASKS[group.program]:
            bench = bench_of(task, group.ladder, group.program, Site(group.machine, library, cpu))
            for kind in _kinds(group):
                case, title = _case_of(group, task, kind)
                problems = self._case(group, bench, kind, case, title)
                for runner in kind.runners:
                    counted, uncounted = (None, "") if count is None or bench.drawn else count(bench, runner)
                    if bench.drawn and group.machine.emulator:
                        uncounted = DRAWS
                    why = _why(kind, runner, problems, uncounted)
                    timed = kind.base if kind.base and kind.is_base_again(runner) else runner
                    lane = _lane(group, timed)
                    there = case in self._contests and lane in self._contests[case].lanes
                    key, own = _key(group, runner), _lane(group, runner)
                    said = Input(key, _title(task, runner), case, own, lane if there else "", why)
                    yield InputCount(said, title, counted)

    def _case(self, group: Ready, bench: Bench, kind: _Kind, case: str, title: str) -> dict[Runner, str]:
        """Makes a case of what can be timed. Why files cannot."""
        problems: dict[Runner, str] = {}
        lanes: dict[str, tuple[Runner, CallPlan]] = {}
        for runner in () if group.machine.emulator else kind.everyone:
            lane = _lane(group, runner)
            if kind.is_base_again(runner):
                self._left.append(LeftOut(f"{lane} in {title}", _same(runner)))
                continue
            told = bench.run(runner, _TRIAL)
            if told.problem:
                problems[runner] = told.problem
                self._left.append(LeftOut(f"{lane} in {title}", told.problem))
                continue
            lanes[lane] = runner, plan_of(bench.name, min(told.batches))
            self._files.setdefault(lane, {})[file_digest(runner.program)] = None
        if lanes:
            base = "" if kind.base is None or kind.base in problems else _lane(group, kind.base)
            failed = problems.get(kind.base, NO_DEFAULT) if kind.base is not None else NO_DEFAULT
            self._contests[case] = _Contest(bench, lanes)
            self._cases.append(InstrumentCase(case, title, with_twin(list(lanes), base), base, "" if base else failed))
        return problems


def _kinds(group: Ready) -> Iterator[_Kind]:
    """Clients by what their server agrees on; the steps of any other program together."""
    default = next((one for one in group.runners if one.step == REFERENCE), None)
    if group.program != TLS_CLIENT:
        yield _Kind(None, group.runners, default)
        return
    for server in dict.fromkeys(_server(one) for one in group.runners):
        runners = tuple(one for one in group.runners if _server(one) == server)
        base = default
        if default is not None and default not in runners:
            base = default._replace(tls=msgspec.structs.replace(server, pinned=default.tls.pinned))
        yield _Kind(server, runners, base)


def _server(runner: Runner) -> Tls:
    return Tls(runner.tls.version, runner.tls.cert)


def _why(kind: _Kind, runner: Runner, problems: Mapping[Runner, str], uncounted: str) -> str:
    """Why a figure of a step is missing; "" if none is."""
    if runner in problems:
        return problems[runner]
    if kind.base is not None and kind.base in problems:
        return f"of its step default: {problems[kind.base]}"
    return uncounted or (_same(runner) if kind.is_base_again(runner) else "")


def _same(runner: Runner) -> str:
    return f"the same code as default (image {file_digest(runner.program)}): nothing to compare"


def _case_of(group: Ready, task: Task, kind: _Kind) -> tuple[str, str]:
    """The id of a case, and its title."""
    library, target = group.ladder.library, group.machine.id
    server = "" if kind.server is None else f"TLS {kind.server.version}, {kind.server.cert}"
    title = f"{library} {group.ladder.source.version}{f' on {target}' if target else ''}: {group.program}, {task.title}"
    case = case_of(library, group.program, task=task.title, server=server, target=target)
    return case, f"{title} ({server})" if server else title


def _lane(group: Ready, runner: Runner) -> str:
    return lane_of(group.ladder.library, group.ladder.source.version, runner.step)


def _described(lane: str, files: Sequence[str]) -> InstrumentLane:
    """A step in the manifest, with the hash of its file; of several, of their hashes."""
    one = Lane.parse(lane)
    program = files[0] if len(files) == 1 else hashlib.sha256("".join(files).encode()).hexdigest()[:16]
    return InstrumentLane(lane, f"{one.library} {one.build} {one.implementation}", program)


def _key(group: Ready, runner: Runner) -> tuple[str, str, str, str]:
    return group.machine.id, group.ladder.library, group.program, runner.step


def _title(task: Task, runner: Runner) -> str:
    return task.title if runner.tls.cert == Tls().cert else f"{task.title}, {runner.tls.cert}"
