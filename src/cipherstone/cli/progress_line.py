# SPDX-License-Identifier: Apache-2.0
"""The progress line: on a terminal one line that is rewritten, elsewhere a line now and then. Written between passes of cases only, never inside one."""

from __future__ import annotations

import shutil
import sys
import time

from cipherstone.cli.environment import say
from cipherstone.measure.progress import Progress
from cipherstone.measure.turns import TurnProgress
from cipherstone.model.units import counted

QUIET_INTERVAL_S = 20.0
NOTABLY_DISTURBED = 0.05
BAR = 10  # columns


class ProgressLine:
    """Call it with each Progress; `done` clears the line."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = 0.0
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        """Shows `progress`, unless the last one was shown only just now."""
        now = time.monotonic()
        if now - self._last < (0.1 if self._terminal else QUIET_INTERVAL_S):
            return
        self._last = now
        self._write(describe(progress))

    def memory(self, number: int, count: int) -> None:
        """While memory and first calls are measured."""
        now = time.monotonic()
        if self._terminal and now - self._last >= 0.1:
            self._last = now
            self._write(f"memory and first calls: cell {number + 1} of {count}")

    def processes(self, number: int, count: int) -> None:
        """While whole processes are measured."""
        now = time.monotonic()
        if self._terminal and now - self._last >= 0.1:
            self._last = now
            self._write(f"whole processes: round {number + 1} of {count}")

    def counts(self, number: int) -> None:
        """While instructions are counted."""
        now = time.monotonic()
        if self._terminal and now - self._last >= 0.1:
            self._last = now
            self._write(f"instructions on other machines: {counted(number, 'cell')}")

    def turns(self, looked: TurnProgress) -> None:
        """While an instrument measures."""
        now = time.monotonic()
        if now - self._last >= (0.1 if self._terminal else QUIET_INTERVAL_S):
            self._last = now
            self._write(f"pass {looked.passes + 1} of {looked.planned}  {looked.title}")

    def told(self, text: str) -> None:
        """A line that stays."""
        self.done()
        say(text)

    def done(self) -> None:
        """Leaves the screen as it was."""
        if self._terminal and self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._shown = False

    def _write(self, text: str) -> None:
        if not self._terminal:
            say(text)
            return
        columns = shutil.get_terminal_size((80, 24)).columns
        print(f"\r\x1b[K{text[: columns - 1]}", end="", file=sys.stderr, flush=True)
        self._shown = True


def describe(progress: Progress) -> str:
    """`[####......] 41 %, 52 s left  pass 3/9  12/87  aes-128-gcm/seal/bytes=16384  41 % disturbed`: the share of the time, as far as it is known how long the run takes."""
    if progress.waiting_s:
        return f"another program or guest uses the core: looking for a free one for {progress.waiting_s:.0f} s"
    number = progress.pass_index + 1
    text = (
        f"pass {number}/{progress.min_passes}"
        if number <= progress.min_passes
        else f"pass {number} ({progress.cases_open} cases still open)"
    )
    text += f"  {progress.case_number + 1}/{progress.cases_open}  {progress.case}"
    if progress.disturbed is not None and progress.disturbed >= NOTABLY_DISTURBED:
        text += f"  {progress.disturbed:.0%} disturbed".replace("%", " %")
    return text if progress.left_s is None else f"{_share(progress)}, {_left(progress)} left  {text}"


def _share(progress: Progress) -> str:
    """`[####......] 41 %`."""
    whole = progress.elapsed_s + (progress.left_s or 0.0)
    share = min(1.0, progress.elapsed_s / whole) if whole > 0 else 0.0
    filled = int(share * BAR)
    return f"[{'#' * filled}{'.' * (BAR - filled)}] {100 * share:.0f} %"


def _left(progress: Progress) -> str:
    left, most = progress.left_s or 0.0, progress.left_most_s
    if most is None or _number_is_known(progress) or most < 1.3 * left:
        return _duration(left)
    return f"{_duration(left)} to {_duration(most)}"


def _number_is_known(progress: Progress) -> bool:
    # From its first `min_passes` values a case tells how many more it needs.
    return progress.pass_index >= progress.min_passes


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"
