# SPDX-License-Identifier: Apache-2.0
"""The options that make a request, declared once: of `run`, which measures it, and of `plan`, which writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherstone.cli import complete
from cipherstone.cli import environment as env
from cipherstone.cli.countjobs import AlsoOnOption, TimeOption
from cipherstone.cli.lab_options import CpuOption, MaxTimeOption, MemoryOption, SeedOption, TargetOption
from cipherstone.cli.select_options import BuildOption, Selected, WorkerOption, takes_selection
from cipherstone.cli.selection import words
from cipherstone.cli.shared_options import shares
from cipherstone.model.request import RunRequest


@takes_selection
def asked(
    selected: Selected,
    suite: Annotated[
        str,
        typer.Option(
            "--suite",
            help="What a selection is taken from: default, quick, full; inside of any other suite it only takes away.",
            autocompletion=complete.suites,
        ),
    ] = "default",
    build: BuildOption = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Eight operations in less than a minute (--suite quick).")
    ] = False,
    precise: Annotated[bool, typer.Option("--precise", help="Half-width 0.5 % and no time bound.")] = False,
    target: TargetOption = None,
    max_time: MaxTimeOption = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            help="Library or lane that all others are compared with; also the A/A lane (default: openssl).",
            show_default=False,
        ),
    ] = None,
    name: env.NameOption = "",
    worker: WorkerOption = None,
    cpu: CpuOption = None,
    seed: SeedOption = None,
    passes: Annotated[
        int | None, typer.Option("--passes", help="Most passes of a case (default: 40).", show_default=False)
    ] = None,
    patience: env.PatienceOption = 1.0,
    memory: MemoryOption = True,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes",
            min=0,
            help="Whole processes of every cell, fresh for each sample, beside the timing; 30 is usual.",
            show_default=False,
        ),
    ] = None,
    on: AlsoOnOption = None,
    time: TimeOption = True,
    strict: env.StrictOption = False,
    allow_emulated: Annotated[
        bool,
        typer.Option(
            "--allow-emulated", help="Measure on an emulated machine too; its times are kept, none is a figure."
        ),
    ] = False,
) -> RunRequest:
    """The request that the options stand for."""
    return RunRequest(
        suite="quick" if quick else suite,
        filter=selected.filter,
        library=selected.library,
        build=(*words(build), *selected.builds),
        worker=tuple(map(str, worker or ())),
        on=tuple(words(on)),
        base=base or "",
        name=name,
        precise=precise,
        target=target,
        max_time=max_time,
        passes=passes,
        processes=processes,
        cpu=cpu,
        seed=seed,
        memory=memory,
        time=time,
        strict=strict,
        allow_emulated=allow_emulated,
        patience=patience,
    )


def absolute(path: str) -> str:
    """A path of the request as a file keeps it: another folder is the current one where that is read."""
    return str(Path(path).expanduser().absolute())


takes_request = shares(asked)
