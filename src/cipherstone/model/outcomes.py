# SPDX-License-Identifier: Apache-2.0
"""The closed lists of what can become of a cell, of a comparison and of a run."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """What became of a cell (a case on a lane). Those that are `timed` compete; the others are shown with their reason."""

    OK = "ok"
    LAX = "lax"  # accepts what the standard forbids, though no forgery: timed, ranked and marked
    STRICT = "strict"  # refuses a valid input that does not occur by chance: timed, ranked and marked
    WRONG = "wrong"  # a wrong result: shown, never timed, never ranked
    UNAVAILABLE = "unavailable"  # present, but this CPU or build refuses it
    UNSUPPORTED = "unsupported"  # the library does not offer it
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"

    @property
    def timed(self) -> bool:
        """Whether a cell with this outcome is timed and ranked."""
        return self in (Outcome.OK, Outcome.LAX, Outcome.STRICT)


UNTRUE = "untrue: "  # begins what is said of a worker that broke since it claimed what cannot be


class Verdict(StrEnum):
    """How lane i stands to lane j in a case. The first three are findings, the rest say why there is none."""

    FASTER = "faster"
    SLOWER = "slower"
    EQUAL = "equal"
    UNDECIDED = "undecided"  # the interval crosses the threshold
    UNRESOLVED = "unresolved"  # the pass limit or the time bound came before the interval was narrow enough
    CONTENDED = "contended"  # too few passes that the probes call undisturbed
    WRONG = "wrong"
    UNAVAILABLE = "unavailable"


class CaseEnd(StrEnum):
    """Why no further pass of a case was made."""

    CONVERGED = "converged"
    MAX_PASSES = "max-passes"
    TIME_BOUND = "time-bound"
    CONTENDED = "contended"
    INTERRUPTED = "interrupted"
    NO_LANES = "no-lanes"
    PROCESSES = "processes"  # none was planned: whole processes alone


class RunStatus(StrEnum):
    """State of a bundle."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"
