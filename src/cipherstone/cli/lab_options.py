# SPDX-License-Identifier: Apache-2.0
"""Options that the commands of laboratories share."""

from __future__ import annotations

from typing import Annotated

import typer

MaxTimeOption = Annotated[str | None, typer.Option("--max-time", help="Stop after this long, e.g. 90s, 10min, none.")]
TargetOption = Annotated[str | None, typer.Option("--target", help="Half-width asked of every ratio, e.g. 0.5%.")]
PassesOption = Annotated[int | None, typer.Option("--passes", help="Most passes of a case.", show_default=False)]
CpuOption = Annotated[
    int | None, typer.Option("--cpu", help="CPU to measure on (default: the last one allowed).", show_default=False)
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Seed of the random orders (default: random).", show_default=False)
]
ResumeOption = Annotated[str | None, typer.Option("--resume", help="Go on with an interrupted run (id, or latest).")]
MemoryOption = Annotated[
    bool, typer.Option("--memory/--no-memory", help="Heap, stack and first calls, after the timing.")
]


def set_options(**options: str | int | bool | None) -> dict[str, str | int | bool]:
    """Options of a laboratory as a request has them: those that were given."""
    return {name: value for name, value in options.items() if value is not None}
