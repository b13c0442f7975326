# SPDX-License-Identifier: Apache-2.0
"""`cipherstone count`: instructions of operations on other machines, exact, under emulation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.build.targets import TARGETS
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue, catalogue_at
from cipherstone.catalogue.document import decode_output
from cipherstone.catalogue.libraries import Library
from cipherstone.cli import environment as env
from cipherstone.cli.builds import traits_of
from cipherstone.cli.countjobs import OnOption, chosen_builds, targets_here
from cipherstone.cli.countpage import MODELLED_SAID, published_page, show_implied, show_pairs
from cipherstone.cli.known_libraries import known_with_labs
from cipherstone.cli.plan_lines import counting_lines
from cipherstone.cli.select_options import Selected, takes_selection
from cipherstone.cli.selection import build_names, known_values, parsed, with_builds, words, written
from cipherstone.cli.steps import Steps
from cipherstone.cli.tables import show_lines, show_table, show_text
from cipherstone.cli.user_library import with_brought
from cipherstone.execute.counting.jobs import CountRequest, Job, count_everything
from cipherstone.isa.modelled import MODELS, NO_MODEL
from cipherstone.model.counts import Count, Counting, Counts, differences
from cipherstone.model.errors import CipherstoneError, ExitCode, UsageError, nearest
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import Record
from cipherstone.model.units import counted
from cipherstone.report.blocks.counts import difference_text
from cipherstone.report.render.screen_table import ScreenColumn
from cipherstone.views.implied_cycles import implied, wanted
from cipherstone.views.published_pairs import published_pairs
from cipherstone.views.samecode import (
    FORCED,
    TWO_BUILDS,
    OnBothSides,
    counted_doubles,
    refusal_of,
    several_text,
    shared_counts,
)

INSTRUCTIONS, STACK, HEAP, CODE, MODELLED = "instructions", "stack", "heap", "code", "modelled-cycles"
FIGURES = (INSTRUCTIONS, "load", "store", "branch", "multiply", "divide", STACK, HEAP, CODE, MODELLED)
WHAT = {
    INSTRUCTIONS: "instructions of one call, less those of an empty call: exact, the same in every run, and no time",
    STACK: "bytes of stack that one call uses at its deepest; less than 256 reads 0",
    HEAP: "bytes that one call has allocated at most, beyond what was allocated before it; by a twin of the worker that is not counted",
    CODE: "bytes of code and constants that one operation brings into a program that has none of it, without the C library and what every worker has; JSON has them by name",
    MODELLED: f"{MODELLED_SAID}, and no figure that anything is ranked or compared by",
    "load": "loads from memory of one call",
    "store": "stores to memory of one call",
}
BuildsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--build",
        metavar="NAMES",
        help="These builds, from source, e.g. bearssl@0.6+Os; default: each library's first source that is known to build for other machines.",
    ),
]
FigureOption = Annotated[
    str,
    typer.Option(
        "--what",
        metavar="FIGURE",
        help=f"What the table shows: {', '.join(FIGURES)}; JSON has all, the last one where it is asked for.",
    ),
]
VectorsOption = Annotated[
    bool,
    typer.Option("--all-vectors", help="Prove with every known answer, as `check` does, not with the brief ones."),
]
AgainstOption = Annotated[
    Path | None,
    typer.Option(
        "--against",
        metavar="FILE",
        help="Compare with the counts in this file (of --format json), with no tolerance; ends with 3 if one differs, with 1 if all are of the same code.",
        show_default=False,
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Compare although the code is the same; ends with 0 where no count differs.")
]
PageOption = Annotated[
    str,
    typer.Option(
        "--page",
        metavar="SUITE",
        help="Count what the published page has rates of that this suite is made after, and show cycles per instruction at the clock that it states, for each of its platforms that is a target.",
        show_default=False,
    ),
]


@takes_selection
def count(
    selected: Selected,
    on: OnOption = None,
    build: BuildsOption = None,
    what: FigureOption = INSTRUCTIONS,
    all_vectors: VectorsOption = False,
    against: AgainstOption = None,
    force: ForceOption = False,
    page: PageOption = "",
    dry: env.DryOption = False,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Count the instructions of operations on other machines, under emulation: proven first, exact, no times."""
    if what not in FIGURES:
        raise UsageError(f"--what: '{what}' is not counted", nearest(what, FIGURES))
    before = _read(against) if against is not None else None
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    published, text = published_page(workshop.root, page) if page else None, selected.filter
    if published is not None:
        build = build or [published.build]
        text = f"({wanted(published)}) ({text})" if text else wanted(published)
    libraries: dict[str, Library] = known_with_labs(workshop.root)
    _, libraries = with_brought(selected.library, libraries)
    libraries, asked = with_builds("--build", (*words(build), *selected.builds), libraries)
    values = known_values(catalogue, libraries, (), build_names(libraries.values()))
    selection = parsed(written(text, values, (), traits_of(workshop, libraries)), values)
    chosen = chosen_builds(libraries, selection, catalogue, asked)
    on_these = targets_here(words(on), workshop)
    if what == MODELLED and not any(target.id in MODELS for target in on_these):
        raise UsageError(f"--what {MODELLED}: no target of these has a model", NO_MODEL)
    jobs = [Job(target, *pair) for target in on_these for pair in chosen]
    if dry:
        show_lines(counting_lines(workshop, jobs, catalogue, selection))
        return
    # A model is asked for, since it takes a sixteenth more.
    wanted_counts = CountRequest(selection, all_vectors=all_vectors, modelled=what == MODELLED)
    found = _counted(workshop, jobs, catalogue, wanted_counts)
    for one in found.targets:
        if one.problem:
            env.say(f"without {one.label} on {one.target}: {one.problem}")
    if not found.counts:
        raise CipherstoneError("count: nothing was counted", "`cipherstone list` shows what there is")
    for one, other, code in counted_doubles(found.targets):
        raise UsageError(refusal_of(one.label, other.label, f"{one.target}: {code}"), TWO_BUILDS)
    both = shared_counts((before.targets, before.counts), (found.targets, found.counts)) if before is not None else None
    if both is not None and force and both.refused:
        env.say(f"warning: {refusal_of(str(against), 'what is counted now', both.refused, force)}")
    changed = differences(before.counts, found.counts) if before is not None else []
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        _show(found, what)
        if published is not None:
            architectures = {one.target: TARGETS[one.target].architecture for one in found.targets}
            show_implied(implied(published, found.counts, architectures))
            show_pairs(published_pairs(published, found.counts, architectures))
    for difference in changed:
        env.say(difference_text(difference))
    if any(one.outcome is Counting.WRONG for one in found.counts):
        sys.exit(ExitCode.WRONG)
    if both is not None and not force and not changed:
        _refuse_same(both, against)
    if changed:
        if both is not None and both.refused:
            env.say(f"though the code is the same ({both.refused}): emulator or counter are others")
        env.say(f"{counted(len(changed), 'count')} of {against} {'is' if len(changed) == 1 else 'are'} another one now")
        sys.exit(ExitCode.THRESHOLD)
    if any(one.problem for one in found.targets):
        sys.exit(ExitCode.FAILURE)


def _counted(workshop: Workshop, jobs: Sequence[Job], catalogue: Catalogue, asked: CountRequest) -> Counts:
    """Everything that is asked for, with a line of progress."""
    what = f"counting {counted(len(jobs), 'build')}, each on a machine"
    with Steps() as step:
        done = 0

        def counted_one(record: Record) -> None:
            nonlocal done
            done += isinstance(record, Count)
            if isinstance(record, Count):
                step(what, f"{done} done, {record.target} {Lane.parse(record.lane).label} {record.case}")

        step(what)
        return count_everything(workshop, jobs, catalogue, asked, step.said, counted_one)


def _read(path: Path) -> Counts:
    try:
        return decode_output(path, f"--against {path}: is not what --format json writes", Counts, "write it anew")
    except OSError as error:
        raise UsageError(f"--against {path}: {error.strerror}", "write one with --format json") from None


def _refuse_same(both: OnBothSides, against: Path | None) -> None:
    """Raises CipherstoneError where all that both have is the same code, and where they have nothing in common; tells what is the same beside what is not. A difference of exact counts is no noise: where there is one, it is reported instead."""
    if both.refused:
        raise CipherstoneError(refusal_of(str(against), "what is counted now", both.refused), FORCED)
    if not both.other:
        raise CipherstoneError(
            f"--against {against}: no case is counted there that is counted now, of one build on one machine",
            "write it anew with --format json and the same selection",
        )
    if both.same:
        env.say(f"the same code then and now: {several_text(both.same)}")


def _show(found: Counts, what: str) -> None:
    """A line a lane below each case, a column a target; then what was not counted, and how the workers were made."""
    targets = list(dict.fromkeys(one.target for one in found.counts))
    by_row: dict[tuple[str, str], dict[str, Count]] = {}
    for one in found.counts:
        by_row.setdefault((one.case, one.lane), {})[one.target] = one
    rows, last = [], ""
    for (case, lane), counts in sorted(by_row.items(), key=lambda item: _place(item[0])):
        if all(one.outcome is Counting.UNAVAILABLE for one in counts.values()):
            continue
        if case != last:
            rows.append((case, *[""] * len(targets)))
            last = case
        rows.append((f"  {Lane.parse(lane).label}", *(_cell(counts.get(target), what) for target in targets)))
    show_table([ScreenColumn("case, lane", words=True), *map(ScreenColumn, targets)], rows)
    show_text(WHAT.get(what, f"instructions of one call that {what}"))
    if what == MODELLED and not MODELS.keys() >= {*targets}:
        show_text(NO_MODEL)
    for one in found.counts:
        if one.outcome not in (Counting.COUNTED, Counting.UNAVAILABLE):
            show_text(f"{one.target}  {Lane.parse(one.lane).label}  {one.case}: {one.outcome}: {one.reason}")
    for target in found.targets:
        if not target.problem:
            show_text(f"{target.target}: {Lane.parse(target.build).words}, {target.compiler}, {target.flags}; {target.emulator}, -cpu {target.processor}")  # fmt: skip


def _place(row: tuple[str, str]) -> tuple[Case, Lane]:
    case, lane = row
    return Case.parse(case), Lane.parse(lane)


def _cell(one: Count | None, what: str) -> str:
    if one is None or one.outcome is Counting.UNAVAILABLE:
        return "-"
    if one.instructions is None:
        return str(one.outcome)
    figure = {
        INSTRUCTIONS: one.instructions,
        STACK: one.stack_bytes,
        HEAP: one.heap_bytes,
        CODE: one.code_bytes,
        MODELLED: one.modelled_cycles,
        **one.classes,
    }[what]
    return "-" if figure is None else f"{figure:,}"
