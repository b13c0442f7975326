# SPDX-License-Identifier: Apache-2.0
"""`cipherstone run`: measure."""

from __future__ import annotations

import re
import secrets
import shlex
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.build.targets import Target, chosen_targets
from cipherstone.catalogue.algorithms import Catalogue, catalogue_at
from cipherstone.catalogue.libraries import Library, load_labs, load_libraries
from cipherstone.catalogue.suites import Suite, load_suite
from cipherstone.cli import environment as env
from cipherstone.cli.brought import with_brought
from cipherstone.cli.builds import traits_of
from cipherstone.cli.countjobs import AlsoOnOption, TimeOption, build_again, chosen_builds, counting_again
from cipherstone.cli.derived import derived
from cipherstone.cli.output import show_summary, write_report
from cipherstone.cli.plan import plan_lines, say_builds
from cipherstone.cli.rooms import room_names
from cipherstone.cli.screen import ProgressLine
from cipherstone.cli.selection import (
    AlgorithmOption,
    BuildOption,
    FilterOption,
    ImplementationOption,
    LibraryOption,
    OperationOption,
    ParamOption,
    SizeOption,
    WorkerOption,
    build_names,
    chosen_libraries,
    filter_text,
    known_values,
    naming_workers,
    parsed,
    with_builds,
    words,
    written,
)
from cipherstone.fleet.counting import Job
from cipherstone.fleet.local import Run, RunResult, choose_cpu, new_run, resume_run
from cipherstone.fleet.survey import Found, survey
from cipherstone.fleet.workshop import Workshop
from cipherstone.measure.plan import Plan, plan_cases, plan_run
from cipherstone.model.counts import Counting
from cipherstone.model.errors import ExitCode, UsageError, nearest
from cipherstone.model.ids import Lane, base_lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import Manifest, Settings
from cipherstone.model.summary import RunSummary
from cipherstone.store.bundle import Bundle
from cipherstone.store.find import checked_name, find_bundle
from cipherstone.views.plausible import implausible_lanes
from cipherstone.views.samecode import TWO_BUILDS, doubles, refusal_of

DEFAULT_BASE = "openssl"
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|)\Z")


def run(
    suite: Annotated[
        str, typer.Option("--suite", help="What a selection is taken from: default, quick, full.")
    ] = "default",
    filter_: FilterOption = None,
    library: LibraryOption = None,
    algorithm: AlgorithmOption = None,
    operation: OperationOption = None,
    size: SizeOption = None,
    param: ParamOption = None,
    implementation: ImplementationOption = None,
    build: BuildOption = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Eight operations in less than a minute (--suite quick).")
    ] = False,
    precise: Annotated[bool, typer.Option("--precise", help="Half-width 0.5 % and no time bound.")] = False,
    target: Annotated[str | None, typer.Option("--target", help="Half-width asked of every ratio, e.g. 0.5%.")] = None,
    max_time: Annotated[
        str | None, typer.Option("--max-time", help="Stop after this long, e.g. 90s, 10min, none.")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            help="Library or lane that all others are compared with; also the A/A lane (default: openssl).",
            show_default=False,
        ),
    ] = None,
    name: env.NameOption = "",
    worker: WorkerOption = None,
    cpu: Annotated[
        int | None, typer.Option("--cpu", help="CPU to measure on (default: the last one allowed).", show_default=False)
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Seed of the random orders (default: random).", show_default=False),
    ] = None,
    passes: Annotated[
        int | None, typer.Option("--passes", help="Most passes of a case (default: 40).", show_default=False)
    ] = None,
    patience: env.PatienceOption = 1.0,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Heap, stack and first calls, after the timing.")
    ] = True,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes",
            min=0,
            help="Whole processes of every cell, fresh for each sample, beside the timing; 30 is usual.",
            show_default=False,
        ),
    ] = None,
    on: AlsoOnOption = None,
    time: TimeOption = True,
    strict: env.StrictOption = False,
    allow_emulated: Annotated[
        bool,
        typer.Option(
            "--allow-emulated", help="Measure on an emulated machine too; its times are kept, none is a figure."
        ),
    ] = False,
    report: env.ReportOption = False,
    resume: Annotated[
        str | None, typer.Option("--resume", help="Go on with an interrupted run (id, or latest).")
    ] = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Measure libraries side by side and store the result as a run."""
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    libraries = load_libraries(workshop.root, catalogue) | load_labs(workshop.root, catalogue)
    library, libraries = with_brought(library, libraries)
    called = checked_name(name, libraries) if name else ""
    if resume is not None:
        go_on(workshop, catalogue, libraries, resume, worker or (), patience, output, format_, report)
        return
    chosen = load_suite(workshop.root, "quick" if quick else suite, catalogue)
    settings = settings_of(chosen, precise, target, max_time, base or DEFAULT_BASE, cpu, seed, passes, memory)
    settings = msgspec.structs.replace(settings, strict=strict, timed=time, allow_emulated=allow_emulated)
    if processes is not None:
        settings = msgspec.structs.replace(settings, processes=processes)
    targets = chosen_targets(words(on))
    if not time and not targets:
        raise UsageError("--no-time: nothing is left to do", "with --on TARGETS instructions are counted")
    if not time and processes:
        raise UsageError("--no-time: --processes are timed", "leave one of them out")
    text = filter_text(filter_, library, algorithm, operation, size, implementation, param)
    measure_suite(
        workshop,
        catalogue,
        libraries,
        chosen,
        settings,
        text,
        words(build),
        worker or (),
        patience,
        output,
        format_,
        report,
        name=called,
        base_asked=base is not None,
        on=targets,
    )


def go_on(
    workshop: Workshop,
    catalogue: Catalogue,
    libraries: Mapping[str, Library],
    name: str,
    workers: Sequence[Path],
    patience: float,
    output: Path,
    format_: env.Format,
    report: bool,
    *,
    room: str = "",
) -> None:
    """Goes on with an interrupted run, called `name`, with the builds that it measured. `room`: the laboratory whose command asks; its runs are its own to go on with."""
    path = find_bundle(output, name)
    manifest = Bundle.open(path).manifest
    made_by = manifest.suite if manifest.suite in room_names() else ""
    if made_by != room:
        what = f"a run of the laboratory {made_by}" if made_by else f"not a run of the laboratory {room}"
        command = f"lab {made_by}" if made_by else "run"
        raise UsageError(f"--resume {name}: {what}", f"go on with: cipherstone {command} --resume {name}")
    before = as_measured(libraries, manifest)
    say_builds(workshop, before.values())
    found = survey(workshop, before, None, workers, env.say, patience, build_names(before.values()))
    env.say_loading(found)
    jobs = counting_again(manifest.counting, libraries)
    job = resume_run(workshop, catalogue, path, found, jobs)
    for warning in job.warnings:
        env.say(f"warning: {warning}")
    _measure(job, format_, report, workers)


def measure_suite(
    workshop: Workshop,
    catalogue: Catalogue,
    libraries: Mapping[str, Library],
    chosen: Suite,
    settings: Settings,
    text: str,
    build: Sequence[str],
    workers: Sequence[Path],
    patience: float,
    output: Path,
    format_: env.Format,
    report: bool,
    *,
    name: str = "",
    base_asked: bool = False,
    on: Sequence[Target] = (),
) -> None:
    """Surveys, plans, measures and shows; the arguments are those of `planned`."""
    job = planned(
        workshop,
        catalogue,
        libraries,
        chosen,
        settings,
        text,
        build,
        workers,
        patience,
        output,
        name=name,
        base_asked=base_asked,
        on=on,
    )
    _measure(job, format_, report, workers)


def planned(
    workshop: Workshop,
    catalogue: Catalogue,
    libraries: Mapping[str, Library],
    chosen: Suite,
    settings: Settings,
    text: str,
    build: Sequence[str],
    workers: Sequence[Path],
    patience: float,
    output: Path,
    *,
    name: str = "",
    base_asked: bool = False,
    on: Sequence[Target] = (),
) -> Run:
    """A run that is surveyed and planned, and can be measured: a suite, or what the filter `text` selects. `build`: builds that are asked for beside those of a plain run.

    `name`: what the run is to be called; `base_asked`: the base was named by a person, so that it must be among what is measured; `on`: machines that the same cases are counted on.
    """
    base = settings.base or ""
    libraries, asked = with_builds("--build", build, libraries)
    own = asked  # what a suite has beside plain builds is for this machine
    libraries, more = with_builds(f"suite {chosen.name}: builds", chosen.builds, libraries)
    asked |= more
    builds = build_names(libraries.values())
    text = written(text, known_values(catalogue, libraries, (), builds), workers, traits_of(workshop, libraries))
    jobs: list[Job] = []
    if on:
        selection = parsed(
            text, known_values(catalogue, libraries, (), builds), ("library", "build") if workers else ()
        )
        pairs = chosen_builds(libraries, selection, catalogue, own, strictly=False)
        jobs = [Job(target, *pair) for target in on for pair in pairs]
        if not settings.timed:
            labs = any(job.library.lab for job in jobs)
            plan = Plan(plan_cases(catalogue, chosen, selection, labs), {}, {}, ())
            return _opened(workshop, catalogue, chosen, [], plan, settings, output, name, jobs, text)
    here = chosen_libraries(text, catalogue, libraries, chosen.labs, asked, built=workshop.has_built)
    say_builds(workshop, here.values())
    found = survey(workshop, here, None, workers, env.say, patience, build_names(here.values()))
    report_problems(found)
    ready = [one for one in found if one.status == "ready"]
    refuse_doubles(ready)
    names = {*libraries, *(word for one in ready for word in (one.id, one.name))}
    with naming_workers(found):
        known = known_values(catalogue, names, _implementations(ready), () if workers else builds)
        selection = parsed(text, known)
        if not {base, *(base.partition(sign)[0] for sign in ":@")} & names:
            raise UsageError(f"--base {base}: no such library", nearest(base, names))
        plan = plan_run(catalogue, libraries, [one.offer(catalogue) for one in ready], chosen, selection, base)
    if base_asked:
        _need_base(base, plan)
    return _opened(workshop, catalogue, chosen, found, plan, settings, output, name, jobs, text)


def refuse_doubles(ready: Sequence[Found]) -> None:
    """Raises UsageError if two builds of a library are the same code: as lanes they would be compared, and no difference would be found whatever it is."""
    names = {id(one.build): one.name for one in ready}
    for first, second, code in doubles([one.build for one in ready if one.build is not None]):
        raise UsageError(refusal_of(names[id(first)], names[id(second)], code), TWO_BUILDS)


def _opened(
    workshop: Workshop,
    catalogue: Catalogue,
    chosen: Suite,
    found: Sequence[Found],
    plan: Plan,
    settings: Settings,
    output: Path,
    name: str,
    jobs: Sequence[Job],
    text: str,
) -> Run:
    """The run, its plan shown."""
    job = new_run(workshop, catalogue, chosen, found, plan, settings, output, env.command_line(), name, jobs, text)
    for line in (
        *(f"warning: {warning}" for warning in job.warnings),
        *plan_lines(plan, settings, chosen.name, job.path, jobs),
    ):
        env.say(line)
    return job


def _need_base(base: str, plan: Plan) -> None:
    """Raises UsageError if nothing that is measured is called so: the run would silently compare with something else."""
    lanes = [lane for lane in plan.lanes.values() if not lane.twin]
    if any(base_lane(base, case.lanes) for case in plan.cases) or base in {lane.library for lane in lanes}:
        return
    known = {word for lane in lanes for word in (lane.library, lane.label)}
    raise UsageError(f"--base {base}: not among what is selected", nearest(base, known))


def as_measured(libraries: Mapping[str, Library], manifest: Manifest) -> dict[str, Library]:
    """The libraries and builds of a bundle, to be surveyed again."""
    measured: dict[str, set[str]] = {}
    for build in manifest.builds:
        measured.setdefault(build.library, set()).add(Lane(build.library, build.build).variant)
    found = {}
    for name, library in libraries.items():
        if name in measured:
            builds = tuple(build_again(library, variant) for variant in sorted(measured[name]))
            found[name] = msgspec.structs.replace(library, builds=builds)
    return found


def measured(job: Run) -> RunResult:
    """Measures, with a line of progress."""
    line = ProgressLine()
    try:
        return job.measure(derived, line, line.memory, line.processes, line.counts, line.told)
    finally:
        line.done()


def _measure(job: Run, format_: env.Format, report: bool, workers: Sequence[Path]) -> None:
    _finish(measured(job), format_, report, workers)


def _finish(result: RunResult, format_: env.Format, report: bool, workers: Sequence[Path]) -> None:
    if not result.interrupted:
        for line in deviation_lines(result.summary):  # before the comparison: its end is the answer
            env.say(line)
    show_summary(result.summary, format_)
    # The id alone is found in the default folder only.
    name = result.path.name if result.path.parent == env.DEFAULT_OUTPUT else str(result.path)
    for note in result.notes:
        env.say(f"note: {note}")
    if result.interrupted:
        again = shlex.join(
            ["--resume", str(result.path), *(word for path in workers for word in ("--worker", str(path)))]
        )
        suite = result.summary.manifest.suite
        command = f"lab {suite}" if suite in room_names() else "run"
        env.say(f"interrupted: what was measured is kept. Go on with: cipherstone {command} {again}")
        sys.exit(ExitCode.INTERRUPTED)
    called = result.summary.manifest.name
    env.say(f"run: {result.path}" + (f", called {called}" if called else ""))
    if report:
        env.say(f"report: {write_report(result.path, result.summary)}   (open it in a browser)")
    env.say(f"see it again: cipherstone show {name}   " + ("" if report else f"the report: cipherstone report {name}"))
    cases = result.summary.cases
    wrong = [cell.outcome is Outcome.WRONG for case in cases for cell in case.cells]
    wrong += [count.outcome is Counting.WRONG for case in cases for count in case.counts]
    wrong += [bool(implausible_lanes(case.cells)) for case in cases]
    if any(wrong):
        sys.exit(ExitCode.WRONG)
    if any(one.problem for one in result.summary.counted):
        sys.exit(ExitCode.FAILURE)  # said above, as a note
    if not result.summary.manifest.settings.timed:
        return
    if not any(cell.ns is not None for case in result.summary.cases for cell in case.cells):
        env.say(f"cipherstone: no figure: {result.summary.trust_reason}")
        sys.exit(ExitCode.FAILURE)


def deviation_lines(summary: RunSummary) -> list[str]:
    """One line for each operation of a lane that is lax or strict: it is measured, and the command's exit code does not tell."""
    found: dict[str, None] = {}
    for case in summary.cases:
        for cell in case.cells:
            if cell.deviations and not Lane.parse(cell.lane).twin:
                found[f"{cell.outcome}: {cell.lane} {case.operation}: {cell.detail}"] = None
    return list(found)


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


BREADTH_SHARE = 0.06  # of a run's bound, for random inputs beyond the vectors


def settings_of(
    suite: Suite,
    precise: bool,
    target: str | None,
    max_time: str | None,
    base: str,
    cpu: int | None,
    seed: int | None,
    passes: int | None,
    memory: bool,
) -> Settings:
    """The suite's settings with what the options change. Raises UsageError."""
    settings = suite.apply(Settings())
    if precise:
        settings = msgspec.structs.replace(settings, target=0.005, max_time_s=None)
    if target is not None:
        settings = msgspec.structs.replace(settings, target=parse_percent("--target", target))
    if max_time is not None:
        settings = msgspec.structs.replace(settings, max_time_s=parse_time("--max-time", max_time))
    if passes is not None:
        if passes < 1:
            raise UsageError(
                f"--passes: '{passes}' is not positive", "6 is the least that gives an interval, 9 the default"
            )
        settings = msgspec.structs.replace(settings, max_passes=passes, min_passes=min(settings.min_passes, passes))
    return msgspec.structs.replace(
        settings,
        base=base,
        cpu=choose_cpu(cpu),
        move=cpu is None,
        seed=secrets.randbits(32) if seed is None else seed,
        memory=memory and settings.memory,
        breadth_share=BREADTH_SHARE,
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


def _implementations(found: list[Found]) -> list[str]:
    return sorted({row.impl for one in found for row in one.listed if row.op != "harness/empty"})
