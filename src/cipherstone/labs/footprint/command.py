# SPDX-License-Identifier: Apache-2.0
"""`cipherstone footprint`: how small a library gets in a program that works; `cipherstone footprint diff`: what changed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.build.targets import TARGETS
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli import environment as env
from cipherstone.cli.commands import SETTINGS
from cipherstone.cli.files import require_place, write_result
from cipherstone.cli.selection import words
from cipherstone.labs.footprint.asked import asked_by_name, asked_by_page, narrowed, of_page
from cipherstone.labs.footprint.brought import with_own
from cipherstone.labs.footprint.ladder import EXTRAS, INSTEAD, PROGRAMS, Ladder, load_ladders, load_published
from cipherstone.labs.footprint.machine import machines
from cipherstone.labs.footprint.measuring import footprint
from cipherstone.labs.footprint.page import footprint_html
from cipherstone.labs.footprint.results import (
    Footprint,
    Outcome,
    Row,
    alone,
    bytes_of,
    changes,
    figure,
    over,
    read_footprint,
    shared_images,
)
from cipherstone.labs.footprint.shared import shared_libraries
from cipherstone.labs.footprint.tables import changes_text, footprint_text, largest_text, shared_text
from cipherstone.model.errors import CipherstoneError, ExitCode, UsageError, nearest
from cipherstone.views.samecode import FORCED, refusal_of

command = typer.Typer(
    name="footprint",
    help="How small a library gets in a program that works: built down a ladder of steps, proven, then measured.",
    invoke_without_command=True,
    **SETTINGS,
)


def _budget(what: str, of: str) -> object:
    return typer.Option(f"--max-{what}", metavar="BYTES", help=f"End with 3 if {of} passes it, e.g. 130KiB.", show_default=False)  # fmt: skip


@command.callback()
def measure(
    context: typer.Context,
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
    max_size: Annotated[str, _budget("size", "a stripped file")] = "",
    max_text: Annotated[str, _budget("text", "code")] = "",
    max_rodata: Annotated[str, _budget("rodata", "read-only data")] = "",
    max_data: Annotated[str, _budget("data", "data")] = "",
    max_bss: Annotated[str, _budget("bss", "zeroed data")] = "",
    max_heap: Annotated[str, _budget("heap", "the heap's peak")] = "",
    max_stack: Annotated[str, _budget("stack", "the stack's peak")] = "",
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
    cache: env.CacheOption = None,
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
    catalogue = catalogue_at(workshop.root)
    known = load_libraries(workshop.root, catalogue)
    if shared:
        only = words(library)
        for name in only:
            if name not in known:
                raise UsageError(f"--library: there is no library '{name}'", nearest(name, known))
        installed = Footprint((), shared=shared_libraries(workshop, catalogue, only))
        print(shared_text(installed.shared, env.width(), env.colour_wanted()))
        _write(installed, json, html)
        return
    wanted, ladders = with_own(words(library), load_ladders(workshop.root, known))
    beside = asked_by_page(of_page(page, load_published(workshop.root)), ladders, speed) if page else None
    on_page = {one.ladder.library: ladders[one.ladder.library] for one in beside or ()}
    named = _named("--library", wanted, on_page or ladders)
    chosen = [ladders[name] for name in named if page or library or not ladders[name].slow]
    if left_out := [name for name in named if ladders[name] not in chosen]:
        env.say(f"without {', '.join(left_out)}, whose builds take long: -l {','.join(left_out)}")
    of_all = [name for name in PROGRAMS if speed or name not in EXTRAS]
    programs = _named("--program", words(program) or of_all, PROGRAMS)
    if program and beside and not {one.program for one in beside} & set(programs):
        raise UsageError(f"--program: no size of {', '.join(programs)} stands on the page", "--speed adds what it timed, which is not all of them")  # fmt: skip
    there = beside or asked_by_name(chosen, tuple(PROGRAMS), [one.name for ladder in chosen for one in ladder.steps])
    known_steps = list(dict.fromkeys(name for one in there for name in one.steps))
    steps = _named("--step", words(step), known_steps)
    places = machines(words(on), workshop)
    if speed and any(machine.board is not None for machine, _ in places):
        raise UsageError("--speed: a board is not timed", "`cipherstone count --on` counts instructions there")
    if beside is None:
        _say_absent(chosen, programs if program else ())
        asked = asked_by_name(chosen, programs, steps, speed)
    else:
        asked = narrowed(beside, named, programs, steps)
    found = footprint(places, catalogue, asked, env.say, _tell)
    if not found.rows:
        raise CipherstoneError("footprint: no ladder has a step that was asked for", f"steps: {', '.join(known_steps)}")
    print(footprint_text(found, env.width(), env.colour_wanted()))
    if details:
        print("\n".join(("", *(line for row in found.rows if row.sizes for line in largest_text(row, env.width())))))
    _write(found, json, html)
    _end(found, budgets)


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
    cache: env.CacheOption = None,
) -> None:
    """Footprint: how small a library gets in a program that works; `cipherstone footprint` has all options."""
    typer.main.get_command(command).main(
        [*(word for name in words(library) for word in ("-l", name)), *(("--cache", str(cache)) if cache else ())],
        standalone_mode=False,
    )


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


def _say_absent(ladders: Sequence[Ladder], programs: Sequence[str]) -> None:
    for ladder in ladders:
        for program in programs:
            if program in ladder.absent:
                env.say(f"{ladder.library} {program}: {ladder.absent[program]}")
            elif program not in ladder.programs:
                why = "has none here" if program in INSTEAD else "is only where a published table beside the ladder times it"  # fmt: skip
                env.say(f"{ladder.library} {program}: {why}")


def _tell(row: Row) -> None:
    size = figure(row, "size")
    env.say(f"{row.name}: {row.outcome}" + (f", {size:,} bytes" if size is not None else f": {row.why}"))


def _end(found: Footprint, budgets: dict[str, int]) -> None:
    """Ends with 4 if a file did not do what it is for, with 3 if a budget was passed, with 1 if something was not built."""
    outcomes = {row.outcome for row in found.rows}
    late = over(found.rows, budgets) if budgets else []
    for line in late:
        env.say(line)
    if Outcome.WRONG in outcomes:
        sys.exit(ExitCode.WRONG)
    if late:
        sys.exit(ExitCode.THRESHOLD)
    if Outcome.UNBUILT in outcomes:
        sys.exit(ExitCode.FAILURE)
