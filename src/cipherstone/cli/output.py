# SPDX-License-Identifier: Apache-2.0
"""Writing results: to the terminal, or into files that are opened only when there is something to write."""

from __future__ import annotations

from pathlib import Path

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import load_suite, suite_names
from cipherstone.cli import environment as env
from cipherstone.cli.files import write_result
from cipherstone.model.summary import RunSummary
from cipherstone.report.export import export_json
from cipherstone.report.html import render_html
from cipherstone.report.terminal import render_terminal


def show_summary(summary: RunSummary, format_: env.Format) -> None:
    """The comparison, for people or for programs."""
    if format_ is env.Format.JSON:
        print(export_json(summary))
    else:
        print(render_terminal(summary, env.width(), env.colour_wanted(), suite_cards(summary)))


def suite_cards(summary: RunSummary) -> list[tuple[str, str]]:
    """The suite's questions for the first screen that this run answers; none if the suite is not here any more."""
    name = summary.manifest.suite
    if name not in suite_names(data_root()):
        return []
    measured = {case.case for case in summary.cases}
    return [(card.question, card.case.id) for card in load_suite(data_root(), name).cards if card.case.id in measured]


def write_report(path: Path, summary: RunSummary, target: Path | None = None) -> Path:
    """The HTML report of the run at `path`; beside it unless `target` says where. The file that was written. Raises StoreError."""
    chosen = target or path.with_name(path.name + ".html")
    write_result(render_html(summary, suite_cards(summary), summary.manifest.command), chosen)
    return chosen
