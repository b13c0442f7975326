# SPDX-License-Identifier: Apache-2.0
"""The laboratories: a folder under `labs` with a module `room` is one. Nothing but this finds them, and nothing names them."""

from __future__ import annotations

import pkgutil
from functools import lru_cache
from pathlib import Path

from cipherstone.model.later import imported
from cipherstone.report.rooms import Room

FOLDER = Path(__file__).parents[1] / "labs"


@lru_cache(maxsize=1)
def rooms() -> tuple[Room, ...]:
    """Every laboratory, by name in rising order."""
    names = sorted(found.name for found in pkgutil.iter_modules([str(FOLDER)]) if found.ispkg)
    return tuple(imported(f"cipherstone.labs.{name}.room").ROOM for name in names)
