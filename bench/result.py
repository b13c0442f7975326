# SPDX-License-Identifier: Apache-2.0
"""What a section of the self-check found, and how it is printed: plain text of at most 80 columns."""

from __future__ import annotations

import math
import statistics
import sys
import textwrap
from collections.abc import Sequence

import msgspec

WIDTH = 80


class Check(msgspec.Struct, frozen=True):
    """A target and what was measured. `met` is None where nothing could be measured; `measured` then says why."""

    target: str
    measured: str
    met: bool | None

    @property
    def word(self) -> str:
        """`met`, `missed`, or `not measured`."""
        return "not measured" if self.met is None else "met" if self.met else "missed"


class Result(msgspec.Struct):
    """One section's report. `data`: its figures for `--json`; units stand in the names."""

    name: str
    title: str
    lines: list[str] = []
    checks: list[Check] = []
    data: dict[str, object] = {}
    seconds: float = 0.0

    def say(self, text: str = "") -> None:
        """A paragraph, wrapped."""
        self.lines += textwrap.wrap(text, WIDTH) or [""]

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns: the first to the left, the others to the right. A table that is too wide is the mistake of its section."""
        widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
        for row in (head, *rows):
            cells = [
                row[0].ljust(widths[0]),
                *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True)),
            ]
            line = "  ".join(cells).rstrip()
            if len(line) > WIDTH:
                raise ValueError(f"{self.name}: a table row has {len(line)} columns: {line}")
            self.lines.append(line)

    def check(self, target: str, measured: str, met: bool | None) -> None:
        """Adds a target with its figure."""
        self.checks.append(Check(target, measured, met))

    def text(self) -> str:
        """The section as it is printed."""
        out = [f"== {self.name}: {self.title} ({self.seconds:.0f} s)", *self.lines, ""]
        for check in self.checks:
            text = f"{check.word.upper()}: {check.measured}; target: {check.target}"
            out += textwrap.wrap(text, WIDTH, subsequent_indent="  ")
        return "\n".join(out) + "\n"


def tell(text: str) -> None:
    """A line of progress, on standard error."""
    print(text, file=sys.stderr, flush=True)


def spread_percent(values: Sequence[float]) -> float:
    """Coefficient of variation (sample standard deviation over mean) in percent; NaN below 2 values."""
    return 100.0 * statistics.stdev(values) / statistics.fmean(values) if len(values) > 1 else math.nan


def middle(values: Sequence[float]) -> float:
    """Median; NaN for no values."""
    return statistics.median(values) if values else math.nan
