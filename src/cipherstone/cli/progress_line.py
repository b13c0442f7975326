# SPDX-License-Identifier: Apache-2.0
"""The progress line: on a terminal one line that is rewritten, elsewhere a line now and then. Written between passes of cases only, never inside one."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence

from cipherstone.cli.environment import say
from cipherstone.measure.progress import Lead, Progress
from cipherstone.measure.turns import TurnProgress
from cipherstone.model.ids import Lane
from cipherstone.model.units import counted

QUIET_INTERVAL_S = 20.0
NOTABLY_DISTURBED = 0.05
BAR = 10  # columns
TIED = 2  # lanes named one by one


class ProgressLine:
    """Call it with each Progress; `done` clears the line."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = 0.0
        self._shown = False

    def begin(self) -> None:
        """Before the first pass: a terminal is not left without a line while a core is looked for and the first workers are proven."""
        if self._terminal:
            self._write("looking for a free core, starting the first workers")

    def __call__(self, progress: Progress) -> None:
        """Shows `progress`, unless the last one was shown only just now."""
        now = time.monotonic()
        if now - self._last < (0.1 if self._terminal else QUIET_INTERVAL_S):
            return
        self._last = now
        self._write(describe(progress, _columns() if self._terminal else None))

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
        print(f"\r\x1b[K{text[: _columns()]}", end="", file=sys.stderr, flush=True)
        self._shown = True


def describe(progress: Progress, columns: int | None = None) -> str:
    """`[####......] 41 %, 52 s left  pass 3/9  12/87  aes-128-gcm/seal/bytes=16384  41 % disturbed`: the share of the time, as far as it is known how long the run takes.

    `columns`: the room on a terminal, where the lane that leads in the case stands as well, and parts that do not fit are left out; None: no terminal, all but the lead.
    """
    if progress.waiting_s:
        return f"another program or guest uses the core: looking for a free one for {progress.waiting_s:.0f} s"
    number = progress.pass_index + 1
    disturbed = progress.disturbed is not None and progress.disturbed >= NOTABLY_DISTURBED
    # Each with its rank among those that may have to be left out: the last one goes first.
    parts = [
        ("" if progress.left_s is None else f"{_share(progress)}, {_left(progress)} left", 0),
        (f"pass {number}/{progress.min_passes}" if number <= progress.min_passes else f"pass {number}", 3),
        (f"{progress.case_number + 1}/{progress.cases_open}", 4),
        (progress.case, 1),
        ("" if columns is None or progress.lead is None else lead_text(progress.lead), 2),
        (f"{progress.disturbed:.0%} disturbed".replace("%", " %") if disturbed else "", 5),
    ]
    parts = [part for part in parts if part[0]]
    while columns is not None and len(parts) > 1 and len(_joined(parts)) > columns:
        parts.remove(max(parts, key=lambda part: part[1]))
    return _joined(parts)


def _joined(parts: Sequence[tuple[str, int]]) -> str:
    return "  ".join(text for text, _ in parts)


def lead_text(lead: Lead) -> str:
    """`openssl ahead`, `openssl = nettle so far` of lanes that are not told apart, `openssl first, no interval yet` before there is one."""
    names = [Lane.parse(lane).label for lane in lead.lanes]
    if not lead.sure:
        return f"{names[0]} first, no interval yet"
    if len(names) == 1:
        return f"{names[0]} ahead"
    more = [f"{len(names) - TIED} more"] if len(names) > TIED + 1 else names[TIED:]
    return f"{' = '.join([*names[:TIED], *more])} so far"


def _columns() -> int:
    """Of the terminal, but the last one, behind which a terminal would begin a new line."""
    return shutil.get_terminal_size((80, 24)).columns - 1


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
