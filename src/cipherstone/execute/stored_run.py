# SPDX-License-Identifier: Apache-2.0
"""What a stored run says."""

from __future__ import annotations

from collections.abc import Callable

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import DataError
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import showable_struct
from cipherstone.store.bundle import Bundle
from cipherstone.views.plausible import models_for
from cipherstone.views.run.summarise import summarise

Derive = Callable[[RunSummary], RunSummary]
"""Adds what is derived from a summary by the data beside the code, and by the laboratory of its run."""


def bundle_summary(bundle: Bundle, catalogue: Catalogue | None, derive: Derive) -> RunSummary:
    """What a stored run says: what it said when it was finished; of one that is not, what its journal says now. Raises DataError for records that contradict themselves."""
    stored = bundle.summary()
    if stored is not None:
        return showable_struct(stored)
    try:
        return derive(
            showable_struct(
                summarise(bundle.manifest, bundle.records(), catalogue, models=models_for(bundle.manifest, data_root()))
            )
        )
    except (ValueError, ArithmeticError) as error:
        raise DataError(
            f"bundle: {bundle.path}: {error}", "its journal was edited or damaged: restore it from a copy"
        ) from None
