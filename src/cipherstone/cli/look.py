# SPDX-License-Identifier: Apache-2.0
"""Commands that look at stored runs: show, report, export, compare."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cipherstone.catalogue.algorithms import Catalogue, catalogue_at
from cipherstone.catalogue.paths import data_root
from cipherstone.cli import environment as env
from cipherstone.cli.derived import derived
from cipherstone.cli.files import write_result
from cipherstone.cli.gate import parse_limit, pass_or_exit
from cipherstone.cli.machine import refuse_foreign, show_foreign
from cipherstone.cli.narrow import narrowed
from cipherstone.cli.output import show_summary, write_report
from cipherstone.cli.rooms import rooms_of
from cipherstone.fleet.local import bundle_summary
from cipherstone.model.errors import CipherstoneError, ExitCode, StoreError, UsageError
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import shown
from cipherstone.report.export.benchfmt import export_benchfmt
from cipherstone.report.export.csv import export_csv
from cipherstone.report.export.json import export_json
from cipherstone.report.render.comparison import comparison_json, render_comparison
from cipherstone.report.render.markdown import render_markdown
from cipherstone.store.asking import Limits, ask
from cipherstone.store.bundle import Bundle
from cipherstone.views.compare import compare_lanes, compare_runs
from cipherstone.views.samecode import FORCED


class ExportFormat(StrEnum):
    """Formats of `export`."""

    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"
    BENCHFMT = "benchfmt"


def show(
    run: env.RunArgument = "latest",
    sql: Annotated[
        str | None,
        typer.Option(
            "--sql", help="Ask the run's tables (cells, ratios, samples, ...) in SQL; nothing else can be read."
        ),
    ] = None,
    sql_unsafe: Annotated[
        bool,
        typer.Option(
            "--sql-unsafe", help="With --sql: all of DuckDB, which may read and write other files and has no limits."
        ),
    ] = False,
    verify: Annotated[
        bool | None,
        typer.Option(
            "--verify/--no-verify",
            help="Compare every byte of the bundle with its checksums and say so; or do not look at them.",
            show_default=False,
        ),
    ] = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Show a stored run in the terminal."""
    path = env.chosen_run(output, run)
    if sql is not None:
        _query(path, sql, verify is not False, sql_unsafe)
        return
    if sql_unsafe:
        raise UsageError("--sql-unsafe: nothing is asked", "give the question with --sql")
    bundle = env.open_run(path, verify is None)
    if verify:
        problems = bundle.verify()
        for problem in problems:
            env.say(f"changed since it was sealed: {problem}")
        if problems:
            sys.exit(ExitCode.FAILURE)
        env.say(
            f"{path}: every file is as it was sealed" if bundle.finished else f"{path}: not finished, hence not sealed"
        )
    if bundle.manifest.foreign:
        show_foreign(bundle, format_)
        return
    show_summary(_summary(bundle), format_)


def report(
    run: env.RunArgument = "latest",
    to: env.FileOption = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The Markdown twin, for pasting into an issue.")] = False,
    filter_: Annotated[
        str | None,
        typer.Option(
            "--filter", "-f", metavar="FILTER", help="Only the cases that match, e.g. family:aead.", show_default=False
        ),
    ] = None,
    brief: Annotated[
        bool, typer.Option("--summary", help="The first screen alone: answers and grid, one printed page.")
    ] = False,
    verify: env.VerifyOption = True,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
) -> None:
    """Write the report of a run: one HTML file that needs no network, beside the run unless -o says where."""
    env.page_wanted(not markdown)
    path = env.chosen_run(output, run)
    summary = _summary(env.open_run(path, verify))
    if filter_ is not None:
        summary = narrowed(summary, filter_, _catalogue())
    if markdown:
        write_result(render_markdown(summary, summary.cards, summary.manifest.command, rooms_of(summary)), to)
        return
    target = write_report(path, summary, to, brief)
    env.say(f"report: {target}   open it in a browser, or see it again with: cipherstone report {env.as_typed(path)}")


def export(
    run: env.RunArgument = "latest",
    as_: Annotated[
        ExportFormat, typer.Option("--as", help="csv (tidy), json, markdown, benchfmt (for benchstat).")
    ] = ExportFormat.CSV,
    to: env.FileOption = None,
    verify: env.VerifyOption = True,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
) -> None:
    """Write the figures of a run for other programs."""
    path = env.chosen_run(output, run)
    summary = _summary(env.open_run(path, verify))
    match as_:
        case ExportFormat.CSV:
            write_result(export_csv(summary, rooms_of(summary)), to)
        case ExportFormat.JSON:
            write_result(export_json(summary, rooms_of(summary)), to)
        case ExportFormat.MARKDOWN:
            write_result(render_markdown(summary, summary.cards, summary.manifest.command, rooms_of(summary)), to)
        case ExportFormat.BENCHFMT:
            write_result(export_benchfmt(summary), to)


def compare(
    a: Annotated[str, typer.Argument(help="A run, or a lane such as openssl or bearssl:aes_ct64.")],
    b: Annotated[str, typer.Argument(help="The run or lane to compare with it.")],
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
    force: Annotated[
        bool, typer.Option("--force", help="Compare although machine or method differ, or the code is the same.")
    ] = False,
    verify: env.VerifyOption = True,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Compare two runs, or two lanes of one run: ratio, interval, verdict."""
    limit = parse_limit("--fail-above", fail_above) if fail_above is not None else None
    pair = None if run is not None else _two_runs(output, a, b, verify)
    if pair is not None:
        if pair[0].manifest.run_id == pair[1].manifest.run_id and not force:
            raise CipherstoneError(
                f"compare: {a} and {b} are the same run ({pair[0].manifest.run_id}): nothing to compare", FORCED
            )
        comparison = compare_runs(pair[0], pair[1], anchor=base, force=force)
    elif base is not None:
        raise UsageError(
            f"--base {base}: '{a}' and '{b}' are lanes of one run, and the first is what the other is divided by",
            "--base is for two runs",
        )
    else:
        summary = _summary(env.open_run(env.chosen_run(output, run or "latest"), verify))
        comparison = compare_lanes(summary, a, b)
    if format_ is env.Format.JSON:
        print(comparison_json(comparison))
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
    first, second = (_summary(env.open_run(path, verify)) for path in paths)
    return first, second


def _summary(bundle: Bundle) -> RunSummary:
    refuse_foreign(bundle, "run")
    for warning in bundle.warnings:
        env.say(f"warning: {warning}")
    return bundle_summary(bundle, _catalogue(), derived)


def _catalogue() -> Catalogue:
    return catalogue_at(data_root())


def _query(path: Path, sql: str, verify: bool, unsafe: bool) -> None:
    env.open_run(path, verify)
    names, rows = ask(path, sql, None if unsafe else Limits())
    import csv

    writer = csv.writer(sys.stdout)
    # To a program go the values as they are; a terminal would do what they say.
    to_people = sys.stdout.isatty()
    writer.writerow(shown(names) if to_people else names)
    writer.writerows(shown(rows) if to_people else rows)
