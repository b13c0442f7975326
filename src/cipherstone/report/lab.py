# SPDX-License-Identifier: Apache-2.0
"""Which laboratory a run is of, and its page."""

from __future__ import annotations

from cipherstone.catalogue.kernels.listing import FAMILY
from cipherstone.catalogue.kernels.table import ISAS, load_table
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published import load_published
from cipherstone.model.summary import RunSummary
from cipherstone.report.figure import Sketchbook
from cipherstone.report.grid import RunView
from cipherstone.report.lab_instructions import instructions_page
from cipherstone.report.lab_modexp import modexp_page
from cipherstone.report.lab_page import LabPage
from cipherstone.views.instructions import InstructionTable, instruction_table
from cipherstone.views.modexp_names import LAB

PUBLISHED_MODEXP = "modexp-emcrypt"


def lab_page(view: RunView, book: Sketchbook, footer: str = "") -> LabPage | None:
    """The page of the laboratory that `Manifest.suite` names; None for any other run, and for one without a figure of the laboratory."""
    if view.run.manifest.suite == LAB:
        return modexp_page(view, book, load_published(data_root(), PUBLISHED_MODEXP), footer)
    table = instructions_of(view.run)
    return instructions_page(view, table, book, footer) if table is not None else None


def instructions_of(run: RunSummary) -> InstructionTable | None:
    """The table of a run of the instruction laboratory; None for any other."""
    isa = next((isa for isa in ISAS for case in run.cases if case.operation.startswith(f"{isa}.")), None)
    if run.manifest.suite != FAMILY or isa is None:
        return None
    return instruction_table(run, load_table(data_root(), isa))


class NoCharts(Sketchbook):
    """A sketchbook for reports of text: draws nothing."""

    def draw(self, section: str, spec: object, title: str) -> list[str]:
        """Nothing."""
        return []
