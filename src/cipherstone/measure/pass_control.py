# SPDX-License-Identifier: Apache-2.0
"""When a pass goes on, waits, moves or ends: the time that a run has, and who else is on the core, in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cipherstone.measure.casestate import CaseState
from cipherstone.measure.watch import CpuWatch, keep_away
from cipherstone.model.awake_clock import awake_s
from cipherstone.model.records import Settings
from cipherstone.stats.quantiles import FloatArray

# A look at the other CPUs takes about 12 ms, so a run looks when it has lost a few times that; a pass with a smaller share of clean readings makes it look before the next.
LOST_BEFORE_LOOK_S = 0.04
BUSY_SHARE = 0.5
SURVEY_EVERY_S = 0.1
LONGER_WAIT = 10.0
# Without a time bound: rounds in which nothing undisturbed came, in all.
WAIT_BUDGET_S = 60.0
TOLD_AFTER_S = 1.0
PASS_SHARE = 0.6  # of its share of the time, for the rounds of a pass: processes and proofs take the rest


class PassControl:
    """`rounds.Control` for a session. `waited_s`: time of rounds in which nothing was clean. `given_up`: without a time bound, they took the run's budget for waiting. `on_wait` gets how long nothing has come, `on_move` where the workers are to go."""

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
        self.on_move: Callable[[int | None], None] | None = None
        self._lost_s = 0.0
        self._vain_s = 0.0
        self._on_wait = on_wait
        self._settings = settings
        self._watch = watch
        self._allowed = allowed
        self._elapsed = elapsed
        self._surveyed = 0.0
        self._share_ends: float | None = None

    @property
    def cpu(self) -> int | None:
        """The CPU that is measured on now."""
        return self._watch.cpu

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
        self._share_ends = awake_s() + PASS_SHARE * remaining / max(1, missing)

    def enough(self) -> bool:
        """Whether the pass in hand has taken its share of the time that is left."""
        return self._share_ends is not None and awake_s() > self._share_ends

    def goes_on(self, lost_s: float, vain_s: float) -> bool:
        """After each round, of which `lost_s` went by without anything clean or waiting for it; `vain_s`: its length if nothing in it was clean, else 0. False if the run has looked long enough.

        When some time is lost the run looks at the other CPUs and goes to one that is freer. The pass goes on there: all its lanes move together, between two rounds.
        """
        self._vain_s = self._vain_s + vain_s if vain_s else 0.0
        self._lost_s += lost_s
        self.waited_s += vain_s
        if self.remaining_s() is None and self.waited_s >= WAIT_BUDGET_S:
            self.given_up = True
            return False
        if self._on_wait is not None and self._vain_s >= TOLD_AFTER_S:
            self._on_wait(self._vain_s)
        if self._lost_s >= LOST_BEFORE_LOOK_S and awake_s() - self._surveyed >= SURVEY_EVERY_S:
            self.survey()
        return True

    @property
    def wait_us(self) -> float:
        """How long a turn may look for a free core: longer where the last round was in vain."""
        return self._settings.wait_us * (LONGER_WAIT if self._vain_s else 1.0)

    def survey(self) -> None:
        """Looks at the CPUs that may be used, takes the workers to the freest, and keeps this process off it."""
        self._watch.survey()
        self._surveyed = awake_s()
        self._lost_s = 0.0
        keep_away(self._watch.cpu, self._allowed)
        if self.on_move is not None:
            self.on_move(self._watch.cpu)

    def look_around(self, readings: FloatArray) -> None:
        """After a pass with these IPC readings, if it was disturbed much: is another CPU freer now?"""
        keep_away(self._watch.cpu, self._allowed)
        if self._watch.quiet is None or not readings.size or awake_s() - self._surveyed < SURVEY_EVERY_S:
            return
        if self._watch.share(readings) < BUSY_SHARE:
            self.survey()
