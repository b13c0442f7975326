# SPDX-License-Identifier: Apache-2.0
"""A summary with all that is derived of it: by the data beside the code, and by the laboratory that made the run."""

from __future__ import annotations

import msgspec

from cipherstone.catalogue.paths import data_root
from cipherstone.cli.known_libraries import known_with_labs
from cipherstone.cli.lab_discovery import rooms_of
from cipherstone.model.summary import RunSummary
from cipherstone.report.rooms import room_of
from cipherstone.views.derive import derive


def derived(run: RunSummary) -> RunSummary:
    """`run` with its cards, roofline, properties and room. Raises DataError for data that contradict themselves."""
    run = derive(run, data_root(), known_with_labs(data_root()))
    room = room_of(run, rooms_of(run))
    found = room.derive(run, data_root()) if room is not None else None
    return run if found is None else msgspec.structs.replace(run, room=found.data, models=run.models | found.models)
