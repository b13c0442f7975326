# SPDX-License-Identifier: Apache-2.0
"""Children that were told to end: waited for in a way that an interruption before it cannot block."""

from __future__ import annotations

import os
import signal
import subprocess


def reap(process: subprocess.Popen[bytes]) -> int:
    """Waits for a child that ends or was killed; its code, as `Popen` has it.

    Not by `Popen.wait`: an exception that a signal raises in the middle of `poll`, or of a wait with a limit, can leave the lock taken that it asks for.
    """
    if process.returncode is None:
        try:
            _, status = os.waitpid(process.pid, 0)
        except ChildProcessError:  # whoever was interrupted had its status, which is lost
            process.returncode = -signal.SIGKILL
        else:
            process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode
