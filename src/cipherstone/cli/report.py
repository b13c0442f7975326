# SPDX-License-Identifier: Apache-2.0
"""`cipherstone report`: the page of a run."""

from __future__ import annotations

from typing import Annotated

import typer

from cipherstone.cli import environment as env
from cipherstone.cli.files import write_result
from cipherstone.cli.filtering import PartOption, part_of
from cipherstone.cli.lab_discovery import rooms_of
from cipherstone.cli.output import write_report
from cipherstone.cli.stored import summary_of
from cipherstone.report.render.markdown import render_markdown


def report(
    run: env.RunArgument = "latest",
    to: env.FileOption = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The Markdown twin, for pasting into an issue.")] = False,
    filter_: PartOption = None,
    brief: Annotated[
        bool, typer.Option("--summary", help="The first screen alone: answers and grid, one printed page.")
    ] = False,
    verify: env.VerifyOption = True,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
) -> None:
    """Write the report of a run: one HTML file that needs no network, beside the run unless -o says where."""
    env.page_wanted(not markdown)
    path = env.chosen_run(output, run)
    summary = part_of(summary_of(env.open_run(path, verify)), filter_)
    if markdown:
        write_result(render_markdown(summary, summary.cards, summary.manifest.command, rooms_of(summary)), to)
        return
    target = write_report(path, summary, to, brief)
    env.say(f"report: {target}   open it in a browser, or see it again with: cipherstone report {env.as_typed(path)}")
