# SPDX-License-Identifier: Apache-2.0
"""What a run of the laboratory keeps of the data beside the code: the published table that it stands beside."""

from __future__ import annotations

from pathlib import Path

import msgspec

from cipherstone.catalogue.published import Published, load_published
from cipherstone.labs.modexp.names import PUBLISHED
from cipherstone.model.summary import RunSummary
from cipherstone.report.rooms import Derived
from cipherstone.views.derive import digest

_KEY = "published"


def derived(run: RunSummary, root: Path) -> Derived:
    """The published table. Raises DataError."""
    file = root / "suites" / "published" / f"{PUBLISHED}.toml"
    data = msgspec.to_builtins(load_published(root, PUBLISHED))
    return Derived({_KEY: data}, {f"suites/published/{file.name}": digest([file])})


def published_of(run: RunSummary) -> Published | None:
    """The table that a run keeps; None for one that keeps none."""
    return msgspec.convert(run.room[_KEY], Published) if run.room and _KEY in run.room else None
