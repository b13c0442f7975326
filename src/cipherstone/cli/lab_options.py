# SPDX-License-Identifier: Apache-2.0
"""Options that the commands of laboratories share."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from cipherstone.cli import environment as env
from cipherstone.cli.select_options import BuildOption, FilterOption
from cipherstone.cli.selection import words
from cipherstone.cli.shared_options import shares
from cipherstone.model.request import RunRequest

MaxTimeOption = Annotated[str | None, typer.Option("--max-time", help="Stop after this long, e.g. 90s, 10min, none.")]
TargetOption = Annotated[str | None, typer.Option("--target", help="Half-width asked of every ratio, e.g. 0.5%.")]
PassesOption = Annotated[int | None, typer.Option("--passes", help="Most passes of a case.", show_default=False)]
CpuOption = Annotated[
    int | None, typer.Option("--cpu", help="CPU to measure on (default: the last one allowed).", show_default=False)
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Seed of the random orders (default: random).", show_default=False)
]
ResumeOption = Annotated[str | None, typer.Option("--resume", help="Resume an interrupted run (id, or latest).")]
MemoryOption = Annotated[
    bool, typer.Option("--memory/--no-memory", help="Heap, stack and first calls, after the timing.")
]


def _asked(
    filter_: FilterOption = None,
    build: BuildOption = None,
    target: TargetOption = None,
    max_time: MaxTimeOption = None,
    passes: PassesOption = None,
    cpu: CpuOption = None,
    seed: SeedOption = None,
    patience: env.PatienceOption = 1.0,
    memory: MemoryOption = True,
    name: env.NameOption = "",
) -> RunRequest:
    return RunRequest(
        filter=filter_ or "",
        build=tuple(words(build)),
        name=name,
        target=target,
        max_time=max_time,
        passes=passes,
        cpu=cpu,
        seed=seed,
        memory=memory,
        patience=patience,
    )


takes_lab_request = shares(_asked)


def of_lab(request: RunRequest, lab: str, **options: str | int | bool | None) -> RunRequest:
    """The request of a laboratory's command. `options`: its own ones; those that are None were not given."""
    given = {name: value for name, value in options.items() if value is not None}
    return msgspec.structs.replace(request, suite=lab, lab=lab, options=given)
