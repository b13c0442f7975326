# SPDX-License-Identifier: Apache-2.0
"""The console that commands print tables and lines on."""

from __future__ import annotations

import sys

from rich.console import Console

from cipherstone.cli import environment as env


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """A reader that has gone is no failure: the command line's entry sees to it, for all output alike."""
        raise BrokenPipeError


def console() -> Console:
    """A console for standard output, 80 columns where there is no terminal."""
    return _Screen(
        file=sys.stdout, width=env.width(), no_color=not env.colour_wanted(), highlight=False, soft_wrap=False
    )
