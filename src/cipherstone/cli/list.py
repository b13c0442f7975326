# SPDX-License-Identifier: Apache-2.0
"""`cipherstone list`: what each library offers here, what it lacks, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from cipherstone.catalogue.algorithms import LAB_FAMILIES, Catalogue, Operation, catalogue_at
from cipherstone.catalogue.filter import FILTER_KEYS, Filter
from cipherstone.cli import environment as env
from cipherstone.cli.builds import build_rows, show_builds, traits_of
from cipherstone.cli.console import console
from cipherstone.cli.known_libraries import known_with_labs
from cipherstone.cli.libraries import expect_library_keys, library_rows, show_libraries
from cipherstone.cli.plan_lines import say_builds
from cipherstone.cli.select_options import BuildOption, FamilyOption, Selected, WorkerOption, takes_selection
from cipherstone.cli.selection import (
    build_names,
    chosen_libraries,
    known_values,
    naming_workers,
    parsed,
    refuse_dropped,
    with_builds,
    words,
    written,
)
from cipherstone.cli.steps import PREPARING, Steps
from cipherstone.cli.tables import show_table, show_text
from cipherstone.cli.user_library import with_brought
from cipherstone.execute.survey import Found, survey
from cipherstone.measure.plan import OF_LANES, cell_facts
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.identity import library_objects, package_text
from cipherstone.model.ids import DISTRIBUTION_BUILD, HARNESS_EMPTY, Case, Lane
from cipherstone.model.records import Build
from cipherstone.report.render.screen_table import ScreenColumn


@takes_selection
def list_(
    selected: Selected,
    operations: Annotated[
        bool, typer.Option("--operations", help="Every operation: what is timed, sizes, standard.")
    ] = False,
    implementations: Annotated[
        bool, typer.Option("--implementations", help="Every implementation inside each library.")
    ] = False,
    why: Annotated[bool, typer.Option("--why", help="Why an operation of a library is not here.")] = False,
    builds: Annotated[
        bool, typer.Option("--builds", help="Every build of every library: what it is there for, whether it is here.")
    ] = False,
    about: Annotated[
        bool,
        typer.Option(
            "--libraries", help="What each library is: licence, lines of code, upkeep, advisories, ways to call it."
        ),
    ] = False,
    build: BuildOption = None,
    family: FamilyOption = None,
    worker: WorkerOption = None,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """List what each library offers here, what it lacks, and why."""
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    libraries = known_with_labs(workshop.root)
    _, libraries = with_brought(selected.library, libraries)
    libraries, asked = with_builds("--build", (*words(build), *selected.builds), libraries)
    names = build_names(libraries.values())
    values = known_values(catalogue, libraries, (), names)
    text = written(selected.filter, values, worker or (), traits_of(workshop, libraries))
    selection = parsed(text, values, ("library", "build") if worker else ())
    if about or builds:
        expect_library_keys(selection)  # before workers are built
    if builds:
        named = [
            one
            for one in libraries.values()
            if selection is None or selection.may_match({"library": one.id}, ("build",))
        ]
        show_builds(build_rows(workshop, named), format_, console())
        return
    shown, left_out = _chosen(catalogue, words(family), selection)
    if operations:
        _list_operations(catalogue, shown, left_out, format_)
        return
    chosen = chosen_libraries(text, catalogue, libraries, (), asked, built=workshop.has_built)
    say_builds(workshop, chosen.values())
    with Steps(plain=False) as step:
        step(PREPARING)
        found = survey(workshop, chosen, worker or (), step.said, builds=build_names(chosen.values()))
    known = known_values(catalogue, {*libraries, *(one.id for one in found)}, _implementations(found), names)
    with naming_workers(found):
        selection = parsed(text, known, ("build",))
    refuse_dropped(found, selection, catalogue)
    unknown = {*FILTER_KEYS, *catalogue.keys} - {"library", "build"}
    found = [one for one in found if selection is None or selection.may_match(_facts_of(one), unknown)]
    env.say_loading(found)
    if about:
        show_libraries(library_rows(found, selection), format_)
        return
    rows = [row for one in found for row in _rows(one, shown, selection, catalogue)]
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(rows)).decode())
        return
    _show(rows, found, shown)
    _say_left_out(console(), left_out)
    _show_reasons(rows, implementations, why)


class OperationRow(msgspec.Struct, frozen=True):
    """An operation of a build. `state`: `ok`, `unavailable` (there, but not on this machine, or the build is not there) or `unsupported`. `implementations`: those that can be chosen here; `unavailable`: why others cannot, by name; `reason`: why there is none, "" if there is one."""

    library: str
    build: str
    version: str | None
    package: str | None
    identity: str | None
    operation: str
    state: str
    implementations: tuple[str, ...]
    unavailable: dict[str, str]
    reason: str

    @property
    def mark(self) -> str:
        """In the table."""
        number = len(self.implementations)
        return str(number) if number > 1 else "yes" if number else "." if self.state == "unsupported" else "no"


def _facts_of(one: Found) -> dict[str, str]:
    return {"library": one.id, "build": one.variant or DISTRIBUTION_BUILD}


def _rows(
    one: Found, shown: Sequence[Operation], selection: Filter | None, catalogue: Catalogue
) -> Iterator[OperationRow]:
    """What a build says to each operation, of the implementations that are selected."""
    build = one.build
    offer = one.offer(catalogue) if build is not None else None
    identity = build.identity if build is not None else None
    for operation in shown:
        every = offer.implementations(operation.id) if offer is not None else []
        names = every if selection is None else _selected(every, one, operation, selection, catalogue)
        ready = tuple(name for name in names if offer is not None and (operation.id, name) in offer.capabilities)
        refused = {name: offer.unavailable[operation.id, name] for name in names if offer and name not in ready}
        yield OperationRow(
            library=one.id,
            build=one.variant or DISTRIBUTION_BUILD,
            version=build.version if build else None,
            package=build.package if build else None,
            identity=identity,
            operation=operation.id,
            state="ok" if ready else "unavailable" if refused or build is None else "unsupported",
            implementations=ready,
            unavailable=refused,
            reason="" if ready else next(iter(refused.values()), "") or _reason(one, operation, bool(every)),
        )


def _selected(
    names: Sequence[str], one: Found, operation: Operation, selection: Filter, catalogue: Catalogue
) -> list[str]:
    """The implementations of an operation that a selection leaves."""
    facts = catalogue.usual(operation) | cell_facts(operation, operation.headline, Lane(one.id, "")) | _facts_of(one)
    return [name for name in names if selection.may_match(facts | {"impl": name}, ("bytes",))]


def _reason(one: Found, operation: Operation, others: bool) -> str:
    """Why an operation has no implementation. `others`: it has some that were not asked for."""
    if one.build is None:
        return one.problem
    if others:
        return "not in an implementation that was asked for"
    known = one.library.why_not(operation.id, one.build.version) if one.library else ""
    return known or "the library does not offer it"


def _show(rows: Sequence[OperationRow], found: Sequence[Found], shown: Sequence[Operation]) -> None:
    """A table of operations and builds, then a line for each build."""
    offering = {(row.library, row.build) for row in rows if row.state != "unsupported"}
    columns = [one for one in found if (one.id, one.variant or DISTRIBUTION_BUILD) in offering]
    room = env.width() - sum(len(one.name) + 1 for one in columns) - 1
    by_cell = {(row.library, row.build, row.operation): row for row in rows}
    names = _fitted_names([operation.id for operation in shown], max(room, 16))
    lines = [
        (name, *(by_cell[one.id, one.variant or DISTRIBUTION_BUILD, operation.id].mark for one in columns))
        for operation, name in zip(shown, names, strict=True)
    ]
    show_table([ScreenColumn("operation", words=True), *(ScreenColumn(one.name) for one in columns)], lines)
    print()
    show_text(
        "yes: one implementation; a number: implementations that can be chosen; .: not offered; no: not here (--why)"
    )
    print()
    for one in found:
        version = (
            f"{one.build.version} ({one.build.version_from}), {one.build.licence}{_origin(one.build)}"
            if one.build
            else f"{one.status}: {one.problem}"
        )
        show_text(f"{one.title}: {version}")
        if one.packages and one.status == "missing":
            console().print(f"    install: {' '.join(one.packages)}", markup=False)


def _show_reasons(rows: Sequence[OperationRow], implementations: bool, why: bool) -> None:
    """The implementations by name, and why others are missing."""
    if implementations or why:
        print()
    for row in rows:
        place = f"{row.library}  {row.operation}"
        if implementations and row.implementations:
            show_text(f"{place}: {', '.join(row.implementations)}")
        if why or implementations:
            for name, reason in row.unavailable.items():
                show_text(f"{place}: {name} unavailable: {reason}")
        if why and row.reason and not row.unavailable:
            show_text(f"{place}: {row.reason}")


def _implementations(found: Sequence[Found]) -> set[str]:
    """Those that the libraries here have."""
    return {row.impl for one in found for row in one.listed if row.op != HARNESS_EMPTY}


def _origin(build: Build) -> str:
    """`; libssl3 3.0.19-1~deb12u2`: which package holds the code, in which revision; "" where none does."""
    named = package_text(build) if any(one.package for one in library_objects(build)) else ""
    return f"; {named}" if named else ""


def _fitted_names(operations: Sequence[str], width: int) -> list[str]:
    """Operations in `width` columns each; those that would then read alike get as many more as tell them apart."""
    found = [_fitted(name, width) for name in operations]
    alike = {short for short, times in Counter(found).items() if times > 1}
    if not alike:
        return found
    wider = _fitted_names([name for name, short in zip(operations, found, strict=True) if short in alike], width + 1)
    rest = iter(wider)
    return [next(rest) if short in alike else short for short in found]


def _fitted(operation: str, width: int) -> str:
    """`ALGORITHM/VERB[/NAME=VALUE,...]` in `width` columns. Parameters lose their names first; then it is shortened inside the verb where five letters of it are left, else inside the algorithm: rows must stay distinct."""
    if len(operation) <= width:
        return operation
    case = Case.parse(operation)
    if case.params:
        values = "/" + ",".join(value for _, value in case.params)
        return _fitted(case.listed, width - len(values)) + values
    algorithm, _, verb = operation.partition("/")
    room = width - len(algorithm) - 2
    if room >= 5:
        end = 2 * room // 3
        return f"{algorithm}/{verb[: room - end]}…{verb[-end:]}"
    return f"{algorithm[: max(1, width - len(verb) - 2)]}…/{verb}"


def _chosen(
    catalogue: Catalogue, families: Sequence[str], selection: Filter | None
) -> tuple[list[Operation], tuple[str, ...]]:
    """(operations to list, families that are left out for their length: of laboratories, where nothing names an operation). Raises UsageError for a family that is none, and where nothing is left."""
    known = tuple(dict.fromkeys(operation.family for operation in catalogue.operations.values()))
    for name in families:
        if name not in known:
            raise UsageError(f"--family: '{name}' is not a family", nearest(name, known))
    of_lanes = {*OF_LANES, "build"}
    named = bool(families) or bool(selection and selection.keys - of_lanes)
    left_out = () if named else tuple(name for name in known if name in LAB_FAMILIES)
    shown = [
        operation
        for operation in catalogue.operations.values()
        if operation.family not in left_out
        and (not families or operation.family in families)
        and (
            selection is None
            or selection.may_match(
                catalogue.usual(operation) | cell_facts(operation, operation.headline, Lane("", "")), of_lanes
            )
        )
    ]
    if not shown:
        raise UsageError("list: no operation is selected", "`cipherstone list --operations` shows all")
    return shown, left_out


def _say_left_out(screen: Console, left_out: Sequence[str]) -> None:
    for name in left_out:
        screen.print(f"Left out: family {name}, of the laboratories (--family {name})", markup=False)


def _list_operations(
    catalogue: Catalogue, operations: Sequence[Operation], left_out: Sequence[str], format_: env.Format
) -> None:
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(operations)).decode())
        return
    screen = console()
    for operation in operations:
        sizes = ", ".join(str(size) for size in operation.sizes) or "one fixed input"
        screen.print(f"[bold]{operation.id}[/bold]  {operation.title}  ({operation.standard})", highlight=False)
        for line in (f"timed: {operation.timed}", f"not timed: {operation.untimed}", f"sizes in bytes: {sizes}"):
            show_text(line, "    ", "      ")
        if more := [catalogue.conditions[name].shown for name in catalogue.usual(operation)]:
            show_text(f"also under: {', '.join(more)}  (--param)", "    ", "      ")
    _say_left_out(screen, left_out)
