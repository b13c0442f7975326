# SPDX-License-Identifier: Apache-2.0
"""Numbers that a journal may hold: what a table can take, and what arithmetic survives."""

from __future__ import annotations

from typing import Annotated

import msgspec

# What a table can hold: a journal with a larger number was not written by us.
Int = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
# Thirty years in nanoseconds: sums and products of what is smaller stay finite.
Float = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]
