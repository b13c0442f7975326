# SPDX-License-Identifier: Apache-2.0
"""What a run is going to do, shown before it does it: what is built, what is measured, when it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from cipherstone.build.pending import to_build
from cipherstone.build.targets import on_target, toolchain_for
from cipherstone.build.upstream import is_built
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.published_pages import PublishedPage
from cipherstone.catalogue.scope import Scope
from cipherstone.catalogue.suites import Suite
from cipherstone.cli import environment as env
from cipherstone.execute.counting.jobs import Job
from cipherstone.measure.aftertiming import MOST_PROCESSES, most_s
from cipherstone.measure.plan import BETWEEN, CARD, END, HEADLINE, Plan, all_cases, cell_facts
from cipherstone.model.ids import Case, Lane, build_label, joined_build
from cipherstone.model.records import PlannedCase, Settings
from cipherstone.model.units import counted, format_size
from cipherstone.report.words.numbers import percent_text

NAMED = 8  # operations that are named one by one


def say_builds(workshop: Workshop, libraries: Iterable[Library]) -> None:
    """What is compiled before anything can be measured; nothing if all is there."""
    for line in build_lines(workshop, tuple(libraries)):
        env.say(line)


def build_lines(workshop: Workshop, libraries: Sequence[Library]) -> list[str]:
    """What is compiled before anything can be measured, with time and disk as far as they are known; none if all is there."""
    workers, upstream = to_build(workshop, libraries)
    lines = []
    if upstream:
        builds = [build for one in libraries for build in one.builds if build_label(one.id, build.variant) in upstream]
        lines.append(f"to build first, from upstream's source{source_cost(builds) or ', which may take minutes'}: {', '.join(upstream)}")  # fmt: skip
    if workers:
        lines.append(f"to build first, some seconds each: {counted(len(workers), 'worker')} ({', '.join(workers)})")
    return lines


def source_cost(builds: Iterable[BuildSpec]) -> str:
    """`, about 4 min of processor time for 2 of them, up to 75 MiB while one is built`; "" where nothing is known."""
    known = [one.source for one in builds if one.source is not None and one.source.cpu_s]
    if not known:
        return ""
    minutes, disk = sum(one.cpu_s for one in known) / 60, max(one.disk_mib for one in known)
    return f", about {max(1, round(minutes))} min of processor time for {len(known)} of them, up to {disk} MiB while one is built"


def dry_lines(scope: Scope, settings: Settings, cases: Sequence[PlannedCase], libraries: Iterable[str]) -> list[str]:
    """What a run would measure as far as that is known before a worker is asked: `libraries` may take part."""
    operations = {Case.parse(planned.case).operation for planned in cases}
    names = list(libraries)
    told = f"would measure {counted(len(operations), 'operation')}, {counted(len(cases), 'case')} (suite {scope.suite.name})"
    lines = [f"{told}, of what these offer: {', '.join(names) or 'no library'}"]
    lines += _indented(taken_away(scope.suite, cases))
    return [*lines, f"  {bound(settings)}"] if settings.timed else lines


def taken_away(suite: Suite, cases: Sequence[PlannedCase]) -> str:
    """`of the 43 cases of the suite 3 are left out: 1 of Parsing of keys, 2 of Arithmetic`; "" if all are there. An open suite is a start, of which nothing is expected."""
    kept = {planned.case for planned in cases}
    lost = [case.id for case in suite.cases if case.id not in kept]
    if suite.open or not lost:
        return ""
    parts = []
    for section in suite.sections:  # a case of two sections counts with the first
        mine = [case.id for case in section.cases if case.id in lost]
        parts += [f"{len(mine)} of {section.title}"] if mine else []
        lost = [case for case in lost if case not in mine]
    whole = len(suite.cases)
    return f"of the {counted(whole, 'case')} of the suite {whole - len(kept)} are left out: {', '.join(parts)}"


def published_line(page: PublishedPage, plan: Plan) -> str:
    """`of 23 rows of the published page 8 lack a figure of tls@boringssl~noaccel (a run with it: --build tls@boringssl~noaccel)`; "" if the plan has all that the page's rows are of."""
    present: dict[str, set[str]] = {}
    for planned in plan.cases:
        lanes = [plan.lanes[name] for name in planned.lanes]
        present[planned.case] = {name for lane in lanes for name in (lane.library, lane.build_label)}
    rows = lacking = 0
    wanted: Counter[str] = Counter()
    for table in page.table:
        for row in table.row:
            parts = [(row.case, row.library or table.library or page.library)] if row.case else []
            parts += [(part.case, part.library) for part in row.plus]
            absent = {name for case, name in parts if name not in present.get(case, ())}
            rows += bool(parts)
            lacking += bool(absent)
            wanted.update(absent)
    if not lacking:
        return ""
    builds = ",".join(name for name in sorted(wanted) if {*"@~"} & {*name})
    hint = f" (a run with it: --build {builds})" if builds else ""
    return (
        f"of {counted(rows, 'row')} of the published page {lacking} lack a figure of {', '.join(sorted(wanted))}{hint}"
    )


def plan_lines(plan: Plan, settings: Settings, suite: Suite, path: Path, jobs: Sequence[Job] = ()) -> list[str]:
    """Cells and bound: what `path` will hold, what the selection takes away from the suite, and when the run ends at the latest. `jobs`: what is counted besides."""
    cases = [Case.parse(planned.case) for planned in plan.cases]
    operations = list(dict.fromkeys(case.operation for case in cases))
    if not settings.timed:
        told = f"plan: {counted(len(operations), 'operation')}, {counted(len(cases), 'case')} (suite {suite.name}), nothing timed"
        return [told, *_indented(taken_away(suite, plan.cases)), f"  {counts(jobs)}", f"  into {path}"]
    lanes = [lane for planned in plan.cases for lane in planned.lanes]
    twins = sum(plan.lanes[lane].twin for lane in lanes)
    measured = {lane.library for lane in plan.lanes.values()}
    builds = {lane.build_id for lane in plan.lanes.values()}
    told = counted(len(measured), "library", "libraries")
    told += f" in {len(builds)} builds" if len(builds) > len(measured) else ""
    lines = [
        f"plan: {counted(len(operations), 'operation')}, {counted(len(cases), 'case')}, {told}: "
        f"{counted(len(lanes), 'cell')}, {twins} of them A/A (suite {suite.name})",
        *_indented(taken_away(suite, plan.cases)),
    ]
    if len(operations) <= NAMED:
        lines.append(f"  {'; '.join(_named(name, cases) for name in operations)}")
    lines.append(f"  {bound(settings)}")
    if settings.max_time_s is not None and (order := _order(plan)):
        lines.append(f"  where that is too short for all, in this order: {order}")
    if settings.processes:
        lines.append(f"  {processes(plan, settings)}")
    if settings.memory:
        lines.append(f"  {once(plan, settings)}")
    if jobs:
        lines.append(f"  then {counts(jobs)}, beyond that bound")
    return [*lines, f"  into {path}"]


def _indented(line: str) -> list[str]:
    return [f"  {line}"] if line else []


def _order(plan: Plan) -> str:
    """`8 of the first screen, 29 at headline sizes, 16 at ends of size curves, 40 between`; nothing where all cases matter alike."""
    ranks = Counter(planned.rank for planned in plan.cases)
    words = {
        CARD: "of the first screen",
        HEADLINE: "at headline sizes",
        END: "at ends of size curves",
        BETWEEN: "between",
    }
    told = [f"{ranks[rank]} {text}" for rank, text in words.items() if ranks[rank]]
    return ", ".join(told) if len(told) > 1 else ""


def bound(settings: Settings) -> str:
    """`until every ratio is known to 1.0 %: 9 to 40 passes, 45 s of measuring at most, on CPU 1`."""
    least, most = settings.min_passes, settings.max_passes
    passes = counted(most, "pass", "passes") if least == most else f"{least} to {most} passes"
    time = "no bound on time"
    if settings.max_time_s is not None:
        time = f"{_duration(settings.max_time_s)} of measuring at most"
    cpu = "" if settings.cpu is None else f", on CPU {settings.cpu}" + (" or a freer one" if settings.move else "")
    return f"until every ratio is known to \u00b1{percent_text(settings.target)}: {passes}, {time}{cpu}"


def once(plan: Plan, settings: Settings) -> str:
    """`then memory and first calls of 52 cells, up to 17 processes each, at most 6.8 s beyond that`."""
    cells = sum(not plan.lanes[lane].twin for planned in plan.cases if planned.once for lane in planned.lanes)
    beyond = most_s(settings)
    time = "" if beyond is None else f", at most {_duration(beyond)} beyond that"
    return f"then memory and first calls of {counted(cells, 'cell')}, up to {MOST_PROCESSES} processes each{time}"


def processes(plan: Plan, settings: Settings) -> str:
    """`then 30 whole processes of 52 cells, in turns, in what is left of that time, half of it at least`."""
    cells = sum(not plan.lanes[lane].twin for planned in plan.cases for lane in planned.lanes)
    told = (
        f"then {counted(settings.processes, 'whole process', 'whole processes')} of {counted(cells, 'cell')}, in turns"
    )
    alone = sum(len(planned.lanes) - 1 for planned in plan.cases if planned.processes_only)
    told += f", {alone} of them timed in no other way" if alone else ""
    return told if settings.max_time_s is None else f"{told}, in what is left of that time: half of it at least"


def counts(jobs: Sequence[Job]) -> str:
    """`instructions of these on cortex-m0plus, cortex-m4, counted under emulation: bearssl@0.6+Os`."""
    targets = ", ".join(dict.fromkeys(job.target.id for job in jobs))
    builds = ", ".join(dict.fromkeys(build_label(job.library.id, job.build.variant) for job in jobs))
    return f"instructions of these on {targets}, counted under emulation: {builds}"


def counting_lines(
    workshop: Workshop, jobs: Sequence[Job], catalogue: Catalogue, selection: Filter | None
) -> list[str]:
    """What `count` would build and count, as far as that is known before a worker is asked. Raises BuildError for a machine whose compiler is not here."""
    missing = [job for job in jobs if not _built_there(workshop, job)]
    lines = []
    if missing:
        cost = source_cost(job.build for job in missing) or ", which may take minutes"
        lines.append(f"to build first, from upstream's source{cost}: {'; '.join(map(_job_words, missing))}")
    lanes = {Lane(job.library.id, joined_build("any", job.build.variant)) for job in jobs}
    operations = [
        one
        for one in catalogue.asked(selection)
        if selection is None
        or any(
            selection.may_match(catalogue.usual(one) | cell_facts(one, case, lane), ("impl",))
            for case in all_cases(one, selection)
            for lane in lanes
        )
    ]
    told = counted(len(operations), "operation")
    lines.append(f"would count instructions of up to {told}, of what these offer: {'; '.join(map(_job_words, jobs))}")
    return [*lines, "  under emulation, one at a time for each CPU; nothing is timed, and there is no bound on time"]


def _built_there(workshop: Workshop, job: Job) -> bool:
    """Whether the source of a job is built for its machine; so is what needs no source."""
    build = on_target(job.build, job.target)
    return build.source is None or is_built(
        job.library, build, toolchain_for(job.target, workshop.toolchain), workshop.cache
    )


def _job_words(job: Job) -> str:
    return f"{build_label(job.library.id, job.build.variant)} on {job.target.id}"


def _named(operation: str, cases: Iterable[Case]) -> str:
    sizes = [format_size(case.size_bytes) for case in cases if case.operation == operation and case.size_bytes]
    return f"{operation} {', '.join(sizes)}".strip()


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds < 120 else f"{seconds / 60:.3g} min"
