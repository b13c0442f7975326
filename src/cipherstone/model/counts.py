# SPDX-License-Identifier: Apache-2.0
"""Counted instructions: what an operation executes on a machine that is emulated. A count, never a time. Targets and counts are records of a run's journal too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated

import msgspec

from cipherstone.model.bounds import Int
from cipherstone.model.declared import column
from cipherstone.model.ids import Lane, build_label, read_build, variant_of
from cipherstone.model.outcomes import Outcome

TARGET = column("", "the machine, as `--on` calls it")


class Counting(StrEnum):
    """What became of a cell on a target."""

    COUNTED = "counted"
    VARIES = "varies"  # two processes, or two calls, did not execute the same number of instructions
    WRONG = "wrong"  # not proven: never counted
    UNAVAILABLE = "unavailable"  # present, but the emulated processor or the build refuses it
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"


class CountingPlan(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a run counts: its cases, on each of `targets`, with each of `builds` (`LIBRARY@VARIANT`, from source), as far as the filter `selection` leaves them ("": all)."""

    targets: tuple[str, ...]
    builds: tuple[str, ...]
    selection: str = ""


class CountedTarget(msgspec.Struct, frozen=True, tag="counted-target", tag_field="type"):
    """A build of a library on a machine that is counted on. `library`: its title; `archives`: those that hold the library, as `identity.code_text` has them, "" where there are none."""

    target: Annotated[str, TARGET]
    build: Annotated[str, column("", "`LIBRARY@VERSION[+VARIANT]`; where nothing was counted, its name")]
    title: Annotated[str, column("", "the machine in words")] = ""
    compiler: Annotated[str, column("", "that made its worker")] = ""
    flags: Annotated[str, column("", "of the compiler")] = ""
    emulator: Annotated[str, column("", "with its version")] = ""
    processor: Annotated[str, column("", "that is emulated")] = ""
    worker_hash: Annotated[str, column("", "of what the worker was made of")] = ""
    null_instructions: Annotated[Int | None, column("count", "of an empty call, taken off every count")] = None
    problem: Annotated[str, column("", "why nothing was counted, or empty")] = ""
    library: str = ""
    archives: str = ""

    @property
    def label(self) -> str:
        """The build for people, whatever its version: `bearssl@0.6+Os`."""
        library, _, build = self.build.partition("@")
        return build_label(*(read_build(self.build) if self.problem else (library, variant_of(build))))


def _part(name: str) -> msgspec.Meta:
    return column("count", f"of them, or of accesses to memory: {name}", name, f"classes['{name}']", type="BIGINT")


def _sum(code: Mapping[str, int]) -> int:
    return sum(code.values())


class Count(msgspec.Struct, frozen=True, kw_only=True, tag="count", tag_field="type"):
    """One cell on one target. `instructions`: without what the empty call takes; None unless `outcome` is `counted`.

    `modelled_cycles`: by a table of timings, where that was asked for (`isa.modelled`); no time, and never compared. `heap_bytes`: beyond what was there before.
    `code`: by name, without what every worker has and without the C library. `facts`: what the worker of a laboratory tells of the cell.
    """

    target: Annotated[str, TARGET]
    case: str
    lane: str
    outcome: Annotated[Counting, column("", "`counted`, `varies`, or why there is no count")]
    instructions: Annotated[
        Int | None, column("count", "of one call, less those of an empty call; null: not counted")
    ] = None
    classes: Annotated[
        Mapping[str, Int], _part("load"), _part("store"), _part("branch"), _part("multiply"), _part("divide")
    ] = {}
    modelled_cycles: Int | None = None
    stack_bytes: Annotated[Int | None, column("bytes", "stack that the call uses at its deepest; null: not known", metric="stack")] = None  # fmt: skip
    heap_bytes: Annotated[Int | None, column("bytes", "the most that the call had allocated; null: not known", metric="heap_peak_warm")] = None  # fmt: skip
    held_bytes: Annotated[
        Int | None, column("bytes", "heap that is kept between calls; null: not known", metric="heap_live")
    ] = None
    code: Annotated[
        Mapping[str, Int] | None,
        column("bytes", "code and constants that the operation brings into a program for a microcontroller; null: not known", "code_bytes", "list_sum(map_values(code))", of=_sum, type="BIGINT", metric="code"),
    ] = None  # fmt: skip
    proof: Annotated[Outcome | None, column("", "`ok`, `lax` or `strict` by the known answers on the target; null: not proven")] = None  # fmt: skip
    seen: Annotated[tuple[Int, ...], column("count", "what was counted where it varies; else empty")] = ()
    reason: Annotated[str, column("", "why there is no count, or empty")] = ""
    facts: Mapping[str, Int | str] = {}

    @property
    def code_bytes(self) -> int | None:
        """Of `code` together."""
        return None if self.code is None else _sum(self.code)

    @property
    def build(self) -> str:
        """`LIBRARY@BUILD`."""
        return self.lane.partition(":")[0]

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same count in another version of the library or of its build's compiler."""
        return self.target, self.case, Lane.parse(self.lane).label


class Counts(msgspec.Struct, frozen=True):
    """What a count of many cells gave."""

    targets: tuple[CountedTarget, ...]
    counts: tuple[Count, ...]


class Difference(msgspec.Struct, frozen=True):
    """A count that is another than it was. None: there is none now, or there was none."""

    target: str
    case: str
    lane: str
    before: int | None
    now: int | None

    @property
    def share(self) -> float | None:
        """How much more it is, as a share of what it was."""
        return None if self.before is None or self.now is None or not self.before else self.now / self.before - 1

    @property
    def worse(self) -> bool:
        """Whether there are more than there were, or what was counted can be counted no longer."""
        return self.before is not None and (self.now is None or self.now > self.before)


def differences(before: Iterable[Count], now: Iterable[Count]) -> list[Difference]:
    """Every cell of both that has another count, with no tolerance: counts repeat to the last digit. What one of them did not look at is no difference."""
    earlier = {one.key: one.instructions for one in before}
    return [
        Difference(*one.key, earlier[one.key], one.instructions)
        for one in now
        if one.key in earlier and earlier[one.key] != one.instructions
    ]
