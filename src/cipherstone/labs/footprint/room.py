# SPDX-License-Identifier: Apache-2.0
"""The room of the laboratory of footprints. Its runs have instruments and no cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from cipherstone.labs.footprint.command import instruments, lab
from cipherstone.labs.footprint.run_page import run_page
from cipherstone.labs.footprint.stored import LAB, footprint_of
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import LabPage
from cipherstone.report.rooms import Room


def _page(view: RunView, book: Sketchbook, footer: str) -> LabPage | None:
    found = footprint_of(view.run)
    return run_page(found, book, footer) if found is not None else None


def _tables(run: RunSummary) -> Mapping[str, Any]:
    """What `--json` writes, with the largest symbols alone."""
    found = footprint_of(run)
    return {} if found is None else msgspec.to_builtins(found)


ROOM = Room(LAB, lab, _page, tables=_tables, instrument=instruments)
