# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab modexp`."""

from __future__ import annotations

import sys
from typing import Annotated

import msgspec
import typer

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.suites import load_suite
from cipherstone.cli import environment as env
from cipherstone.cli.lab_options import (
    CpuOption,
    MaxTimeOption,
    MemoryOption,
    PassesOption,
    ResumeOption,
    SeedOption,
    TargetOption,
)
from cipherstone.cli.run import go_on, measure_suite, settings_of
from cipherstone.cli.selection import (
    BuildOption,
    FilterOption,
    build_names,
    chosen_libraries,
    known_values,
    with_builds,
    words,
    written,
)
from cipherstone.labs.modexp.counted import count_rows, ending, show_counted
from cipherstone.labs.modexp.names import LAB, LIMBS, WINDOWS
from cipherstone.labs.modexp.options import (
    BASE_ROW,
    QUICK_SETTINGS,
    Narrowing,
    base_of,
    bits_offered,
    filtered,
    narrowed,
    number_list,
    reduction_list,
)
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import build_label
from cipherstone.store.find import checked_name


def modexp(
    bits: Annotated[
        str | None, typer.Option("--bits", help="Only these moduli, e.g. 2048,4096.", show_default=False)
    ] = None,
    crt: Annotated[
        bool | None,
        typer.Option("--crt/--no-crt", help="Private exponentiation with CRT, or without (default: both)."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only the rows of the published table, in less than a minute.")
    ] = False,
    compilers: Annotated[
        bool, typer.Option("--compilers", help="The laboratory's other compilers and flags as well.")
    ] = False,
    libraries: Annotated[bool, typer.Option("--libraries/--no-libraries", help="Libraries beside our rows.")] = True,
    window: Annotated[
        str | None, typer.Option("--window", help="Of windows, only these widths, e.g. 4,5.", show_default=False)
    ] = None,
    limb: Annotated[
        str | None, typer.Option("--limb", help="Only these limb sizes in bits, e.g. 32,64.", show_default=False)
    ] = None,
    reduction: Annotated[
        str | None,
        typer.Option("--reduction", help="Only these reductions, e.g. mont,cios.", show_default=False),
    ] = None,
    filter_: FilterOption = None,
    build: BuildOption = None,
    target: TargetOption = None,
    max_time: MaxTimeOption = None,
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            metavar="TARGETS",
            help="Count the published rows on these machines instead, under emulation, e.g. cortex-m4: instructions, exact, beside the published times. See `cipherstone count`.",
            show_default=False,
        ),
    ] = None,
    passes: PassesOption = None,
    cpu: CpuOption = None,
    seed: SeedOption = None,
    patience: env.PatienceOption = 1.0,
    memory: MemoryOption = True,
    name: env.NameOption = "",
    report: env.ReportOption = False,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Modular exponentiation: every way of it in time and memory, beside a published table and beside libraries."""
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    labs = load_labs(workshop.root, catalogue)
    known = load_libraries(workshop.root, catalogue) | labs
    called = checked_name(name, known) if name else ""
    if resume is not None:
        go_on(workshop, catalogue, known, resume, (), patience, output, format_, report, room=LAB)
        return
    if on:
        plain = {bits, crt, window, limb, reduction, target, max_time, passes, cpu, seed} == {None} and not report
        if not plain:
            raise UsageError(
                "--on: the published rows are counted, at 2048 bits with CRT",
                "beside it: --build, --compilers, -f, --format, --cache",
            )
        known, asked = with_builds("--build", words(build), known)
        builds = [
            one for one in known[LAB].builds if compilers or {one.name, build_label(LAB, one.name)} & asked
        ] or known[LAB].default_builds
        values = known_values(catalogue, known, (), build_names(known.values()))
        text = written(filter_ or "", values)
        found = count_rows(workshop, catalogue, known[LAB], builds, words(on), text, values)
        for one in filter(lambda told: told.problem, found.targets):
            env.say(f"without {one.build} on {one.target}: {one.problem}")
        if format_ is env.Format.JSON:
            print(msgspec.json.format(msgspec.json.encode(found)).decode())
        else:
            show_counted(workshop.root, found)
        if code := ending(found):
            sys.exit(code)
        return
    suite = load_suite(workshop.root, LAB, catalogue)
    wish = Narrowing(
        bits=number_list("bits", bits, bits_offered(suite), "not measured"),
        crt=crt,
        quick=quick,
        libraries=libraries,
        windows=number_list("window", window, WINDOWS),
        limbs=number_list("limb", limb, LIMBS),
        reductions=reduction_list(reduction),
    )
    text = filter_ or ""
    text = written(text, known_values(catalogue, known, (), build_names(known.values())))
    chosen = filtered(narrowed(suite, wish), text)
    known, asked = with_builds("--build", words(build), known)
    asked |= {one.name for one in labs[LAB].builds if compilers}
    known = chosen_libraries(
        text, catalogue, labs if quick or not libraries else known, (LAB,), build_names(known.values())
    )
    if not known:
        raise UsageError(f"filter '{text}': leaves no library of this laboratory", "see `cipherstone list --builds`")
    base = base_of(known[LAB], BASE_ROW) if LAB in known else min(known)
    left = build_names(known.values())  # what is not surveyed is not asked for
    chosen = msgspec.structs.replace(chosen, builds=tuple(name for name in chosen.builds if name in left))
    limit = max_time if max_time is not None or not quick else QUICK_SETTINGS
    settings = settings_of(chosen, False, target, limit, base, cpu, seed, passes, memory)
    asked = asked.intersection({*left, *(build_label(one.id, name) for one in known.values() for name in left)})
    measure_suite(
        workshop,
        catalogue,
        known,
        chosen,
        settings,
        "",
        tuple(asked),
        (),
        patience,
        output,
        format_,
        report,
        name=called,
    )
