# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab`: the laboratories. Each is a run of a suite over code of our own, with the options of `run` that make sense there."""

from __future__ import annotations

import typer

from cipherstone.cli.rooms import rooms

lab = typer.Typer(
    name="lab",
    help="Laboratories: why a result is what it is. Exponentiation in our own portable C, and the processor's instructions.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # Rich's panels give a third of 80 columns to the text
    context_settings={"help_option_names": ["-h", "--help"]},
)
for room in rooms():
    lab.command(room.name)(room.command)
