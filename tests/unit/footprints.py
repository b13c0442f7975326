# SPDX-License-Identifier: Apache-2.0
"""A footprint as a run shows it on a terminal."""

from __future__ import annotations

from cipherstone.labs.footprint.results import Footprint
from cipherstone.labs.footprint.run_page import run_page
from cipherstone.report.render.room_text import lab_lines
from cipherstone.report.rooms import NoCharts


def footprint_text(found: Footprint, width: int) -> str:
    """All of it, in lines of at most `width` columns."""
    return "\n".join(lab_lines(run_page(found, NoCharts(), ""), width, str))
