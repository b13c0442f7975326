# SPDX-License-Identifier: Apache-2.0
"""Who else uses the core: what an undisturbed core reads, and which CPU is free now.

A *scout* is one more worker process whose only work is its probes; it is pinned to whatever CPU is in question. Waiting for a free core is left to the workers themselves (`wait` of the protocol): they
begin within microseconds of a core becoming free.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherstone.host.facts import allowed_cpus, cpus_like, thread_siblings
from cipherstone.measure.pool import Launch
from cipherstone.model.errors import WorkerError
from cipherstone.model.later import Later
from cipherstone.model.records import Settings
from cipherstone.protocol.messages import Refusal
from cipherstone.stats.batches import ABOVE
from cipherstone.stats.probes import MAX_IPC, SURE_SHARE, clean_level, ipc, session_reference
from cipherstone.stats.quantiles import FloatArray, median
from cipherstone.worker import WorkerProcess

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


# Readings that the level is found from: a random sample of all, so that a long run stays small.
KEPT_READINGS = 8192
REFRESH_S = 0.25  # between two looks at the level
SLICE_READINGS = 128  # about a millisecond on one CPU
MOST_CANDIDATES = 8  # CPUs that are looked at in one survey
BETTER_BY = 0.2  # share of clean readings by which another CPU must be ahead
SOUND_CHECKS = 8
SETTLE_S = 0.002  # after re-pinning: a thread moves at its next wake-up


class CpuWatch:
    """What a session knows of its CPUs. `cpu`: where workers are pinned now (None: nowhere). `reference`: IPC of an undisturbed core, None while nothing is known.

    `launches`: workers that may be asked to look; the first that can is. None of them: nothing is looked at.
    """

    def __init__(
        self,
        settings: Settings,
        launches: Sequence[Launch],
        stored: float | None,
        allowed: Sequence[int],
    ) -> None:
        self.cpu = settings.cpu
        self._settings = settings
        self._launches = list(launches)
        self._stored = stored
        self._alike = [] if self.cpu is None else cpus_like(self.cpu, allowed)
        self._random = np.random.default_rng(settings.seed)
        self._readings: FloatArray = np.empty(0)
        self._offered = 0
        self._looked_at = 0.0
        self._scout: WorkerProcess | None = None
        self._clean_readings = self._all_readings = 0
        self.reference = stored
        self.unsound = ""

    def close(self) -> None:
        """Ends the scout."""
        if self._scout is not None:
            self._scout.close()
            self._scout = None

    # -- the level -------------------------------------------------------------------------------------------------------------

    @property
    def quiet(self) -> float | None:
        """The IPC that a clean reading reaches, None while nothing is known."""
        return None if self.reference is None or self.unsound else self._settings.clean_threshold * self.reference

    @property
    def disturbed_share(self) -> float | None:
        """Share of the readings of passes that were not clean by what was known then; None without any."""
        return 1 - self._clean_readings / self._all_readings if self._all_readings else None

    def count(self, readings: FloatArray) -> None:
        """Counts the readings of a pass for `disturbed_share`, and learns from them."""
        self.learn(readings)
        if self.quiet is not None:
            self._all_readings += readings.size
            self._clean_readings += self._clean(readings)

    def learn(self, readings: FloatArray) -> None:
        """Takes readings in; the reference follows, at most four times a second."""
        if not readings.size:
            return
        self._offered += readings.size
        joined = np.concatenate([self._readings, readings])
        if joined.size > KEPT_READINGS:
            # New readings keep their fair share of the sample.
            old = round(KEPT_READINGS * (self._offered - readings.size) / self._offered)
            keep_old = self._random.choice(self._readings, min(old, self._readings.size), replace=False)
            keep_new = self._random.choice(readings, min(KEPT_READINGS - keep_old.size, readings.size), replace=False)
            joined = np.concatenate([keep_old, keep_new])
        self._readings = joined
        now = time.monotonic()
        if self.reference is None or now - self._looked_at >= REFRESH_S:
            self._looked_at = now
            self.reference = session_reference(clean_level(self._readings), self._stored)

    def settle(self) -> None:
        """The reference by everything that was seen."""
        if self._readings.size:
            self.reference = session_reference(clean_level(self._readings), self._stored)

    @property
    def sure_level(self) -> float | None:
        """The level that a fifth or more of the readings crowd at; None if there is none."""
        level = clean_level(self._readings)
        return level.ipc if level is not None and level.share >= SURE_SHARE else None

    # -- where, and when -------------------------------------------------------------------------------------------------------

    def survey(self) -> bool:
        """Looks at the CPUs that may be used and goes to the freest, if it is clearly freer. True if that is a move."""
        candidates = self._candidates()
        if len(candidates) < 2:
            if self._look(self.cpu) is not None:
                self.settle()
            return False
        seen: dict[int, FloatArray] = {}
        for _ in range(2):  # in turns: a burst of one CPU must not decide alone
            for cpu in candidates:
                readings = self._look(cpu)
                if readings is None:
                    return False
                seen[cpu] = np.concatenate([seen[cpu], readings]) if cpu in seen else readings
        self.settle()
        shares = {cpu: self.share(readings) for cpu, readings in seen.items()}
        best = max(shares, key=lambda cpu: (shares[cpu], cpu == self.cpu))
        if self.cpu is None or best == self.cpu or shares[best] < shares[self.cpu] + BETTER_BY:
            return False
        self.cpu = best
        return True

    @staticmethod
    def _soundness(scout: WorkerProcess) -> str:
        """ "" as soon as one check is sound: a disturbance spoils some, an emulator all."""
        said = ""
        for _ in range(SOUND_CHECKS):
            said = _unsound(scout.check_probe().imul_ratio)
            if not said:
                break
        return said

    def _candidates(self) -> list[int]:
        if not self._settings.move or self.cpu is None:
            return [] if self.cpu is None else [self.cpu]
        others = [cpu for cpu in self._alike if cpu != self.cpu]
        if len(others) >= MOST_CANDIDATES:
            others = sorted(self._random.choice(others, MOST_CANDIDATES - 1, replace=False).tolist())
        return [self.cpu, *others]

    def look(self) -> FloatArray | None:
        """A slice of readings on the CPU that is measured; None if no worker can look."""
        return self._look(self.cpu)

    def share(self, readings: FloatArray) -> float:
        """Share of readings that are of a free core; 0 for none."""
        return self._clean(readings) / readings.size if readings.size else 0.0

    def _clean(self, readings: FloatArray) -> int:
        """How many readings are of a free core; one far above the reference is an interrupted chain."""
        if self.quiet is None or self.reference is None:
            return 0
        return int(np.count_nonzero((readings >= self.quiet) & (readings <= ABOVE * self.reference)))

    def _look(self, cpu: int | None) -> FloatArray | None:
        """A slice of readings on `cpu`; None if no worker can look. A worker without probes, one that breaks and one whose readings no core can give make room for the next."""
        while self._launches:
            try:
                readings = self._asked(self._launches[0], cpu)
            except (WorkerError, Refusal):
                readings = np.empty(0)
            if readings.size:
                self.learn(readings)
                return readings
            self.close()
            del self._launches[0]
        return None

    def _asked(self, launch: Launch, cpu: int | None) -> FloatArray:
        """A slice of readings of the scout, which is started if it is not there; none if it cannot tell. Raises WorkerError and Refusal."""
        if self._scout is None or not self._scout.alive:
            self._scout = launch.start()
            self._scout.hello()
            self.unsound = self._soundness(self._scout)
        if cpu is not None and self._scout.pin(cpu):
            time.sleep(SETTLE_S)
        told = self._scout.probe(SLICE_READINGS)
        return plausible(ipc([x or 0.0 for x in told.chain_ns or ()], [x or 0.0 for x in told.tput_ns or ()]))


def _unsound(imul_ratio: float | None) -> str:
    """Why the probes cannot be believed on this machine, or "". A multiplication takes a whole number of additions on every core; in an emulator it does not."""
    if imul_ratio is None or (1.5 <= imul_ratio <= 8 and abs(imul_ratio - round(imul_ratio)) <= 0.15):
        return ""
    return f"a multiplication takes {imul_ratio:.2f} additions here, which is no core's: the probes are left out, and contention is not seen"


def plausible(readings: FloatArray) -> FloatArray:
    """The readings, or none of them if their median says what no core can do."""
    seen = readings[np.isfinite(readings)]
    return readings if seen.size and median(seen) <= MAX_IPC else np.empty(0)


def keep_away(cpu: int | None, allowed: Sequence[int]) -> None:
    """Moves this process off the measuring CPU, and off its sibling threads where that leaves any. Where it cannot, nothing happens."""
    if cpu is None:
        return
    siblings = set(thread_siblings(cpu))
    others = {one for one in allowed if one not in siblings and one != cpu} or {one for one in allowed if one != cpu}
    if others:
        try:
            os.sched_setaffinity(0, others)
        except OSError:
            pass


class AwayFrom:
    """Within, this process keeps off the measuring CPU while it waits for replies; where it cannot, nothing happens. A session that moves to another CPU keeps it off that one."""

    def __init__(self, cpu: int | None) -> None:
        self._cpu = cpu
        self._before: list[int] = []

    def __enter__(self) -> None:
        self._before = allowed_cpus()
        keep_away(self._cpu, self._before)

    def __exit__(self, *_: object) -> None:
        if self._before and self._cpu is not None:
            os.sched_setaffinity(0, self._before)
