# SPDX-License-Identifier: Apache-2.0
"""The laboratories: a folder under `labs` with a module `room` is one. Nothing but this finds them, and nothing names them."""

from __future__ import annotations

import pkgutil
from functools import cache
from pathlib import Path

from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.later import imported
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import showable
from cipherstone.report.rooms import Room

FOLDER = Path(__file__).parents[1] / "labs"


@cache
def room_names() -> tuple[str, ...]:
    """The name of every laboratory, in rising order: that of its folder."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules([str(FOLDER)]) if found.ispkg))


def rooms() -> tuple[Room, ...]:
    """Every laboratory, by name in rising order."""
    return tuple(map(_room, room_names()))


def rooms_of(run: RunSummary) -> tuple[Room, ...]:
    """The laboratory whose suite `run` is of, the only one that may have a page for it; none for other suites. The others are not loaded: that takes as long as to load what draws a report."""
    suite = run.manifest.suite
    return (_room(suite),) if suite in room_names() else ()


def room_called(name: str) -> Room:
    """The laboratory of this name. Raises UsageError for another one."""
    if name not in room_names():
        raise UsageError(f"lab: no laboratory '{showable(name)}'", nearest(name, room_names()))
    return _room(name)


@cache
def _room(name: str) -> Room:
    found: Room = imported(f"cipherstone.labs.{name}.room").ROOM
    return found
