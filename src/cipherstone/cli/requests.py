# SPDX-License-Identifier: Apache-2.0
"""From a request to a run that can be measured: what it is taken from, its settings, its plan."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

import msgspec

from cipherstone.build.targets import Target, chosen_targets
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.published_pages import load_page
from cipherstone.catalogue.scope import Scope
from cipherstone.catalogue.suites import Suite, load_suite, suite_names
from cipherstone.cli import environment as env
from cipherstone.cli.builds import traits_of
from cipherstone.cli.countjobs import chosen_builds
from cipherstone.cli.known_libraries import known_libraries, known_with_labs
from cipherstone.cli.lab_discovery import room_called
from cipherstone.cli.plan_lines import build_lines, counts, dry_lines, plan_lines, published_line, say_builds
from cipherstone.cli.selection import (
    build_names,
    chosen_libraries,
    known_values,
    naming_workers,
    parsed,
    refuse_dropped,
    with_builds,
    written,
)
from cipherstone.cli.steps import PREPARING, Steps
from cipherstone.cli.user_library import with_brought
from cipherstone.execute.counting.jobs import Job
from cipherstone.execute.run import PreparedRun, Run, choose_cpu, new_run
from cipherstone.execute.survey import Found, survey
from cipherstone.host.lock import MachineLock
from cipherstone.measure.plan import Plan, plan_cases, plan_run
from cipherstone.measure.turns import Instrument, is_exact
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import base_lane, build_label, read_build, read_label
from cipherstone.model.records import Settings
from cipherstone.model.request import RunRequest
from cipherstone.model.units import counted
from cipherstone.store.find import checked_name
from cipherstone.views.samecode import TWO_BUILDS, doubles, refusal_of

DEFAULT_BASE = "openssl"
BREADTH_SHARE = 0.06  # of a run's bound, for random inputs beyond the vectors
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(s|min|m|h|)\Z")


def plain_scope(workshop: Workshop, request: RunRequest) -> Scope:
    """What `run` measures: a suite, or what the filter selects, of all libraries and laboratories. Raises UsageError."""
    catalogue = catalogue_at(workshop.root)
    known = known_with_labs(workshop.root)
    _, libraries = with_brought(request.library, known)
    suite = load_suite(workshop.root, request.suite, catalogue)
    return Scope(catalogue, libraries, suite, request.filter, request.build, DEFAULT_BASE)


def scope_of(workshop: Workshop, request: RunRequest) -> Scope:
    """What the request is taken from: by its laboratory, or by `run`."""
    if not request.lab:
        return plain_scope(workshop, request)
    narrow = room_called(request.lab).scope
    if narrow is None:
        raise UsageError(f"lab {request.lab}: makes no runs", f"see `cipherstone {request.lab} --help`")
    return narrow(workshop, request)


class Checked(NamedTuple):
    """A request that means something: what it is taken from (the filter in names of the catalogue), its settings, the names of the builds that are asked for, and what is counted."""

    scope: Scope
    settings: Settings
    builds: frozenset[str]
    jobs: tuple[Job, ...]


def checked(workshop: Workshop, request: RunRequest) -> Checked:
    """The request against the catalogue; no library has to be there for that. Raises UsageError."""
    targets = chosen_targets(request.on)
    if not request.time and not targets:
        raise UsageError("--no-time leaves nothing to measure", "add --on TARGETS to count instructions")
    if not request.time and request.processes:
        raise UsageError("--no-time: --processes are timed", "leave one of them out")
    scope = scope_of(workshop, request)
    if request.name:
        checked_name(request.name, known_libraries(workshop.root) | dict(scope.libraries))
    settings = settings_of(scope.suite, request, request.base or scope.base)
    libraries, asked = with_builds("--build", scope.builds, scope.libraries)
    for_here = asked  # what a suite has beside plain builds is for this machine
    libraries, more = with_builds(f"suite {scope.suite.name}: builds", scope.suite.builds, libraries)
    values = known_values(scope.catalogue, libraries, (), build_names(libraries.values()))
    text = written(scope.text, values, request.worker, traits_of(workshop, libraries))
    scope = msgspec.structs.replace(scope, libraries=libraries, text=text)
    jobs = _jobs(scope, targets, for_here, request) if targets else ()
    return Checked(scope, settings, asked | more, jobs)


def planned(workshop: Workshop, request: RunRequest, runs: Path, wait: bool = False) -> Run:
    """A run below `runs` that is surveyed and planned, its plan shown, and can be measured. Holds the machine's lock from the beginning: what it builds would disturb another run. `wait`: until that is free.

    Raises UsageError for a request that means nothing here, MachineBusy, and whatever surveying raises.
    """
    if not request.lab:
        checked(workshop, request)  # what is mistyped need not wait
    lock = MachineLock()
    if wait:
        lock.acquire_in_turn(env.say)
    else:
        lock.acquire()
    try:
        return _planned(workshop, request, runs, lock)
    except BaseException:
        lock.release()
        raise


def _planned(workshop: Workshop, request: RunRequest, runs: Path, lock: MachineLock) -> Run:
    if instruments := instruments_of(workshop, request):
        return _instrumented(workshop, request, instruments, runs, lock)
    scope, settings, builds, jobs = checked(workshop, request)
    if not settings.timed:
        labs = any(job.library.lab for job in jobs)
        plan = Plan(plan_cases(scope.catalogue, scope.suite, _selection(scope, request), labs), {}, {}, ())
        prepared = PreparedRun(plan, settings, (), jobs, scope.text, request, lock=lock)
        return _opened(workshop, scope, prepared, runs)
    found = _surveyed(workshop, scope, builds, request)
    plan = _plan(scope, found, settings.base or "", bool(request.worker))
    if request.base:
        _need_base(request.base, plan)
    prepared = PreparedRun(plan, settings, tuple(found), jobs, scope.text, request, lock=lock)
    return _opened(workshop, scope, prepared, runs)


def dry_run(workshop: Workshop, request: RunRequest) -> list[str]:
    """What the request would build and measure, in lines: nothing is built, fetched or measured to find out. Raises UsageError."""
    scope, settings, asked, jobs = checked(workshop, request)
    here = chosen_libraries(scope.text, scope.catalogue, scope.libraries, scope.suite.labs, asked, built=workshop.has_built)  # fmt: skip
    labs = any(one.lab for one in here.values())
    cases = plan_cases(scope.catalogue, scope.suite, _selection(scope, request), labs)
    names = [build_label(one.id, build.variant) for one in here.values() for build in one.builds]
    lines = [*build_lines(workshop, tuple(here.values())), *dry_lines(scope, settings, cases, names)]
    return [*lines, *([f"  then {counts(jobs)}"] if jobs else [])]


def instruments_of(workshop: Workshop, request: RunRequest) -> tuple[Instrument, ...]:
    """What measures a request that is no run of cases, made ready; none for any other. Raises CipherstoneError."""
    if not request.lab:
        return ()
    with Steps(plain=False) as step:
        step("making ready what is measured", f"lab {request.lab}")
        found = room_called(request.lab).instrument(workshop, request, step.said)
    return found if isinstance(found, tuple) else () if found is None else (found,)


def _instrumented(
    workshop: Workshop, request: RunRequest, instruments: Sequence[Instrument], runs: Path, lock: MachineLock
) -> Run:
    catalogue = catalogue_at(workshop.root)
    # A laboratory of instruments alone has no cases, and so no suite.
    has_suite = not request.lab or request.lab in suite_names(workshop.root)
    suite = load_suite(workshop.root, request.suite, catalogue) if has_suite else Suite(request.lab, "", "", (), (), {})
    settings = settings_of(suite, request, "")
    bound = None if request.max_time is None else settings.max_time_s
    settings = msgspec.structs.replace(settings, max_time_s=bound, memory=False, spectrum=False, breadth_share=0.0)
    if all(is_exact(one.plan) for one in instruments):
        settings = msgspec.structs.replace(settings, allow_emulated=True)  # what is exact is so on any machine
    prepared = PreparedRun(
        Plan((), {}, {}, ()), settings, (), request=request, instruments=tuple(instruments), lock=lock
    )
    job = new_run(workshop, catalogue, suite.name, prepared, runs, env.command_line())
    for plan in (one.plan for one in instruments):
        env.say(f"{plan.title}: {counted(len(plan.cases), 'case')}, {counted(plan.passes, 'pass', 'passes')} of {counted(plan.rounds, 'round')}; run: {job.path}")  # fmt: skip
        for one in plan.left_out:
            env.say(f"without {one.name}: {one.why}")
    return job


def _selection(scope: Scope, request: RunRequest) -> Filter | None:
    """The filter. Workers that were made elsewhere may bring names of their own."""
    values = known_values(scope.catalogue, scope.libraries, (), build_names(scope.libraries.values()))
    return parsed(scope.text, values, ("library", "build") if request.worker else ())


def _jobs(scope: Scope, targets: Sequence[Target], for_here: frozenset[str], request: RunRequest) -> tuple[Job, ...]:
    """What is counted, and where."""
    pairs = chosen_builds(scope.libraries, _selection(scope, request), scope.catalogue, for_here, strictly=False)
    return tuple(Job(target, *pair) for target in targets for pair in pairs)


def _surveyed(workshop: Workshop, scope: Scope, asked: frozenset[str], request: RunRequest) -> list[Found]:
    """The builds that take part, ready or with their problem, which is said."""
    here: dict[str, Library] = chosen_libraries(
        scope.text, scope.catalogue, scope.libraries, scope.suite.labs, asked, built=workshop.has_built
    )
    _say_from_source(scope, here, request)
    say_builds(workshop, here.values())
    workers = tuple(map(Path, request.worker))
    with Steps(plain=False) as step:
        step(PREPARING)
        found = survey(workshop, here, workers, step.said, request.patience, build_names(here.values()))
    report_problems(found)
    refuse_doubles([one for one in found if one.status == "ready"])
    return found


def _say_from_source(scope: Scope, here: Mapping[str, Library], request: RunRequest) -> None:
    """Libraries that are named, and that have no build in a plain run: what would bring them. Raises UsageError if nothing else is left to measure."""
    selection = _selection(scope, request)
    named = [
        one
        for one in scope.libraries.values()
        if one.id not in here
        and not one.default_builds
        and one.upstream
        and selection is not None
        and selection.asks("library", one.id)
    ]
    if not named:
        return
    problem = f"without a package here: {', '.join(one.id for one in named)}"
    asked = ",".join(f"{one.id}@{one.upstream[0].name}" for one in named)
    hint = f"build from source, once: --build {asked}"
    if not here and not request.worker:
        raise UsageError(problem, hint)
    env.say(f"note: {problem}; {hint}")


def _plan(scope: Scope, found: Sequence[Found], base: str, any_library: bool) -> Plan:
    """Cases and lanes of what is ready. Raises UsageError for a base that no library has."""
    ready = [one for one in found if one.status == "ready"]
    names = {*scope.libraries, *(word for one in ready for word in (one.id, one.name))}
    builds = () if any_library else build_names(scope.libraries.values())
    with naming_workers(found):
        selection = parsed(scope.text, known_values(scope.catalogue, names, _implementations(ready), builds))
        if not {read_label(base).partition(":")[0], read_build(base)[0]} & names:
            raise UsageError(f"--base {base}: no such library", nearest(base, names))
        refuse_dropped(found, selection, scope.catalogue)
        offers = [one.offer(scope.catalogue) for one in ready]
        return plan_run(scope.catalogue, scope.libraries, offers, scope.suite, selection, base)


def refuse_doubles(ready: Sequence[Found]) -> None:
    """Raises UsageError if two builds of a library are the same code: as lanes they would be compared, and no difference would be found whatever it is."""
    names = {id(one.build): one.name for one in ready}
    for first, second, code in doubles([one.build for one in ready if one.build is not None]):
        raise UsageError(refusal_of(names[id(first)], names[id(second)], code), TWO_BUILDS)


def _opened(workshop: Workshop, scope: Scope, prepared: PreparedRun, runs: Path) -> Run:
    """The run, its plan shown."""
    job = new_run(workshop, scope.catalogue, scope.suite.name, prepared, runs, env.command_line())
    for warning in job.warnings:
        env.say(f"warning: {warning}")
    for line in plan_lines(prepared.plan, prepared.settings, scope.suite, job.path, prepared.jobs):
        env.say(line)
    page = load_page(workshop.root, scope.suite)
    if page is not None and (told := published_line(page, prepared.plan)) and prepared.settings.timed:
        env.say(f"note: {told}")
    return job


def _need_base(base: str, plan: Plan) -> None:
    """Raises UsageError if nothing that is measured is called so: the run would silently compare with something else."""
    lanes = [lane for lane in plan.lanes.values() if not lane.twin]
    if any(base_lane(base, case.lanes) for case in plan.cases) or base in {lane.library for lane in lanes}:
        return
    known = {word for lane in lanes for word in (lane.library, lane.label)}
    raise UsageError(f"--base {base}: not among what is selected", nearest(base, known))


def report_problems(found: list[Found]) -> None:
    """One line for each library that cannot be measured, with the compiler's own message where there is one, and what is to be said of how the others were loaded."""
    env.say_loading(found)
    for one in found:
        if one.status == "ready":
            continue
        hint = f"; install: {' '.join(one.packages)}" if one.status == "missing" and one.packages else ""
        env.say(f"without {one.title}: {one.problem}{hint}")
        for text in one.output.splitlines()[-8:]:
            env.say(f"    {text}")


def settings_of(suite: Suite, request: RunRequest, base: str) -> Settings:
    """The suite's settings with what the request changes. Raises UsageError."""
    changed = msgspec.structs.replace
    settings = suite.apply(Settings())
    if request.precise:
        settings = changed(settings, target=0.005, max_time_s=None)
    if request.target is not None:
        settings = changed(settings, target=parse_percent("--target", request.target))
    if request.max_time is not None:
        settings = changed(settings, max_time_s=parse_time("--max-time", request.max_time))
    if request.processes is not None:
        settings = changed(settings, processes=request.processes)
    if request.passes is not None:
        if request.passes < 1:
            raise UsageError(
                f"--passes: '{request.passes}' is not positive", "6 is the least that gives an interval, 9 the default"
            )
        least = min(settings.min_passes, request.passes)
        settings = changed(settings, max_passes=request.passes, min_passes=least)
    return changed(
        settings,
        base=base,
        cpu=choose_cpu(request.cpu),
        move=request.cpu is None,
        seed=secrets.randbits(32) if request.seed is None else request.seed,
        memory=request.memory and settings.memory,
        breadth_share=BREADTH_SHARE,
        strict=request.strict,
        timed=request.time,
        allow_emulated=request.allow_emulated,
    )


def parse_percent(option: str, text: str) -> float:
    """`0.5%` or `0.005` as a ratio in (0, 1]. Raises UsageError."""
    number, percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        value = float(
            Decimal(number) / (100 if percent else 1)
        )  # 2.3% is the double of 0.023, not a hundredth of that of 2.3
    except (InvalidOperation, OverflowError, ValueError):
        value = -1.0
    if not 0 < value <= 1:
        raise UsageError(f"{option}: '{text}' is not a share", "write it as 0.5% or 0.005")
    return value


def parse_time(option: str, text: str) -> float | None:
    """`90s`, `10min`, `1h`, a number of seconds, or `none`, in seconds. Raises UsageError."""
    if text.strip().lower() == "none":
        return None
    match = _TIME.match(text.strip())
    if match is None or float(match.group(1)) <= 0:
        raise UsageError(f"{option}: '{text}' is not a time", "write it as 90s, 10min, 1h or none")
    return float(match.group(1)) * {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}[match.group(2)]


def _implementations(found: Sequence[Found]) -> list[str]:
    return sorted({row.impl for one in found for row in one.listed if row.op != "harness/empty"})
