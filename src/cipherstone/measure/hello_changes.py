# SPDX-License-Identifier: Apache-2.0
"""How a worker introduces itself, process after process: one that is another library, version or build than the one that was found is not measured."""

from __future__ import annotations

from collections.abc import Iterator

from cipherstone.protocol.messages import Hello, one_line

# What is the same in every process of a build. Not the step of the clock, which each process measures, nor counters and heap figures, which one may get and the next not.
LASTING = ("library", "version", "version_from", "sdk", "compiler", "flags", "cpu_path", "capabilities")
LASTING_CLOCKS = ("clock", "cpu_clock", "probe")
SHOWN = 120  # characters of a value


def hello_changes(before: Hello, now: Hello) -> Iterator[str]:
    """One line for each word of itself that a worker has changed: `version was 3.0.19, is 3.0.20`."""
    for name in (*LASTING, *LASTING_CLOCKS):
        old, new = getattr(before, name), getattr(now, name)
        if name == "capabilities":
            old, new = " ".join(sorted(old)), " ".join(sorted(new))
        if old != new:
            yield f"{name} was {_shown(old)}, is {_shown(new)}"


def _shown(value: str | None) -> str:
    return one_line(value, SHOWN) or "empty" if value is not None else "not told"
