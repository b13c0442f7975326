# SPDX-License-Identifier: Apache-2.0
"""The room of the modexp laboratory."""

from __future__ import annotations

from cipherstone.labs.modexp.command import modexp
from cipherstone.labs.modexp.export import modexp_rows, modexp_tables
from cipherstone.labs.modexp.names import LAB
from cipherstone.labs.modexp.page import modexp_page
from cipherstone.labs.modexp.scope import scope
from cipherstone.labs.modexp.stored import derived, published_of
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import LabPage
from cipherstone.report.rooms import Room


def _page(view: RunView, book: Sketchbook, footer: str) -> LabPage | None:
    published = published_of(view.run)
    return None if published is None else modexp_page(view, book, published, footer)


ROOM = Room(LAB, modexp, _page, derived, modexp_rows, modexp_tables, scope)
