# SPDX-License-Identifier: Apache-2.0
"""Children that ended: waited for in a way that an interruption before it cannot block, how they did, and what they had said before."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from typing import TypeVar

from cipherstone.protocol.messages import ProtocolError, Refusal, decode_reply

Reply = TypeVar("Reply")


def reap(process: subprocess.Popen[bytes]) -> int:
    """Waits for a child that ends or was killed; its code, as `Popen` has it.

    Not by `Popen.wait`: an exception that a signal raises in the middle of `poll`, or of a wait with a limit, can leave the lock taken that it asks for.
    """
    if process.returncode is None:
        try:
            _, status = os.waitpid(process.pid, 0)
        except ChildProcessError:  # the code that was interrupted took its status, which is lost
            process.returncode = -signal.SIGKILL
        else:
            process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode


def ended_how(code: int) -> str:
    """What became of a child with this code of `Popen`."""
    if code >= 0:
        return f"ended with status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def replies_in(said: bytes | bytearray, waiting: Sequence[tuple[int, str, type[Reply]]]) -> Iterator[Reply | Refusal]:
    """The whole replies to requests (number, verb, kind) at the beginning of what a worker had said when it ended."""
    for line, (number, _, kind) in zip(bytes(said).split(b"\n")[:-1], waiting, strict=False):
        try:
            yield decode_reply(line, number, kind)
        except Refusal as refusal:
            yield refusal
        except ProtocolError:
            return
