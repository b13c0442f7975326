# SPDX-License-Identifier: Apache-2.0
"""Commands that look at stored runs: show, report, export, compare."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from enum import StrEnum
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from cipherstone.catalogue.algorithms import Catalogue, load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.cli import environment as env
from cipherstone.cli.files import write_result
from cipherstone.cli.machine import refuse_foreign, show_foreign
from cipherstone.cli.output import show_summary, suite_cards, write_report
from cipherstone.cli.run import parse_percent
from cipherstone.fleet.local import bundle_summary
from cipherstone.model.errors import ExitCode, StoreError, UsageError
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import shown
from cipherstone.report.comparison import comparison_json, render_comparison
from cipherstone.report.export import export_benchfmt, export_csv, export_json
from cipherstone.report.markdown import render_markdown
from cipherstone.store.bundle import Bundle
from cipherstone.store.database import open_duckdb
from cipherstone.store.find import find_bundle
from cipherstone.views.compare import compare_lanes, compare_runs

if TYPE_CHECKING:
    import duckdb


class ExportFormat(StrEnum):
    """Formats of `export`."""

    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"
    BENCHFMT = "benchfmt"


ToOption = Annotated[Path | None, typer.Option("--to", help="Write to this file instead.", show_default=False)]


def show(
    run: env.RunArgument = "latest",
    sql: Annotated[
        str | None, typer.Option("--sql", help="Ask the run's tables (cells, ratios, samples, ...) in SQL.")
    ] = None,
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
    path = find_bundle(output, run)
    if sql is not None:
        _query(path, sql, verify is not False)
        return
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
    to: Annotated[
        Path | None,
        typer.Option("--to", help="File to write (default: report.html beside the run).", show_default=False),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The Markdown twin, for pasting into an issue.")] = False,
    verify: env.VerifyOption = True,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
) -> None:
    """Write the report of a run: one HTML file that needs no network."""
    path = find_bundle(output, run)
    summary = _summary(env.open_run(path, verify))
    if markdown:
        write_result(render_markdown(summary, suite_cards(summary), summary.manifest.command), to)
        return
    target = write_report(path, summary, to)
    env.say(f"report: {target}   open it in a browser, or see it again with: cipherstone report {path.name}")


def export(
    run: env.RunArgument = "latest",
    as_: Annotated[
        ExportFormat, typer.Option("--as", help="csv (tidy), json, markdown, benchfmt (for benchstat).")
    ] = ExportFormat.CSV,
    to: ToOption = None,
    verify: env.VerifyOption = True,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
) -> None:
    """Write the figures of a run for other programs."""
    path = find_bundle(output, run)
    summary = _summary(env.open_run(path, verify))
    match as_:
        case ExportFormat.CSV:
            write_result(export_csv(summary), to)
        case ExportFormat.JSON:
            write_result(export_json(summary), to)
        case ExportFormat.MARKDOWN:
            write_result(render_markdown(summary, suite_cards(summary), summary.manifest.command), to)
        case ExportFormat.BENCHFMT:
            write_result(export_benchfmt(summary), to)


def compare(
    a: Annotated[str, typer.Argument(help="A run, or a lane such as openssl or bearssl:aes_ct64.")],
    b: Annotated[str, typer.Argument(help="The run or lane to compare with it.")],
    run: Annotated[
        str | None,
        typer.Option("--run", help="The run whose lanes are compared (default: latest).", show_default=False),
    ] = None,
    anchor: Annotated[
        str | None,
        typer.Option(
            "--anchor", help="Lane that ties two runs together (default: the runs' base).", show_default=False
        ),
    ] = None,
    fail_above: Annotated[
        str | None, typer.Option("--fail-above", help="Exit with 3 if B is slower than A by more than this, e.g. 5%.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Compare although machine or method differ.")] = False,
    verify: env.VerifyOption = True,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Compare two runs, or two lanes of one run: ratio, interval, verdict."""
    limit = parse_percent("--fail-above", fail_above) if fail_above is not None else None
    pair = None if run is not None else _two_runs(output, a, b, verify)
    if pair is not None:
        comparison = compare_runs(pair[0], pair[1], anchor=anchor, force=force)
    else:
        summary = _summary(env.open_run(find_bundle(output, run or "latest"), verify))
        comparison = compare_lanes(summary, a, b)
    if format_ is env.Format.JSON:
        print(comparison_json(comparison))
    else:
        print(render_comparison(comparison, env.width(), env.colour_wanted()))
    if limit is not None:
        for change in comparison.changes:
            env.say(f"changed: {change}")
    worst = comparison.worst_slowdown
    if limit is not None and worst is not None and worst > limit:
        env.say(f"slower by {worst:.1%}, more than the {limit:.1%} allowed")
        sys.exit(ExitCode.THRESHOLD)


def _two_runs(output: Path, a: str, b: str, verify: bool) -> tuple[RunSummary, RunSummary] | None:
    """Both runs, or None if neither names one (then they are lanes). StoreError if only one does."""
    paths: list[Path] = []
    errors: list[StoreError] = []
    for text in (a, b):
        try:
            paths.append(find_bundle(output, text))
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
    return bundle_summary(bundle, _catalogue())


def _catalogue() -> Catalogue:
    return load_catalogue(data_root())


def _answer(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """Names and rows. The query runs in a thread of its own: while DuckDB waits for its threads, the main one would notice no signal."""
    answer: Future[tuple[list[str], list[tuple[object, ...]]]] = Future()

    def ask() -> None:
        try:
            result = connection.execute(sql)
            answer.set_result(([column[0] for column in result.description or ()], result.fetchall()))
        except Exception as error:  # noqa: BLE001 - raised again where the answer is taken
            answer.set_exception(error)

    thread = Thread(target=ask, daemon=True)
    thread.start()
    try:
        return answer.result()
    except KeyboardInterrupt:
        connection.interrupt()
        thread.join(1.0)
        raise


def _query(path: Path, sql: str, verify: bool) -> None:
    import duckdb

    env.open_run(path, verify)
    try:
        names, rows = _answer(open_duckdb([path], verify=False), sql)
    except duckdb.Error as error:
        raise UsageError(
            f"--sql: {str(error).splitlines()[0]}", "tables and columns: docs/reference/bundle.md"
        ) from None
    import csv

    writer = csv.writer(sys.stdout)
    # To a program go the values as they are; a terminal would do what they say.
    to_people = sys.stdout.isatty()
    writer.writerow(shown(names) if to_people else names)
    writer.writerows(shown(rows) if to_people else rows)
