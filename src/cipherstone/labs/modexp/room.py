# SPDX-License-Identifier: Apache-2.0
"""The room of the modexp laboratory."""

from __future__ import annotations

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published import load_published
from cipherstone.labs.modexp.command import modexp
from cipherstone.labs.modexp.export import modexp_rows, modexp_tables
from cipherstone.labs.modexp.names import LAB, PUBLISHED
from cipherstone.labs.modexp.page import modexp_page
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import LabPage
from cipherstone.report.rooms import Room


def _page(view: RunView, book: Sketchbook, footer: str) -> LabPage | None:
    return modexp_page(view, book, load_published(data_root(), PUBLISHED), footer)


ROOM = Room(LAB, modexp, _page, modexp_rows, modexp_tables)
