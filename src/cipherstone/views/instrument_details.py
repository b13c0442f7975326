# SPDX-License-Identifier: Apache-2.0
"""What an instrument's own page needs besides its figures lies in the manifest in a shape of its own, which no schema of bundles checks: it is checked where it is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from cipherstone.model.errors import DataError
from cipherstone.model.instruments import InstrumentPlan
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import unreadable_text


def plan_of(run: RunSummary, instrument: str) -> InstrumentPlan | None:
    """The plan of an instrument that made the run, or part of it."""
    return next((one for one in run.manifest.instruments if one.name == instrument), None)


@contextmanager
def details_read(run: RunSummary, instrument: str) -> Iterator[None]:
    """Within, details are read and taken together with the figures. Raises DataError for those that no run of the instrument has."""
    try:
        yield
    except (LookupError, TypeError, ValueError, msgspec.MsgspecError) as error:
        raise DataError(
            f"bundle: {run.manifest.run_id}: details of {instrument}: {unreadable_text(error)}",
            "its manifest or its journal was edited or damaged: restore it from a copy",
        ) from None
