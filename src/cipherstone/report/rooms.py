# SPDX-License-Identifier: Apache-2.0
"""What a laboratory adds to reports and exports: its room, handed down by who found it, so that nothing here knows any laboratory by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from cipherstone.catalogue.scope import Scope
from cipherstone.model.request import RunRequest
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.instruments import instrument_page
from cipherstone.report.blocks.room_page import LabPage
from cipherstone.report.export.rows import TidyRow


class Derived(NamedTuple):
    """What a laboratory makes of a run, in its own shape (builtin types), and content hashes of the data that it took for it, by file."""

    data: dict[str, Any]
    models: dict[str, str]


@dataclass(frozen=True)
class Room:
    """A laboratory as the rest of the program sees it.

    `name`: of its folder, of the suite of its runs and of its command. `command`: a function with the annotations of the command line. `scope`: what a request of the command is taken from; its first argument is the workshop; None where the command makes no run. `instrument`: what measures a request of the command that is no run of cases, made ready: its first argument is the workshop, its last takes lines of progress; several in a tuple; None for a request of cases. `page`: what a report of one of its runs
    shows first, None where the run has no figure of the laboratory; its last argument is the footer of charts. `derive`: what it makes of a run by data beside the code, stored as `RunSummary.room`. `rows` and `tables`: what it derives, for CSV and for JSON.
    """

    name: str
    command: Callable[..., None]
    page: Callable[[RunView, Sketchbook, str], LabPage | None]
    derive: Callable[[RunSummary, Path], Derived | None] = lambda run, root: None
    rows: Callable[[RunSummary], Iterable[TidyRow]] = lambda run: ()
    tables: Callable[[RunSummary], Mapping[str, Any]] = lambda run: {}
    scope: Callable[[Any, RunRequest], Scope] | None = None
    instrument: Callable[[Any, RunRequest, Callable[[str], None]], Any] = lambda workshop, request, tell: None


def room_of(run: RunSummary, rooms: Sequence[Room]) -> Room | None:
    """The laboratory that made a run; None for any other run, and for one that times nothing."""
    if not run.manifest.settings.timed:
        return None
    return next((room for room in rooms if room.name == run.manifest.suite), None)


def lab_page(view: RunView, rooms: Sequence[Room], book: Sketchbook, footer: str = "") -> LabPage | None:
    """The page of the laboratory that made the run, else that of the run's instruments; None for any other run, and for one without a figure of the laboratory."""
    room = room_of(view.run, rooms)
    page = None if room is None else room.page(view, book, footer)
    return page or instrument_page(view, footer)


class NoCharts(Sketchbook):
    """A sketchbook for reports of text: draws nothing."""

    def draw(self, section: str, spec: object, title: str) -> list[str]:
        """Nothing."""
        return []
