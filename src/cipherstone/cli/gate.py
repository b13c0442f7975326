# SPDX-License-Identifier: Apache-2.0
"""The gate of `compare --fail-above`: what it says, and the exit code that it ends with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from cipherstone.cli import environment as env
from cipherstone.cli.requests import parse_percent
from cipherstone.model.errors import ExitCode, UsageError
from cipherstone.model.units import counted, percent_up
from cipherstone.report.blocks.counts import difference_text
from cipherstone.report.words.gate import above_text, limit_text, untold_text
from cipherstone.stats.gate import SMALLEST_LIMIT
from cipherstone.views.comparison import Comparison
from cipherstone.views.gate import gated

SHOWN = 5  # the worst
T = TypeVar("T")


def parse_limit(option: str, text: str) -> float:
    """A slowdown that is allowed, `5%` as 0.05. Raises UsageError for what is no share, and for less than is ever told."""
    limit = parse_percent(option, text)
    if limit < SMALLEST_LIMIT:
        raise UsageError(
            f"{option}: {limit_text(limit)} is less than any run can tell, which is {limit_text(SMALLEST_LIMIT)}",
            "instructions have no such limit: `cipherstone count`, or `run --on`",
        )
    return limit


def pass_or_exit(comparison: Comparison, limit: float) -> None:
    """Returns where everything that has a figure is within `limit` (0.05: 5 %) with its whole interval, and no count is more than it was. Else says what is not, and ends.

    3: something is slower by more with its whole interval, or a count is more. 2: the limit is below what these runs can see. 1: something cannot be decided, or nothing has a figure.
    """
    found = gated(comparison.rows, limit)
    _say(found.above, lambda row: above_text(row, limit), "case")
    more = [one for one in comparison.counts if one.worse]
    _say(more, lambda one: f"more instructions, none allowed: {difference_text(one)}", "count")
    if found.above or more:
        sys.exit(ExitCode.THRESHOLD)
    if found.least is not None and found.too_fine(limit):
        raise UsageError(
            f"--fail-above: {limit_text(limit)} is below what {'this run' if not comparison.base else 'these runs'} could see in any case: {percent_up(found.least)} at best",
            "that is what a library shows against itself, or half an interval: ask for as much, or measure longer (run --precise)",
        )
    for line in comparison.counts_lost:
        env.say(f"--fail-above: {line}")
    _say(found.untold, lambda row: untold_text(row, limit), "case")
    if comparison.worst_slowdown is None and (comparison.rows or not comparison.counts_compared):
        env.say("--fail-above: no case has a figure on both sides, so nothing is known to be within the limit")
        sys.exit(ExitCode.FAILURE)
    if comparison.counts_lost or found.untold:
        sys.exit(ExitCode.FAILURE)


def _say(items: Sequence[T], text: Callable[[T], str], noun: str) -> None:
    for one in items[:SHOWN]:
        env.say(text(one))
    if len(items) > SHOWN:
        env.say(f"and {counted(len(items) - SHOWN, f'more {noun}', f'more {noun}s')}")
