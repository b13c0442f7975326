# SPDX-License-Identifier: Apache-2.0
"""`cipherstone doctor`: is this machine fit to measure, and is what is measured what plain loops say?"""

from __future__ import annotations

import sys
from typing import Annotated

import msgspec
import typer

from cipherstone.cli import environment as env
from cipherstone.cli.console import console
from cipherstone.cli.doctor_programs import Sampling, second_opinion
from cipherstone.cli.select_options import FilterOption
from cipherstone.host.checks import checks
from cipherstone.model.errors import ExitCode, UsageError


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
        second_opinion(Sampling(run, count, seed, filter_ or "", max_time, cpu), cache, output, format_)
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
