# SPDX-License-Identifier: Apache-2.0
"""`cipherstone compare`: two runs, or two lanes of one run."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cipherstone.cli import complete
from cipherstone.cli import environment as env
from cipherstone.cli.filtering import PartOption, part_of
from cipherstone.cli.gate import parse_limit, pass_or_exit
from cipherstone.cli.stored import summary_of
from cipherstone.model.errors import CipherstoneError, ExitCode, StoreError, UsageError
from cipherstone.model.summary import RunSummary
from cipherstone.report.render.comparison import comparison_json, render_comparison
from cipherstone.report.render.comparison_markdown import comparison_markdown
from cipherstone.views.compare import compare_lanes, compare_runs
from cipherstone.views.samecode import FORCED


class Order(StrEnum):
    """In which order rows of a comparison are shown."""

    CASE = "case"
    CHANGE = "change"


def compare(
    a: Annotated[
        str, typer.Argument(help="A run, or a lane such as openssl or bearssl:aes_ct64.", autocompletion=complete.runs)
    ],
    b: Annotated[str, typer.Argument(help="The run or lane to compare with it.", autocompletion=complete.runs)],
    run: Annotated[
        str | None,
        typer.Option("--run", help="The run whose lanes are compared (default: latest).", show_default=False),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            help="Library or lane that both runs are divided by (default: the base that they were measured with).",
            show_default=False,
        ),
    ] = None,
    fail_above: Annotated[
        str | None,
        typer.Option(
            "--fail-above",
            help="Exit with 3 if B is slower than A by more than this, e.g. 5%, or if any count of instructions is more than in A; with 1 where that cannot be decided.",
        ),
    ] = None,
    filter_: PartOption = None,
    order: Annotated[
        Order, typer.Option("--sort", help="case: in the order of the run; change: what got slower most first.")
    ] = Order.CASE,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown, for an issue or a review.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Compare although machine or method differ, or the code is the same.")
    ] = False,
    verify: env.VerifyOption = True,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Compare two runs, or two lanes of one run: ratio, interval, verdict."""
    limit = parse_limit("--fail-above", fail_above) if fail_above is not None else None
    if markdown and format_ is env.Format.JSON:
        raise UsageError("--markdown: not with --format json", "leave one of them out")
    pair = None if run is not None else _two_runs(output, a, b, verify)
    if pair is not None:
        if pair[0].manifest.run_id == pair[1].manifest.run_id and not force:
            raise CipherstoneError(
                f"compare: {a} and {b} are the same run ({pair[0].manifest.run_id}): nothing to compare", FORCED
            )
        first, second = (part_of(one, filter_) for one in pair)
        comparison = compare_runs(first, second, anchor=base, force=force)
    elif base is not None:
        raise UsageError(
            f"--base {base}: '{a}' and '{b}' are lanes of one run, and the first is what the other is divided by",
            "--base is for two runs",
        )
    else:
        summary = summary_of(env.open_run(env.chosen_run(output, run or "latest"), verify))
        comparison = compare_lanes(part_of(summary, filter_), a, b)
    comparison = comparison.by_change if order is Order.CHANGE else comparison
    if format_ is env.Format.JSON:
        print(comparison_json(comparison))
    elif markdown:
        print(comparison_markdown(comparison), end="")
    else:
        print(render_comparison(comparison, env.width(), env.colour_wanted()))
    if limit is not None:
        for change in comparison.changes:
            env.say(f"changed: {change}")
    if comparison.refused:
        sys.exit(ExitCode.FAILURE)
    if limit is not None:
        pass_or_exit(comparison, limit)


def _two_runs(output: Path, a: str, b: str, verify: bool) -> tuple[RunSummary, RunSummary] | None:
    """Both runs, or None if neither names one (then they are lanes). StoreError if only one does."""
    paths: list[Path] = []
    errors: list[StoreError] = []
    for text in (a, b):
        try:
            paths.append(env.chosen_run(output, text))
        except StoreError as error:
            errors.append(error)
    if len(errors) == 2:
        return None
    if errors:
        raise errors[0]
    first, second = (summary_of(env.open_run(path, verify)) for path in paths)
    return first, second
