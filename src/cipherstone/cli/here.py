# SPDX-License-Identifier: Apache-2.0
"""Commands about this machine: setup, list, doctor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from cipherstone.build.installed import packages_for
from cipherstone.catalogue.algorithms import LAB_FAMILIES, Catalogue, Operation, catalogue_at
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.cli import environment as env
from cipherstone.cli.brought import with_brought
from cipherstone.cli.builds import build_rows, problem_of, show_builds, traits_of
from cipherstone.cli.libraries import expect_library_keys, library_rows, show_libraries
from cipherstone.cli.opinion import second_opinion
from cipherstone.cli.selection import (
    BuildOption,
    FamilyOption,
    FilterOption,
    ImplementationOption,
    LibraryOption,
    WorkerOption,
    build_names,
    chosen_libraries,
    filter_text,
    known_values,
    naming_workers,
    parsed,
    refuse_dropped,
    with_builds,
    words,
    written,
)
from cipherstone.cli.tables import show_table, show_text
from cipherstone.fleet.survey import Found, survey
from cipherstone.host.checks import checks
from cipherstone.model.errors import ExitCode, UsageError, nearest
from cipherstone.model.identity import library_objects
from cipherstone.model.ids import DISTRIBUTION_BUILD, Case
from cipherstone.model.records import Build
from cipherstone.report.render.screen_table import Column


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """A reader that has gone is no failure: the command line's entry sees to it, for all output alike."""
        raise BrokenPipeError


def console() -> Console:
    """A console for standard output, 80 columns where there is no terminal."""
    return _Screen(
        file=sys.stdout, width=env.width(), no_color=not env.colour_wanted(), highlight=False, soft_wrap=False
    )


# Another installation that goes on, of the system's own daily one, is waited for, ten minutes at most.
_WAITING = ("-o", "DPkg::Lock::Timeout=600")


def setup(
    install: Annotated[
        bool, typer.Option("--install/--no-install", help="Install what is missing, when allowed to.")
    ] = True,
    builds: Annotated[
        bool, typer.Option("--builds", help="Also what the builds need that are made on request (list --builds).")
    ] = False,
) -> None:
    """Look for the libraries' packages and install the missing ones (INSTALL=no: only name them)."""
    workshop = env.workshop()
    libraries = load_libraries(workshop.root) | load_labs(workshop.root)
    system = workshop.system
    missing: list[str] = []
    blind = workshop.toolchain.cc_version is None or workshop.toolchain.cxx_version is None
    if blind:
        missing += system.toolchain if system else ()
    for library in libraries.values():
        for build in library.builds if builds else library.default_builds:
            problem = problem_of(workshop, library, build)
            packages = packages_for(library, system, build)
            if not problem and blind and library.distribution is not None:
                missing += packages  # without a compiler it is not known whether its headers are there
            if not problem or "too old" in problem:
                continue
            if not packages and build.variant:
                env.say(f"without {library.title}, {build.variant}: {problem}")
            elif not packages:
                env.say(f"without {library.title}: this system has no package of it that cipherstone knows")
            missing += packages
    missing = list(dict.fromkeys(missing))
    if not missing:
        return
    if system is None:
        env.say("missing libraries, and this system's package manager is not known: see `cipherstone list`")
        return
    command = [*system.install, *missing]
    root = os.geteuid() == 0 or system.key == "macos"
    if (
        not root
        and shutil.which("sudo")
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        command, root = ["sudo", "-n", *command], True
    line = shlex.join(command)
    if not (install and env.may_install()) or not root or shutil.which(system.install[0]) is None:
        env.say(f"missing packages: {' '.join(missing)}")
        env.say(f"install them with: {line if root else 'sudo ' + line}")
        env.say("going on with the libraries that are there")
        return
    env.say(f"installing: {' '.join(missing)}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if system.key == "debian":
        at = command.index("apt-get") + 1
        subprocess.run([*command[:at], "update", "-qq"], env=quiet, stdout=sys.stderr, check=False)
        command[at:at] = _WAITING
    if subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        env.say(f"the installation failed; by hand: {line}")
        env.say("going on with the libraries that are there")


def list_(
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
    library: LibraryOption = None,
    filter_: Annotated[
        str | None,
        typer.Option(
            "--filter",
            "-f",
            metavar="FILTER",
            help="With --libraries: only those that match, e.g. licence:MIT, upkeep:ended.",
        ),
    ] = None,
    implementation: ImplementationOption = None,
    build: BuildOption = None,
    family: FamilyOption = None,
    worker: WorkerOption = None,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """List what each library offers here, what it lacks, and why."""
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    libraries = load_libraries(workshop.root, catalogue) | load_labs(workshop.root, catalogue)
    library, libraries = with_brought(library, libraries)
    shown, left_out = _families(catalogue, words(family))
    if operations:
        _list_operations(catalogue, shown, left_out, format_)
        return
    if filter_ is not None and not about:
        raise UsageError("--filter: is for `list --libraries`", "`list` has --library, --build and --family")
    text = filter_text(filter_, library, None, None, None, None)
    text = written(text, known_values(catalogue, libraries), worker or (), traits_of(workshop, libraries))
    selection = parsed(text, known_values(catalogue, ()))
    if about:
        expect_library_keys(selection)  # before workers are built
    if builds:
        named = [one for one in libraries.values() if selection is None or selection.matches({"library": one.id})]
        show_builds(build_rows(workshop, named), format_, console())
        return
    libraries, asked = with_builds("--build", words(build), libraries)
    chosen = chosen_libraries(text, catalogue, libraries, (), asked, built=workshop.has_built)
    found = survey(workshop, chosen, None, worker or (), env.say, builds=build_names(chosen.values()))
    with naming_workers(found):
        selection = parsed(text, known_values(catalogue, {*libraries, *(one.id for one in found)}))
    refuse_dropped(found, selection, catalogue)
    found = [one for one in found if selection is None or selection.matches({"library": one.id})]
    env.say_loading(found)
    if about:
        show_libraries(library_rows(found, selection), format_)
        return
    wanted = _implementations(words(implementation), found)
    rows: list[dict[str, object]] = []
    for one in found:
        offer = one.offer(catalogue) if one.build is not None else None
        for operation in shown:
            every = offer.implementations(operation.id) if offer is not None else []
            names = [name for name in every if wanted is None or name in wanted]
            ready = [name for name in names if offer is not None and (operation.id, name) in offer.capabilities]
            refused = {name: offer.unavailable[operation.id, name] for name in names if offer and name not in ready}
            reason = "" if ready else next(iter(refused.values()), "")
            if not ready and not reason:
                reason = (
                    one.problem
                    if one.build is None
                    else "not in an implementation that was asked for"
                    if every
                    else (one.library.why_not(operation.id, one.build.version) if one.library else "")
                    or "the library does not offer it"
                )
            state = "ok" if ready else ("unavailable" if refused or one.build is None else "unsupported")
            rows.append(
                {
                    "library": one.id,
                    "build": one.variant or DISTRIBUTION_BUILD,
                    "version": one.build.version if one.build else None,
                    "package": one.build.package if one.build else None,
                    "identity": one.build.identity if one.build else None,
                    "operation": operation.id,
                    "state": state,
                    "implementations": ready,
                    "unavailable": refused,
                    "reason": reason,
                }
            )
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(rows)).decode())
        return
    screen = console()
    offering = {(row["library"], row["build"]) for row in rows if row["state"] != "unsupported"}
    columns = [one for one in found if (one.id, one.variant or DISTRIBUTION_BUILD) in offering]
    room = screen.width - sum(len(one.name) + 1 for one in columns) - 1
    lines: list[tuple[str, ...]] = []
    by_cell = {(str(row["library"]), str(row["build"]), str(row["operation"])): row for row in rows}
    names = _fitted_names([operation.id for operation in shown], max(room, 16))
    for operation, name in zip(shown, names, strict=True):
        marks = []
        for one in columns:
            row = by_cell[one.id, one.variant or DISTRIBUTION_BUILD, operation.id]
            count = len(row["implementations"]) if isinstance(row["implementations"], list) else 0
            marks.append(
                str(count) if count > 1 else "yes" if count else "." if row["state"] == "unsupported" else "no"
            )
        lines.append((name, *marks))
    show_table([Column("operation", words=True), *(Column(one.name) for one in columns)], lines)
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
            screen.print(f"    install: {' '.join(one.packages)}", markup=False)
    _say_left_out(screen, left_out)
    if implementations or why:
        screen.print()
    for row in rows:
        if implementations and row["implementations"]:
            show_text(f"{row['library']}  {row['operation']}: {', '.join(row['implementations'])}")  # type: ignore[arg-type]
        if (why or implementations) and isinstance(row["unavailable"], dict):
            for name, reason in row["unavailable"].items():
                show_text(f"{row['library']}  {row['operation']}: {name} unavailable: {reason}")
        if why and row["reason"] and not row["unavailable"]:
            show_text(f"{row['library']}  {row['operation']}: {row['reason']}")


def _implementations(asked: Sequence[str], found: Sequence[Found]) -> set[str] | None:
    """The implementations to list; None for all. Raises UsageError for a name that no library here has."""
    if not asked or list(asked) == ["all"]:
        return None
    known = {row.impl for one in found for row in one.listed if row.op != "harness/empty"}
    for name in asked:
        if name not in known:
            raise UsageError(f"--impl: unknown impl '{name}'", nearest(name, known))
    return set(asked)


def _origin(build: Build) -> str:
    """`; libssl3 3.0.20-1~deb12u2`: which package holds the code, in which revision; "" where none does."""
    named = [f"{one.package} {one.package_version}" for one in library_objects(build) if one.package]
    return f"; {', '.join(dict.fromkeys(named))}" if named else ""


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


def _families(catalogue: Catalogue, asked: Sequence[str]) -> tuple[list[Operation], tuple[str, ...]]:
    """(operations to list, families that are left out for their length). Raises UsageError."""
    known = tuple(dict.fromkeys(operation.family for operation in catalogue.operations.values()))
    for name in asked:
        if name not in known:
            raise UsageError(f"--family: '{name}' is not a family", nearest(name, known))
    left_out = () if asked else tuple(name for name in known if name in LAB_FAMILIES)
    wanted = [operation for operation in catalogue.operations.values() if operation.family not in left_out]
    return [operation for operation in wanted if not asked or operation.family in asked], left_out


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


def doctor(
    run: Annotated[
        str | None,
        typer.Argument(help="With --programs: a stored run, whose cells they are.", show_default=False),
    ] = None,
    programs: Annotated[
        bool,
        typer.Option(
            "--programs",
            help="Instead: hold a random sample of cells against minimal programs of a few lines, and say where they disagree.",
        ),
    ] = False,
    count: Annotated[int, typer.Option("--count", min=1, max=5000, help="With --programs: how many cells.")] = 200,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="With --programs: draw the cells that this number draws.", show_default=False),
    ] = None,
    filter_: FilterOption = None,
    max_time: Annotated[
        str, typer.Option("--max-time", help="With --programs: begin nothing more after this, such as 10min, or none.")
    ] = "20min",
    cpu: Annotated[
        int | None,
        typer.Option("--cpu", help="With --programs: measure on this CPU (default: the last one).", show_default=False),
    ] = None,
    cache: env.CacheOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, max=60, help="How long to watch the idle machine.")
    ] = 1.0,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Say whether this machine is fit to measure, what disturbs it, and what to change; or whether what is measured is what plain loops say."""
    if programs:
        second_opinion(run, count, seed, filter_ or "", max_time, cpu, cache, output, format_)
        return
    if run is not None:
        raise UsageError("doctor: a run is for --programs", "`cipherstone show` shows a run")
    found = checks(output, env.workshop().toolchain.cc_version, seconds)
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        screen = console()
        for one in found:
            colour = {"good": "green", "note": "yellow", "bad": "red"}[one.level]
            screen.print(f"[{colour}]{one.level:<5}[/{colour}] {one.name}: ", end="")
            screen.print(one.seen, markup=False)
            if one.advice:
                screen.print(f"      {one.advice}", markup=False)
        bad = sum(one.level == "bad" for one in found)
        screen.print(
            "\nfit to measure"
            if not bad
            else f"\n{bad} thing{'s' if bad > 1 else ''} to mend before the figures can be tight"
        )
    if any(one.level == "bad" for one in found):
        sys.exit(ExitCode.FAILURE)
