# SPDX-License-Identifier: Apache-2.0
"""Numbers that a journal or a manifest may hold: what a table can take, what arithmetic survives, and what a run can be asked."""

from __future__ import annotations

from typing import Annotated

import msgspec

# What a table can hold: a journal with a larger number was not written by us.
Int = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
# Thirty years in nanoseconds: sums and products of what is smaller stay finite.
Float = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]
# Of a run's settings: how many of something, a share, a length of time in its unit. A manifest with more was edited.
Times = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Ratio = Annotated[float, msgspec.Meta(ge=0, le=1e6)]  # a share that rounding, or a bound that is met, may bring above 1
Length = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
