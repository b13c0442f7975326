# SPDX-License-Identifier: Apache-2.0
"""The terms of a request for timed batches: probes, waiting, time limit."""

from __future__ import annotations

import msgspec

# One request is answered within this many seconds, unless the asker knows that it takes longer.
DEFAULT_TIMEOUT_S = 20.0


class Terms(msgspec.Struct, frozen=True):
    """On which terms a worker times batches. `probe`: whether it reads its probes, before the first batch and after each. `timeout_s`: seconds within which the reply must be here. With probes it waits before the first batch, up to `wait_us` microseconds, for a reading of `quiet` additions a cycle (None: it does not wait)."""

    probe: bool = False
    timeout_s: float = DEFAULT_TIMEOUT_S
    quiet: float | None = None
    wait_us: float = 0.0


UNPROBED, PROBED = Terms(), Terms(probe=True)
