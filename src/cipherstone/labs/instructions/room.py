# SPDX-License-Identifier: Apache-2.0
"""The room of the instruction laboratory."""

from __future__ import annotations

from pathlib import Path

import msgspec

from cipherstone.isa.table import ISAS, load_table
from cipherstone.labs.instructions.command import instructions, scope
from cipherstone.labs.instructions.page import instructions_page
from cipherstone.labs.instructions.results import MeasuredInstructions, instruction_table
from cipherstone.model.summary import RunSummary
from cipherstone.operations.kernels import FAMILY
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import LabPage
from cipherstone.report.rooms import Derived, Room
from cipherstone.views.derive import digest

KERNELS = "labs/instructions/kernels"


def derived(run: RunSummary, root: Path) -> Derived | None:
    """The table of a run of the laboratory, by the kernel table under `root`; None for one without a kernel. Raises DataError."""
    isa = next((isa for isa in ISAS for case in run.cases if case.operation.startswith(f"{isa}.")), None)
    if isa is None:
        return None
    data = msgspec.to_builtins(instruction_table(run, load_table(root, isa)))
    return Derived(data, {KERNELS: digest((root / KERNELS).glob("*.toml"))})


def _page(view: RunView, book: Sketchbook, footer: str) -> LabPage | None:
    room = view.run.room
    return instructions_page(view, msgspec.convert(room, MeasuredInstructions), book, footer) if room else None


ROOM = Room(FAMILY, instructions, _page, derived, scope=scope)
