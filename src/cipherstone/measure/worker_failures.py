# SPDX-License-Identifier: Apache-2.0
"""How often the workers of a build broke in a run, and when it is not started again."""

from __future__ import annotations

from cipherstone.model.outcomes import Outcome

MOST = 3
# One whose code changed is another build from now on; one that does not answer costs seconds each time.
WEIGHTS = {Outcome.UNAVAILABLE: MOST, Outcome.TIMED_OUT: 2}
LINGERS = "its process does not end after 'bye' and the end of its input: killed"


class WorkerFailures:
    """By build. `add` and `linger` count one more."""

    def __init__(self) -> None:
        self._counted: dict[str, int] = {}

    def add(self, build: str, outcome: Outcome) -> None:
        """A worker broke."""
        self._counted[build] = self._counted.get(build, 0) + WEIGHTS.get(outcome, 1)

    def linger(self, build: str) -> bool:
        """A process had to be killed, since it did not end when told to; whether the build is out now."""
        self._counted[build] = self._counted.get(build, 0) + 1
        return self.out(build)

    def out(self, build: str) -> bool:
        """Whether it is not started again."""
        return self._counted.get(build, 0) >= MOST
