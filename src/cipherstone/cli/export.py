# SPDX-License-Identifier: Apache-2.0
"""`cipherstone export`: the figures of a run for other programs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cipherstone.cli import environment as env
from cipherstone.cli.files import write_result
from cipherstone.cli.filtering import PartOption, part_of
from cipherstone.cli.lab_discovery import rooms_of
from cipherstone.cli.stored import summary_of
from cipherstone.report.export.benchfmt import export_benchfmt
from cipherstone.report.export.csv import export_csv
from cipherstone.report.export.json import export_json
from cipherstone.report.render.markdown import render_markdown


class ExportFormat(StrEnum):
    """Formats of `export`."""

    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"
    BENCHFMT = "benchfmt"


def export(
    run: env.RunArgument = "latest",
    as_: Annotated[
        ExportFormat, typer.Option("--as", help="csv (tidy), json, markdown, benchfmt (for benchstat).")
    ] = ExportFormat.CSV,
    filter_: PartOption = None,
    to: env.FileOption = None,
    verify: env.VerifyOption = True,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
) -> None:
    """Write the figures of a run for other programs."""
    path = env.chosen_run(output, run)
    summary = part_of(summary_of(env.open_run(path, verify)), filter_)
    match as_:
        case ExportFormat.CSV:
            write_result(export_csv(summary, rooms_of(summary)), to)
        case ExportFormat.JSON:
            write_result(export_json(summary, rooms_of(summary)), to)
        case ExportFormat.MARKDOWN:
            write_result(render_markdown(summary, summary.cards, summary.manifest.command, rooms_of(summary)), to)
        case ExportFormat.BENCHFMT:
            write_result(export_benchfmt(summary), to)
