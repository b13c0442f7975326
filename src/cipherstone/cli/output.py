# SPDX-License-Identifier: Apache-2.0
"""Writing results: to the terminal, or into files that are opened only when there is something to write."""

from __future__ import annotations

from pathlib import Path

from cipherstone.cli import environment as env
from cipherstone.cli.files import write_result
from cipherstone.cli.rooms import rooms_of
from cipherstone.model.summary import RunSummary
from cipherstone.report.export.json import export_json
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal


def show_summary(summary: RunSummary, format_: env.Format) -> None:
    """The comparison, for people or for programs."""
    if format_ is env.Format.JSON:
        print(export_json(summary, rooms_of(summary)))
    else:
        print(render_terminal(summary, env.width(), env.colour_wanted(), summary.cards, rooms_of(summary)))


def write_report(path: Path, summary: RunSummary, target: Path | None = None, brief: bool = False) -> Path:
    """The HTML report of the run at `path`; beside it unless `target` says where. The file that was written. Raises StoreError."""
    chosen = target or path.with_name(path.name + ".html")
    write_result(render_html(summary, summary.cards, summary.manifest.command, rooms_of(summary), brief), chosen)
    return chosen
