# SPDX-License-Identifier: Apache-2.0
"""A figure with its interval."""

from __future__ import annotations

import msgspec

from cipherstone.model.bounds import Float


class Estimate(msgspec.Struct, frozen=True):
    """A figure with its order-statistic interval. `low` and `high` are None if there are too few passes for a 95 % interval."""

    value: Float
    low: Float | None = None
    high: Float | None = None
