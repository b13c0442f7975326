# SPDX-License-Identifier: Apache-2.0
"""What is known of the implementation behind a lane, from library.toml: said beside its name wherever it stands under a library's own choice."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from cipherstone.catalogue.libraries import Library, load_labs, load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.model.ids import Lane


@cache
def _known() -> Mapping[str, Library]:
    root = data_root()
    return {**load_libraries(root), **load_labs(root)}


def lane_properties(operation: str, lane_id: str) -> str:
    """`not constant-time, tables`; "" where nothing is known, and for libraries that are not of this checkout."""
    lane = Lane.parse(lane_id)
    library = _known().get(lane.library)
    found = library.about(operation, lane.implementation) if library is not None else None
    return found.words if found is not None else ""
