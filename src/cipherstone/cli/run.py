# SPDX-License-Identifier: Apache-2.0
"""`cipherstone run`: measure."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue, catalogue_at
from cipherstone.catalogue.libraries import Library
from cipherstone.cli import environment as env
from cipherstone.cli.countjobs import build_again, counting_again
from cipherstone.cli.derived_summary import derived
from cipherstone.cli.known_libraries import known_with_labs
from cipherstone.cli.lab_discovery import room_names
from cipherstone.cli.lab_options import ResumeOption
from cipherstone.cli.output import show_summary, write_report
from cipherstone.cli.plan_lines import say_builds
from cipherstone.cli.planfile import read_plan
from cipherstone.cli.progress_line import ProgressLine
from cipherstone.cli.requests import dry_run, instruments_of, planned
from cipherstone.cli.run_options import takes_request
from cipherstone.cli.selection import build_names
from cipherstone.cli.tables import show_lines
from cipherstone.cli.user_library import with_brought
from cipherstone.execute.run import Listeners, Run, RunResult, resume_run
from cipherstone.execute.survey import survey
from cipherstone.measure.turns import Instrument
from cipherstone.model.counts import Counting
from cipherstone.model.errors import ExitCode, UsageError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import Manifest
from cipherstone.model.request import RunRequest
from cipherstone.model.summary import RunSummary
from cipherstone.store.bundle import Bundle
from cipherstone.store.find import find_bundle
from cipherstone.views.plausible import implausible_lanes, untrue_lanes

FOR_PLANS = ("name",)  # what may be said beside a plan
SHORT_NOTE = 74  # columns


class Output(msgspec.Struct, frozen=True):
    """Where a run goes and how it is shown: the folder of runs, the format, whether the report is written, and whether all tables are shown or one screen. `wait`: until no other run measures on this machine. `then`: what a command does with a finished run besides, of which it gets the instruments and the summary; it may end the command with a code of its own. `again`: the command that resumes it and writes all of its results itself; "" for one of a laboratory, or `run`, whose figures are printed here."""

    runs: Path
    format: env.Format
    report: bool = False
    wait: bool = False
    whole: bool = False
    then: Callable[[Sequence[Instrument], RunSummary], None] = lambda instruments, summary: None
    again: str = ""


@takes_request
def run(
    request: RunRequest,
    plan: Annotated[
        Path | None,
        typer.Option("--plan", help="Measure what this file asks for (see `cipherstone plan`).", show_default=False),
    ] = None,
    report: env.ReportOption = False,
    wait: env.WaitOption = False,
    dry: env.DryOption = False,
    all_: env.AllOption = False,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Measure libraries side by side and store the result as a run."""
    workshop = env.workshop(cache)
    shown = Output(output, format_, report, wait, all_)
    if resume is not None:
        catalogue = catalogue_at(workshop.root)
        known = known_with_labs(workshop.root)
        go_on(workshop, catalogue, with_brought(request.library, known)[1], resume, request, shown)
        return
    if plan is not None:
        if more := [name for name in request.given if name not in FOR_PLANS]:
            raise UsageError(
                f"--plan {plan}: with {', '.join('--' + name.replace('_', '-') for name in more)}",
                "the file says all of it: change it there, or leave it out",
            )
        request = msgspec.structs.replace(read_plan(plan), **({"name": request.name} if request.name else {}))
    if dry:
        show_lines(dry_run(workshop, request))
        return
    measure(workshop, request, shown)


def measure(workshop: Workshop, request: RunRequest, output: Output) -> None:
    """Surveys, plans, measures and shows what is asked for."""
    _finish(planned(workshop, request, output.runs, output.wait), output, request.worker)


def go_on(
    workshop: Workshop,
    catalogue: Catalogue,
    libraries: Mapping[str, Library],
    name: str,
    request: RunRequest,
    output: Output,
) -> None:
    """Resumes an interrupted run, called `name`, with the builds that it measured. Of the request: `lab`, the laboratory whose command asks, which resumes its own runs only; workers, and how patient to be with them."""
    path = find_bundle(output.runs, name, to_resume=True)
    manifest = Bundle.open(path).manifest
    made_by = manifest.suite if manifest.suite in room_names() else ""
    if made_by != request.lab:
        what = f"a run of the laboratory {made_by}" if made_by else f"not a run of the laboratory {request.lab}"
        command = f"lab {made_by}" if made_by else "run"
        raise UsageError(f"--resume {name}: {what}", f"resume it: cipherstone {command} --resume {shlex.quote(name)}")
    before = as_measured(libraries, manifest)
    say_builds(workshop, before.values())
    workers = tuple(map(Path, request.worker))
    found = survey(workshop, before, workers, env.say, request.patience, build_names(before.values()))
    env.say_loading(found)
    instruments = instruments_of(workshop, manifest.request) if manifest.request and manifest.instruments else ()
    jobs = counting_again(manifest.counting, libraries)
    job = resume_run(workshop, catalogue, path, found, jobs, instruments)
    for warning in job.warnings:
        env.say(f"warning: {warning}")
    _finish(job, output, request.worker)


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
    line.begin()
    try:
        return job.measure(derived, Listeners(line, line.memory, line.processes, line.counts, line.turns, line.told))
    finally:
        line.done()


def _finish(job: Run, output: Output, workers: Sequence[str]) -> None:
    result = measured(job)
    if not result.interrupted:
        for line in deviation_lines(result.summary, output.whole):  # before the comparison: its end is the answer
            env.say(line)
    if not output.again:
        show_summary(result.summary, output.format, brief=not output.whole)
    name = env.as_typed(result.path)
    for note in result.notes:
        env.say(f"note: {note if output.whole else brief_note(note)}")
    if result.interrupted:
        again = shlex.join(["--resume", str(result.path), *(word for path in workers for word in ("--worker", path))])
        suite = result.summary.manifest.suite
        command = output.again or (f"lab {suite}" if suite in room_names() else "run")
        env.say(f"interrupted: what was measured is kept. Resume it: cipherstone {command} {again}")
        sys.exit(ExitCode.INTERRUPTED)
    called = result.summary.manifest.name
    env.say(f"run: {result.path}" + (f", called {called}" if called else ""))
    if output.report:
        env.say(f"report: {write_report(result.path, result.summary)}   (open it in a browser)")
    env.say(
        f"all of it: cipherstone show {name}   " + ("" if output.report else f"the report: cipherstone report {name}")
    )
    output.then(job.instruments, result.summary)
    cases = result.summary.cases
    wrong = [cell.outcome is Outcome.WRONG for case in cases for cell in case.cells]
    wrong += [count.outcome is Counting.WRONG for case in cases for count in case.counts]
    wrong += [bool(implausible_lanes(case.cells) or untrue_lanes(case.cells)) for case in cases]
    if any(wrong):
        sys.exit(ExitCode.WRONG)
    if any(one.problem for one in result.summary.counted):
        sys.exit(ExitCode.FAILURE)  # said above, as a note
    if not result.summary.manifest.settings.timed:
        return
    timed = any(cell.ns is not None for case in result.summary.cases for cell in case.cells)
    if not timed and not any(one.known for one in result.summary.figures):
        env.say(f"cipherstone: no figure: {result.summary.trust_reason}")
        sys.exit(ExitCode.FAILURE)


def brief_note(note: str) -> str:
    """A note of a run behind `note: ` on 80 columns: of one that lists more, what stands before the list, and where the rest is."""
    head, _, listed = note.partition(": ")
    return f"{head}: cipherstone show --notes" if ";" in listed and len(note) > SHORT_NOTE else note


def deviation_lines(summary: RunSummary, whole: bool = True) -> list[str]:
    """One line for each operation of a lane that is lax or strict, or else how many there are: they are measured, and the command's exit code does not tell."""
    found: dict[str, None] = {}
    for case in summary.cases:
        for cell in case.cells:
            if cell.deviations and not Lane.parse(cell.lane).twin:
                found[f"{cell.outcome}: {Lane.parse(cell.lane).words} {case.operation}: {cell.detail}"] = None
    if whole or not found:
        return list(found)
    kinds = Counter(line.partition(":")[0] for line in found)
    said = " and ".join(f"{number} {kind}" for kind, number in kinds.items())
    return [
        f"{said}: implementations of operations that accept more, or refuse more, than their standard says; which: cipherstone show"
    ]
