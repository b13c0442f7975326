# SPDX-License-Identifier: Apache-2.0
"""The room of the laboratory of footprints. It has no runs: sizes repeat to the last digit, so its results are files of its own."""

from __future__ import annotations

from cipherstone.labs.footprint.command import lab
from cipherstone.report.rooms import Room

ROOM = Room("footprint", lab, lambda view, book, footer: None)
