# SPDX-License-Identifier: Apache-2.0
"""What a run of the laboratory keeps of the data beside the code: the published table that it stands beside."""

from __future__ import annotations

from pathlib import Path

import msgspec

from cipherstone.catalogue.published_tables import MODEXP, Published, load_published
from cipherstone.catalogue.references import files_of, shown_place
from cipherstone.labs.modexp.names import PUBLISHED
from cipherstone.model.summary import RunSummary
from cipherstone.report.rooms import Derived
from cipherstone.views.derive import digest

_KEY = "published"


def derived(run: RunSummary, root: Path) -> Derived:
    """The published table. Raises DataError."""
    data = msgspec.to_builtins(load_published(root, PUBLISHED))
    return Derived({_KEY: data}, {shown_place(PUBLISHED, MODEXP): digest(files_of(root, PUBLISHED, MODEXP))})


def published_of(run: RunSummary) -> Published | None:
    """The table that a run keeps; None for one that keeps none."""
    return msgspec.convert(run.room[_KEY], Published) if run.room and _KEY in run.room else None
