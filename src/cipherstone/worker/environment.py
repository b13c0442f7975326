# SPDX-License-Identifier: Apache-2.0
"""What a worker process is given: an environment, and room in the pipe to it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping
from pathlib import Path

# What every worker gets, beside the padding: messages in one language. Neither PATH nor HOME: no library needs them to compute, and some would read files there.
BASE_ENVIRONMENT = {"LC_ALL": "C"}
# Of workers that are timed, and of loops beside them: functions of shared libraries are found at the start, as in hardened programs. A branch that first led to the dynamic linker and then
# to a function is predicted as one with changing targets until the processor forgets it, which other code decides (decision 0058).
BOUND = {"LD_BIND_NOW": "1"}
# Processors that this program was started on, of which it leaves one later: what a worker on this machine may start threads on.
LENT = {"CS_CPUS": ",".join(map(str, sorted(os.sched_getaffinity(0))))} if hasattr(os, "sched_getaffinity") else {}
PIPE_BYTES = 1 << 20  # what an ordinary user may ask for on Linux


def preloading(environment: Mapping[str, str], library: Path | None) -> Mapping[str, str]:
    """The environment with a shared object that is loaded before all others (LD_PRELOAD), those that it names already among them; as it is for None."""
    if library is None:
        return environment
    return {**environment, "LD_PRELOAD": ":".join(filter(None, (str(library), environment.get("LD_PRELOAD"))))}


def widen(descriptor: int) -> None:
    """Room for a whole input of a mebibyte in the pipe, where the system allows it: through 64 KiB at a time it takes 32 changes between the two processes, in every pass."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except (OSError, AttributeError):
        pass
