# SPDX-License-Identifier: Apache-2.0
"""When a pass goes on, waits, moves or ends: the time that a run has, and who else is on the core, in one place."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from cipherstone.measure.casestate import CaseState
from cipherstone.measure.watch import CpuWatch, keep_away
from cipherstone.model.records import Settings
from cipherstone.stats.quantiles import FloatArray

# A pass with a smaller share of clean readings makes the run look at the other CPUs, at most once in so many seconds.
BUSY_SHARE = 0.5
SURVEY_EVERY_S = 0.25
LONGER_WAIT = 10.0
# Without a time bound: rounds in which nothing undisturbed came, in all.
WAIT_BUDGET_S = 60.0
TOLD_AFTER_S = 1.0
PASS_SHARE = 0.6  # of its share of the time, for the rounds of a pass: processes and proofs take the rest


class PassGate:
    """`rounds.Gate` for a session. `waited_s`: time of rounds in which nothing was clean. `given_up`: without a time bound, they took the run's budget for waiting. `on_wait` is told how long nothing has come."""

    def __init__(
        self,
        settings: Settings,
        watch: CpuWatch,
        allowed: Sequence[int],
        elapsed: Callable[[], float],
        on_wait: Callable[[float], None] | None = None,
    ) -> None:
        self.given_up = False
        self.waited_s = 0.0
        self._vain_s = 0.0
        self._on_wait = on_wait
        self._settings = settings
        self._watch = watch
        self._allowed = allowed
        self._elapsed = elapsed
        self._surveyed = 0.0
        self._share_ends: float | None = None

    @property
    def quiet(self) -> float | None:
        """IPC of a clean reading, None while nothing is known."""
        return self._watch.quiet

    def remaining_s(self) -> float | None:
        """Seconds to the run's time bound, negative behind it; None without one."""
        bound = self._settings.max_time_s
        return None if bound is None else bound - self._elapsed()

    def late(self) -> bool:
        """Whether the time bound has come."""
        remaining = self.remaining_s()
        return remaining is not None and remaining <= 0

    def share_out(self, cases: Iterable[CaseState]) -> None:
        """Gives the pass that begins now its share of the time to the bound: so much that every open case comes to its smallest number of passes."""
        remaining = self.remaining_s()
        if remaining is None:
            self._share_ends = None
            return
        missing = sum(max(1, self._settings.min_passes - state.valid) for state in cases if state.end is None)
        self._share_ends = time.monotonic() + PASS_SHARE * remaining / max(1, missing)

    def enough(self) -> bool:
        """Whether the pass in hand has taken its share of the time that is left."""
        return self._share_ends is not None and time.monotonic() > self._share_ends

    def goes_on(self, spent_s: float, lost_s: float, vain_s: float) -> bool:
        """After each round of a pass that took `spent_s` so far, of it `lost_s` without anything clean or waiting for it; `vain_s`: length of the last round if nothing in it was clean, else 0. False if the pass is to end: the run went to another CPU, or looked long enough.

        A move costs what the pass has done so far, so the run looks elsewhere when as much time was lost as was not: at most twice the cost of the better choice, whatever comes.
        """
        self._vain_s = self._vain_s + vain_s if vain_s else 0.0
        self.waited_s += vain_s
        if self.remaining_s() is None and self.waited_s >= WAIT_BUDGET_S:
            self.given_up = True
            return False
        if self._on_wait is not None and self._vain_s >= TOLD_AFTER_S:
            self._on_wait(self._vain_s)
        cpu = self._watch.cpu
        if 2 * lost_s >= spent_s and time.monotonic() - self._surveyed >= SURVEY_EVERY_S:
            self.survey()
        return cpu == self._watch.cpu

    @property
    def wait_us(self) -> float:
        """How long a turn may look for a free core: longer where the last round was in vain."""
        return self._settings.wait_us * (LONGER_WAIT if self._vain_s else 1.0)

    def survey(self) -> None:
        """Looks at the CPUs that may be used, goes to the freest, and keeps this process off it."""
        self._surveyed = time.monotonic()
        self._watch.survey()
        keep_away(self._watch.cpu, self._allowed)

    def look_around(self, readings: FloatArray) -> None:
        """After a pass with these IPC readings, if it was disturbed much: is another CPU freer now? A move takes effect with the next pass."""
        keep_away(self._watch.cpu, self._allowed)
        if self._watch.quiet is None or not readings.size or time.monotonic() - self._surveyed < SURVEY_EVERY_S:
            return
        if self._watch.share(readings) < BUSY_SHARE:
            self.survey()
