# SPDX-License-Identifier: Apache-2.0
"""`cipherstone footprint`: how small a library gets in a program that works; `cipherstone footprint diff`: what changed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import typer

from cipherstone.build.targets import TARGETS
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.cli import environment as env
from cipherstone.cli.commands import SETTINGS
from cipherstone.cli.files import require_place, write_result
from cipherstone.cli.known_libraries import known_libraries, names_left_out
from cipherstone.cli.lab_options import CpuOption, MaxTimeOption, PassesOption, ResumeOption, SeedOption
from cipherstone.cli.run import Output, go_on
from cipherstone.cli.run import measure as run
from cipherstone.cli.selection import words
from cipherstone.cli.shared_options import shares
from cipherstone.execute.run import choose_cpu
from cipherstone.execute.spectrum import kernel_scouts
from cipherstone.execute.survey import Announce
from cipherstone.labs.footprint.ladder import EXTRAS, INSTEAD, PROGRAMS, Ladder, load_ladders, load_published
from cipherstone.labs.footprint.machine import machines
from cipherstone.labs.footprint.measuring import footprint
from cipherstone.labs.footprint.page import footprint_html
from cipherstone.labs.footprint.request import asked_by_name, asked_by_page, narrowed, of_page
from cipherstone.labs.footprint.results import (
    Footprint,
    Row,
    StepOutcome,
    alone,
    bytes_of,
    changes,
    figure,
    over,
    read_footprint,
    shared_images,
)
from cipherstone.labs.footprint.shared import shared_libraries
from cipherstone.labs.footprint.sizes import LadderSizes
from cipherstone.labs.footprint.stored import LAB, footprint_of
from cipherstone.labs.footprint.tables import changes_text, largest_text, shared_text
from cipherstone.labs.footprint.timing import PASSES, How, LadderTimes, Ready
from cipherstone.labs.footprint.user_source import with_own
from cipherstone.measure.turns import Instrument
from cipherstone.model.errors import CipherstoneError, ExitCode, UsageError, nearest
from cipherstone.model.request import RunRequest
from cipherstone.model.summary import RunSummary
from cipherstone.views.samecode import FORCED, refusal_of

command = typer.Typer(
    name="footprint",
    help="How small a library gets in a program that works: built down a ladder of steps, proven, then measured.",
    invoke_without_command=True,
    **SETTINGS,
)


def _budget(what: str, of: str) -> object:
    return typer.Option(f"--max-{what}", metavar="BYTES", help=f"End with 3 if {of} passes it, e.g. 130KiB.", show_default=False)  # fmt: skip


def _asked(
    library: Annotated[
        list[str] | None,
        typer.Option(
            "--library",
            "-l",
            metavar="NAMES",
            help="Only these libraries (a,b or repeated); NAME=git:DIR@COMMIT or NAME=ARCHIVE: your own source of one.",
            show_default=False,
        ),
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            "--program", "-p", metavar="NAMES", help=f"Only these programs: {', '.join(PROGRAMS)}.", show_default=False
        ),
    ] = None,
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            metavar="TARGETS",
            help=f"Machines (a,b or repeated), those that are not this one under emulation: {', '.join(name for name, one in TARGETS.items() if not one.lacks)}; default: this machine.",
            show_default=False,
        ),
    ] = None,
    step: Annotated[
        list[str] | None,
        typer.Option("--step", metavar="NAMES", help="Only these steps, e.g. default,lto.", show_default=False),
    ] = None,
    page: Annotated[
        str,
        typer.Option(
            "--page",
            metavar="SUITE",
            help="What stands beside the ladders of the published page that this suite is made after, and nothing else; with --speed beside what it timed, too.",
            show_default=False,
        ),
    ] = "",
    speed: Annotated[
        bool, typer.Option("--speed", help="Also what each step costs in time, against the step 'default'.")
    ] = False,
    max_time: MaxTimeOption = None,
    passes: PassesOption = None,
    cpu: CpuOption = None,
    seed: SeedOption = None,
    name: env.NameOption = "",
) -> RunRequest:
    given = words(library)
    named = {
        "library": ",".join(one for one in given if "=" not in one),
        "program": ",".join(words(program)),
        "step": ",".join(words(step)),
        "page": page,
    }
    return RunRequest(
        suite=LAB,
        lab=LAB,
        options={key: text for key, text in named.items() if text} | ({"speed": True} if speed else {}),
        library=tuple(one for one in given if "=" in one),
        on=tuple(words(on)),
        name=name,
        max_time=max_time,
        passes=passes,
        cpu=cpu,
        seed=seed,
    )


class Shown(NamedTuple):
    """What is done with a footprint. `budgets`: bytes at most, by figure; `details`: whether the largest symbols are printed; `json`, `html`: files."""

    budgets: dict[str, int]
    details: bool
    json: Path | None
    html: Path | None

    def end(self, found: Footprint) -> None:
        """Prints and writes, and ends the command with a code of its own if something is wrong or too large."""
        if self.details:
            lines = (line for row in found.rows if row.sizes for line in largest_text(row, env.width()))
            print("\n".join(("", *lines)))
        _write(found, self.json, self.html)
        _end(found, self.budgets)


@command.callback()
@shares(_asked)
def measure(
    request: RunRequest,
    context: typer.Context,
    max_size: Annotated[str, _budget("size", "a stripped file")] = "",
    max_text: Annotated[str, _budget("text", "code")] = "",
    max_rodata: Annotated[str, _budget("rodata", "read-only data")] = "",
    max_data: Annotated[str, _budget("data", "data")] = "",
    max_bss: Annotated[str, _budget("bss", "zeroed data")] = "",
    max_heap: Annotated[str, _budget("heap", "the heap's peak")] = "",
    max_stack: Annotated[str, _budget("stack", "the stack's peak")] = "",
    shared: Annotated[
        bool, typer.Option("--shared", help="Shared libraries as they are installed, in place of ladders.")
    ] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Also the ten largest symbols and objects of every step.")
    ] = False,
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write all of it there, for `footprint diff`.", show_default=False),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write one page with a waterfall a library.",
            show_default=False,
            callback=env.page_wanted,
        ),
    ] = None,
    report: env.ReportOption = False,
    wait: env.WaitOption = False,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """How small a library gets in a program that works: built down a ladder of steps, proven, then measured."""
    if context.invoked_subcommand is not None:
        return
    budgets = _budgets(
        size=max_size,
        text=max_text,
        rodata=max_rodata,
        data=max_data,
        bss=max_bss,
        heap=max_heap,
        stack=max_stack,
    )
    require_place(json, html)
    workshop = env.workshop(cache)
    shown = Shown(budgets, details, json, html)
    if shared:
        _installed(workshop, words([str(request.options.get("library", ""))]), shown)
        return
    then = Output(output, format_, report, wait, then=partial(_measured, shown))
    if resume is not None:
        go_on(workshop, catalogue_at(workshop.root), {}, resume, request, then)
        return
    run(workshop, request, then)


def _measured(shown: Shown, instruments: Sequence[Instrument], run: RunSummary) -> None:
    """After a run: the footprint of its figures, with all symbols."""
    found = footprint_of(run, next((one.found for one in instruments if isinstance(one, LadderSizes)), None))
    assert found is not None
    shown.end(found)
    sys.exit(ExitCode.OK)  # a board may have no step that was asked for


def _installed(workshop: Workshop, only: Sequence[str], shown: Shown) -> None:
    """Shared libraries. Raises UsageError for a name that is none."""
    catalogue = catalogue_at(workshop.root)
    known = known_libraries(workshop.root)
    for name in only:
        if name not in known:
            raise UsageError(f"--library: there is no library '{name}'", nearest(name, known))
    installed = Footprint((), shared=shared_libraries(workshop, catalogue, only))
    print(shared_text(installed.shared, env.width(), env.colour_wanted()))
    _write(installed, shown.json, shown.html)


def instruments(workshop: Workshop, request: RunRequest, tell: Announce) -> tuple[Instrument, ...]:
    """What measures the ladders of a request, all of them built and proven: their sizes, and their times where these are asked for. Raises CipherstoneError."""
    found, ready = _made(workshop, request, tell)
    if not ready:
        return (LadderSizes(found),)
    here = any(not one.machine.emulator for one in ready)
    scouts, unprobed = kernel_scouts(workshop, tell) if here else ((), "")
    times = LadderTimes(ready, How(request.passes or PASSES, choose_cpu(request.cpu), scouts, unprobed))
    sizes = LadderSizes(found, times.counts)
    return (sizes, times) if times.plan.cases else (sizes,)


def _made(workshop: Workshop, request: RunRequest, tell: Announce) -> tuple[Footprint, list[Ready]]:
    """The footprint of a request, and what of it is to be timed. Raises UsageError for names that mean nothing, and whatever a machine raises."""
    given = {name: words([str(request.options.get(name, ""))]) for name in ("library", "program", "step")}
    page, speed = str(request.options.get("page", "")), bool(request.options.get("speed"))
    catalogue = catalogue_at(workshop.root)
    known = known_libraries(workshop.root)
    wanted, ladders = with_own(
        [*given["library"], *request.library], load_ladders(workshop.root, known, names_left_out())
    )
    beside = asked_by_page(of_page(page, load_published(workshop.root)), ladders, speed) if page else None
    on_page = {one.ladder.library: ladders[one.ladder.library] for one in beside or ()}
    named = _named("--library", wanted, on_page or ladders)
    chosen = [ladders[name] for name in named if page or wanted or not ladders[name].slow]
    if left_out := [name for name in named if ladders[name] not in chosen]:
        tell(f"without {', '.join(left_out)}, whose builds take long: -l {','.join(left_out)}")
    of_all = [name for name in PROGRAMS if speed or name not in EXTRAS]
    programs = _named("--program", given["program"] or of_all, PROGRAMS)
    if given["program"] and beside and not {one.program for one in beside} & set(programs):
        raise UsageError(f"--program: no size of {', '.join(programs)} stands on the page", "--speed adds what it timed, which is not all of them")  # fmt: skip
    there = beside or asked_by_name(chosen, tuple(PROGRAMS), [one.name for ladder in chosen for one in ladder.steps])
    known_steps = list(dict.fromkeys(name for one in there for name in one.steps))
    steps = _named("--step", given["step"], known_steps)
    places = machines(request.on, workshop)
    if speed and any(machine.board is not None for machine, _ in places):
        raise UsageError("--speed: a board is not timed", "`cipherstone count --on` counts instructions there")
    if beside is None:
        _say_absent(chosen, programs if given["program"] else (), tell)
        asked = asked_by_name(chosen, programs, steps, speed)
    else:
        asked = narrowed(beside, named, programs, steps)
    found, ready = footprint(places, catalogue, asked, tell, lambda row: tell(_line(row)))
    if not found.rows:
        raise CipherstoneError("footprint: no ladder has a step that was asked for", f"steps: {', '.join(known_steps)}")
    return found, ready


@command.command("diff")
def diff(
    before: Annotated[Path, typer.Argument(help="What `footprint --json` wrote earlier.")],
    now: Annotated[Path, typer.Argument(help="What it wrote later.")],
    most: Annotated[int, typer.Option("--symbols", min=0, max=100_000, help="Symbols of each row at most.")] = 20,
    force: Annotated[
        bool, typer.Option("--force", help="Compare although all images are the same, which else ends with 1.")
    ] = False,
) -> None:
    """What changed between two footprints, by figure and by symbol."""
    first, second = read_footprint(before), read_footprint(now)
    changed, both = changes(first, second), shared_images(first, second)
    if both.refused and not changed and not force:
        raise CipherstoneError(refusal_of(str(before), str(now), both.refused), FORCED)
    if both.refused:
        env.say(f"warning: {refusal_of(str(before), str(now), both.refused, forced=True)}")
    print(changes_text(changed, alone(first, second), most, env.width(), () if both.refused else both.same))


def lab(
    library: Annotated[
        list[str] | None,
        typer.Option(
            "--library", "-l", metavar="NAMES", help="Only these libraries (a,b or repeated).", show_default=False
        ),
    ] = None,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
) -> None:
    """Footprint: how small a library gets in a program that works; `cipherstone footprint` has all options."""
    given = [word for name in words(library) for word in ("-l", name)]
    given += ["--runs", str(output)]
    given += ["--resume", resume] if resume is not None else []
    given += ["--cache", str(cache)] if cache else []
    typer.main.get_command(command).main(given, standalone_mode=False)


def _write(found: Footprint, json: Path | None, html: Path | None) -> None:
    if json is not None:
        write_result(msgspec.json.format(msgspec.json.encode(found)).decode(), json)
    if html is not None:
        write_result(footprint_html(found), html)


def _budgets(**texts: str) -> dict[str, int]:
    return {what: bytes_of(f"--max-{what}", text) for what, text in texts.items() if text}


def _named(option: str, names: Sequence[str], known: Sequence[str] | dict[str, Ladder] | dict[str, str]) -> list[str]:
    """`names`, or all. Raises UsageError."""
    for name in names:
        if name not in known:
            raise UsageError(f"{option}: no ladder has '{name}'", nearest(name, known))
    return [name for name in known if name in names] if names else list(known)


def _say_absent(ladders: Sequence[Ladder], programs: Sequence[str], tell: Announce) -> None:
    for ladder in ladders:
        for program in programs:
            if program in ladder.absent:
                tell(f"{ladder.library} {program}: {ladder.absent[program]}")
            elif program not in ladder.programs:
                why = "has none here" if program in INSTEAD else "is only where a published table beside the ladder times it"  # fmt: skip
                tell(f"{ladder.library} {program}: {why}")


def _line(row: Row) -> str:
    size = figure(row, "size")
    return f"{row.name}: {row.outcome}" + (f", {size:,} bytes" if size is not None else f": {row.why}")


def _end(found: Footprint, budgets: dict[str, int]) -> None:
    """Ends with 4 if a file did not do what it is for, with 3 if a budget was passed, with 1 if something was not built."""
    outcomes = {row.outcome for row in found.rows}
    late = over(found.rows, budgets) if budgets else []
    for line in late:
        env.say(line)
    if StepOutcome.WRONG in outcomes:
        sys.exit(ExitCode.WRONG)
    if late:
        sys.exit(ExitCode.THRESHOLD)
    if StepOutcome.UNBUILT in outcomes:
        sys.exit(ExitCode.FAILURE)
