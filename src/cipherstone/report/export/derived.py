# SPDX-License-Identifier: Apache-2.0
"""What is derived from a run beside its cells, for other programs: shares of the roofline, and what its laboratory makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from cipherstone.model.summary import RunSummary
from cipherstone.report.export.rows import Metric, TidyRow, derived_row
from cipherstone.report.rooms import Room, room_of


def derived_rows(run: RunSummary, rooms: Sequence[Room] = ()) -> list[TidyRow]:
    """Derived figures as tidy rows; empty for a run that is of no laboratory and has no spectrum."""
    room = room_of(run, rooms)
    return [*(room.rows(run) if room is not None else ()), *_roofline_tidy(run)]


def derived_tables(run: RunSummary, rooms: Sequence[Room] = ()) -> dict[str, Any]:
    """The same as tables for JSON: those of the laboratory, and `roofline`; only what the run has."""
    room = room_of(run, rooms)
    tables: dict[str, Any] = dict(room.tables(run)) if room is not None else {}
    if run.roofline:
        tables["roofline"] = run.roofline
    built: dict[str, Any] = msgspec.to_builtins(tables)
    return built


def _roofline_tidy(run: RunSummary) -> Iterator[TidyRow]:
    cases = {case.case: case for case in run.cases}
    for row in run.roofline:
        for tier in row.tiers:
            if tier.share is not None:
                note = row.flag or f"limited by {tier.limiting}"
                yield derived_row(
                    run, cases[row.case], row.lane, Metric("roofline_share", tier.share, "ratio", tier.tier, note=note)
                )
