# SPDX-License-Identifier: Apache-2.0
"""The pipe to a worker."""

from __future__ import annotations

import fcntl

PIPE_BYTES = 1 << 20  # what an ordinary user may ask for on Linux


def widen(descriptor: int) -> None:
    """Room for a whole input of a mebibyte in the pipe, where the system allows it: through 64 KiB at a time it takes 32 changes between the two processes, in every pass."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except (OSError, AttributeError):
        pass
