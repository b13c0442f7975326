# SPDX-License-Identifier: Apache-2.0
"""Which laboratory a run is of, and its page."""

from __future__ import annotations

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published import load_published
from cipherstone.report.figure import Sketchbook
from cipherstone.report.grid import RunView
from cipherstone.report.lab_modexp import modexp_page
from cipherstone.report.lab_page import LabPage
from cipherstone.views.modexp_names import LAB

PUBLISHED_MODEXP = "modexp-emcrypt"


def lab_page(view: RunView, book: Sketchbook, footer: str = "") -> LabPage | None:
    """The page of the laboratory that `Manifest.suite` names; None for any other run, and for one without a figure of the laboratory."""
    if view.run.manifest.suite == LAB:
        return modexp_page(view, book, load_published(data_root(), PUBLISHED_MODEXP), footer)
    return None


class NoCharts(Sketchbook):
    """A sketchbook for reports of text: draws nothing."""

    def draw(self, section: str, spec: object, title: str) -> list[str]:
        """Nothing."""
        return []
