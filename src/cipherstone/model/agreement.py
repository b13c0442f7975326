# SPDX-License-Identifier: Apache-2.0
"""A second opinion on cells of a run: what a minimal loop of a few lines says of the same call."""

from __future__ import annotations

import msgspec

LIMIT = 0.01  # how far a figure may be from a minimal loop's
LONG_LIMIT = 0.02  # the same above LONG_NS
LONG_NS = 1e6
# A process that does nothing else; one with a used heap; one that has done other work, with a used heap.
FRESH, HEAP, WORK = "", "heap", "work"
KINDS = (FRESH, HEAP, WORK)


class Repetitions(msgspec.Struct, frozen=True):
    """What a process of a minimal loop printed. `calls` of each repetition; `wall_ns` and `cpu_ns` of each; `chain_ns` (a cycle) and `wide_ns` (an addition among others) before each and after the last; `empty_ns`: of an empty call. `before`: what the process had done, one of `KINDS`."""

    calls: int
    empty_ns: float
    wall_ns: tuple[float, ...]
    cpu_ns: tuple[float, ...]
    chain_ns: tuple[float, ...]
    wide_ns: tuple[float, ...]
    before: str = ""


class CellOpinion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A cell, by us and by the loop. `ours_ns`: as published; `loop_ns`: the loop's, at the clock of the core that our figure was taken at; None where there is none, and `refused` says why.

    `difference`: ours over the loop's, less 1. `ours_passes` and `loop_processes`: cycles per call of each pass and of each process. `reason`: what is known to make them differ, "" if nothing is. `tries`: how often it was measured, and `earlier` the differences before. `contended`: one of the two saw no free core for long enough.
    """

    case: str
    lane: str
    family: str
    ours_ns: float | None
    loop_ns: float | None
    tries: int = 1
    ours_passes: tuple[float, ...] = ()
    loop_processes: tuple[float, ...] = ()
    loop_wall_ns: float | None = None
    reason: str = ""
    refused: str = ""
    earlier: tuple[float, ...] = ()
    contended: bool = False

    @property
    def difference(self) -> float | None:
        """Ours over the loop's, less 1; None where one of them has no figure."""
        if self.ours_ns is None or self.loop_ns is None:
            return None
        return self.ours_ns / self.loop_ns - 1

    @property
    def limit(self) -> float:
        """How far it may be."""
        return LONG_LIMIT if (self.loop_ns or 0.0) > LONG_NS else LIMIT

    @property
    def beyond(self) -> bool:
        """Whether it is farther than that."""
        return self.difference is not None and abs(self.difference) > self.limit

    @property
    def unexplained(self) -> bool:
        """Whether it is, and no reason is known."""
        return self.beyond and not self.reason


class RatioOpinion(msgspec.Struct, frozen=True):
    """A ratio to the base lane of a case, by us and by the loops."""

    case: str
    lane: str
    base: str
    ours: float
    loop: float


class SecondOpinion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sample of cells. `seed`: what drew it. `run`: the stored run whose cells they are, "" if they were measured for this. `left_out`: what could not be in the sample, and why."""

    seed: int
    cells: tuple[CellOpinion, ...]
    ratios: tuple[RatioOpinion, ...] = ()
    run: str = ""
    left_out: tuple[str, ...] = ()
    wall_s: float = 0.0
    load: float | None = None

    @property
    def compared(self) -> tuple[CellOpinion, ...]:
        """Cells with both figures."""
        return tuple(one for one in self.cells if one.difference is not None)

    @property
    def median(self) -> float | None:
        """Median of the differences, whatever their sign; None without any."""
        sizes = sorted(abs(one.difference) for one in self.compared if one.difference is not None)
        if not sizes:
            return None
        middle = len(sizes) // 2
        return sizes[middle] if len(sizes) % 2 else (sizes[middle - 1] + sizes[middle]) / 2
