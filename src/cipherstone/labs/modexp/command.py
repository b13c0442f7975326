# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab modexp`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.cli import environment as env
from cipherstone.cli.known_libraries import known_with_labs
from cipherstone.cli.lab_options import ResumeOption, of_lab, takes_lab_request
from cipherstone.cli.requests import dry_run
from cipherstone.cli.run import Output, go_on, measure
from cipherstone.cli.selection import (
    build_names,
    known_values,
    with_builds,
    words,
    written,
)
from cipherstone.cli.tables import show_lines
from cipherstone.labs.modexp.counted import count_rows, ending, show_counted
from cipherstone.labs.modexp.names import LAB
from cipherstone.labs.modexp.options import QUICK_TIME
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import build_label
from cipherstone.model.request import RunRequest


@takes_lab_request
def modexp(
    request: RunRequest,
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
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            metavar="TARGETS",
            help="Count the published rows on these machines instead, under emulation, e.g. cortex-m4: instructions, exact, beside the published times. See `cipherstone count`.",
            show_default=False,
        ),
    ] = None,
    report: env.ReportOption = False,
    wait: env.WaitOption = False,
    dry: env.DryOption = False,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Modular exponentiation: every way of it in time and memory, beside a published table and beside libraries."""
    workshop = env.workshop(cache)
    request = of_lab(
        request,
        LAB,
        bits=bits,
        crt=crt,
        quick=quick or None,
        compilers=compilers or None,
        libraries=None if libraries else False,
        window=window,
        limb=limb,
        reduction=reduction,
    )
    shown = Output(output, format_, report, wait)
    if resume is not None:
        catalogue = catalogue_at(workshop.root)
        known = known_with_labs(workshop.root)
        go_on(workshop, catalogue, known, resume, request, shown)
        return
    if on and dry:
        raise UsageError("--dry-run: not with --on", "`cipherstone count --dry-run` says what a count would build")
    if on:
        beside = {"filter", "build", "patience", "memory", "name", "suite", "lab", "options"}
        if {*request.options} - {"compilers", "quick", "libraries"} or {*request.given} - beside or report:
            raise UsageError(
                "--on: the published rows are counted, at 2048 bits with CRT",
                "beside it: --build, --compilers, -f, --format, --cache",
            )
        _count(workshop, request, words(on), format_)
        return
    if quick and request.max_time is None:
        request = msgspec.structs.replace(request, max_time=QUICK_TIME)
    if dry:
        show_lines(dry_run(workshop, request))
        return
    measure(workshop, request, shown)


def _count(workshop: Workshop, request: RunRequest, targets: Sequence[str], format_: env.Format) -> None:
    """The published rows on other machines: instructions. Ends with the code that they ask for."""
    catalogue = catalogue_at(workshop.root)
    known, asked = with_builds("--build", request.build, known_with_labs(workshop.root))
    every = bool(request.options.get("compilers"))
    builds = [one for one in known[LAB].builds if every or {one.name, build_label(LAB, one.name)} & asked] or known[
        LAB
    ].default_builds
    values = known_values(catalogue, known, (), build_names(known.values()))
    text = written(request.filter, values)
    lab = msgspec.structs.replace(known[LAB], builds=tuple(builds))
    found = count_rows(workshop, catalogue, lab, targets, text, values)
    for one in filter(lambda told: told.problem, found.targets):
        env.say(f"without {one.label} on {one.target}: {one.problem}")
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        show_counted(workshop.root, found)
    if code := ending(found):
        sys.exit(code)
