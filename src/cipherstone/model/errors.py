# SPDX-License-Identifier: Apache-2.0
"""Errors that a person sees: what, where, the value seen, and a hint. Only `cli` prints them and exits."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every command."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    THRESHOLD = 3  # `compare --fail-above` was crossed
    WRONG = 4  # a library computed a wrong result
    INTERRUPTED = 130  # as shells have it: 128 and the signal's number (143 for SIGTERM, 129 for SIGHUP)


class CipherstoneError(Exception):
    """A failure with one line for people and a hint with what helps.

    `message` reads `what: where: value seen`, lower case, no final full stop; `hint` is a sentence or a command, or "".
    """

    exit_code: ExitCode = ExitCode.FAILURE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InterruptedRun(CipherstoneError):
    """A run was interrupted where there is nothing to show of it yet; `message` says what is kept, `hint` how to go on."""

    exit_code = ExitCode.INTERRUPTED


class UsageError(CipherstoneError):
    """What was asked for cannot be understood, or names something that does not exist."""

    exit_code = ExitCode.USAGE


class DataError(CipherstoneError):
    """A data file (catalogue, vectors, suite, bundle) is malformed; the message names the file and the place in it."""


class NotAuthentic(CipherstoneError):
    """The tag or the signature does not belong to the message: a library must reject these inputs."""


class BuildError(CipherstoneError):
    """A worker could not be built. `output` holds the tool's own message (its last lines)."""

    def __init__(self, message: str, hint: str = "", output: str = "") -> None:
        super().__init__(message, hint)
        self.output = output


class WorkerError(CipherstoneError):
    """A worker broke the protocol, ended or hung. `outcome` is `crashed` or `timed-out`, `unavailable` where its code is no longer the one that was found, or `wrong` where an answer before that was; `stderr` is the tail of what it printed; `lost_s`: seconds for which an answer that did not come was waited for."""

    def __init__(self, outcome: str, message: str, stderr: str = "", lost_s: float = 0.0) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.stderr = stderr
        self.lost_s = lost_s


class StoreError(CipherstoneError):
    """A bundle cannot be written or read (disk full, read-only, truncated, edited by hand)."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names the known word closest to `word`, or lists the known words if none is close."""
    names = sorted(set(known))
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean '{close[0]}'?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"known: {shown}" if names else "none is known here"
