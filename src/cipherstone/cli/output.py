# SPDX-License-Identifier: Apache-2.0
"""Writing results: to the terminal, or into files that are opened only when there is something to write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherstone.cli import environment as env
from cipherstone.cli.files import write_beside, write_result
from cipherstone.cli.lab_discovery import rooms_of
from cipherstone.cli.steps import Steps
from cipherstone.model.summary import RunSummary
from cipherstone.report.charts.drawing import drawing
from cipherstone.report.export.json import export_json
from cipherstone.report.render.brief import render_brief
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal
from cipherstone.report.rooms import Room, room_of


def show_summary(summary: RunSummary, format_: env.Format, brief: bool = False) -> None:
    """The comparison, for people or for programs. `brief`: on one screen, where that has the answer of the run: laboratories, published pages and counts alone have tables of their own."""
    rooms = rooms_of(summary)
    if format_ is env.Format.JSON:
        print(export_json(summary, rooms))
    elif brief and fits_a_screen(summary, rooms):
        print(render_brief(summary, env.width(), env.colour_wanted(), summary.cards), end="")
    else:
        print(render_terminal(summary, env.width(), env.colour_wanted(), summary.cards, rooms))


def fits_a_screen(summary: RunSummary, rooms: Sequence[Room]) -> bool:
    """Whether cases were timed, and neither a laboratory nor a published page has its own tables."""
    of_cases = summary.manifest.settings.timed and bool(summary.cases) and not summary.manifest.instruments
    return of_cases and summary.published is None and room_of(summary, rooms) is None


def write_report(path: Path, summary: RunSummary, target: Path | None = None, brief: bool = False) -> Path:
    """The HTML report of the run at `path`; beside it unless `target` says where. The file that was written. Raises StoreError."""
    with Steps(plain=False) as step, drawing() as pictures:
        step("drawing the report", path.name)
        page = render_html(summary, summary.cards, summary.manifest.command, rooms_of(summary), brief)
    if pictures.problem:
        env.say(f"note: {pictures.problem}")
    if target is not None:
        write_result(page, target)
        return target
    folder = path if path.name not in ("", "..") else path.resolve()
    beside = folder.with_name(folder.name + ".html")
    write_beside(page, beside)
    return beside
