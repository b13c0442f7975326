# SPDX-License-Identifier: Apache-2.0
"""Counted instructions: what an operation executes on a machine that is emulated. A count, never a time. Targets and counts are records of a run's journal too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated

import msgspec

from cipherstone.model.bounds import Int
from cipherstone.model.declared import column
from cipherstone.model.ids import Lane, build_label, variant_of
from cipherstone.model.outcomes import Outcome


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

    target: Annotated[str, column("", "the machine, as `--on` calls it")]
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
        """The build for people, whatever its version: `bearssl+0.6+Os`."""
        library, at, build = self.build.partition("@")
        return build_label(library, variant_of(build)) if at else self.build


class Count(msgspec.Struct, frozen=True, kw_only=True, tag="count", tag_field="type"):
    """One cell on one target. `instructions`: of one call, without what the empty call takes; None unless `outcome` is `counted`.

    `classes`: how many of them are `branch`, `multiply` and `divide`, and the accesses to memory, `load` and `store`. `modelled_cycles`: by a table of timings, where that was asked for (`isa.modelled`); no time, and never compared. `stack_bytes`: the deepest use of a call; `heap_bytes`: the most that it had allocated beyond what was there before; `held_bytes`: what is kept between calls. `code`: bytes of code and constants that its row brings into a program, by name, without what every worker has and without the C library; None where that is not known. `proof`: `ok`, `lax`, `strict`.
    `seen`: what was counted where it varies. `facts`: what the worker of a laboratory tells of the cell.
    """

    target: str
    case: str
    lane: str
    outcome: Counting
    instructions: Int | None = None
    classes: Mapping[str, Int] = {}
    modelled_cycles: Int | None = None
    stack_bytes: Int | None = None
    heap_bytes: Int | None = None
    held_bytes: Int | None = None
    code: Mapping[str, Int] | None = None
    proof: Outcome | None = None
    seen: tuple[Int, ...] = ()
    reason: str = ""
    facts: Mapping[str, Int | str] = {}

    @property
    def code_bytes(self) -> int | None:
        """Of `code` together."""
        return None if self.code is None else sum(self.code.values())

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
