# SPDX-License-Identifier: Apache-2.0
"""The room of the instruction laboratory."""

from __future__ import annotations

from cipherstone.catalogue.paths import data_root
from cipherstone.isa.table import ISAS, load_table
from cipherstone.labs.instructions.command import instructions
from cipherstone.labs.instructions.page import instructions_page
from cipherstone.labs.instructions.results import InstructionTable, instruction_table
from cipherstone.model.summary import RunSummary
from cipherstone.operations.kernels import FAMILY
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import LabPage
from cipherstone.report.rooms import Room


def table_of(run: RunSummary) -> InstructionTable | None:
    """The table of a run of the laboratory; None for one without a kernel."""
    isa = next((isa for isa in ISAS for case in run.cases if case.operation.startswith(f"{isa}.")), None)
    return None if isa is None else instruction_table(run, load_table(data_root(), isa))


def _page(view: RunView, book: Sketchbook, footer: str) -> LabPage | None:
    table = table_of(view.run)
    return instructions_page(view, table, book, footer) if table is not None else None


ROOM = Room(FAMILY, instructions, _page)
