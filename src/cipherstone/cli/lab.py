# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab`: the laboratories. Each is a run of a suite over code of our own, with the options of `run` that make sense there."""

from __future__ import annotations

import typer

from cipherstone.cli.commands import SETTINGS
from cipherstone.cli.lab_discovery import room_names, rooms

lab = typer.Typer(
    name="lab",
    help=f"Laboratories: why a result is what it is. {', '.join(room_names())}.",
    no_args_is_help=True,
    **SETTINGS,
)
for room in rooms():
    lab.command(room.name)(room.command)
