# SPDX-License-Identifier: Apache-2.0
"""What a run is asked to be, as one value: what is measured, how, and for how long. Commands make it of their options, a file holds it, a manifest keeps it."""

from __future__ import annotations

from typing import Annotated

import msgspec

from cipherstone.model.bounds import Times

Seed = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Passes = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Patience = Annotated[float, msgspec.Meta(ge=0.01, le=1000)]


class RunRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A run that is asked for. Values are written as on the command line, so that a file is read by people; the default of each field means what the command does without that option."""

    suite: str = "default"
    """What the selection is taken from: the name of a suite."""
    lab: str = ""
    """The laboratory whose command asks, "" for `run`. Its suite has the same name."""
    options: dict[str, str | int | bool] = {}
    """The laboratory's own options, by name."""
    filter: str = ""
    """What is selected, in the filter language; "" for the whole suite."""
    library: tuple[str, ...] = ()
    """Libraries of the user's own, `NAME[@CALLED]=WHERE`."""
    build: tuple[str, ...] = ()
    """Builds beside those of a plain run."""
    worker: tuple[str, ...] = ()
    """Paths of workers that were made elsewhere."""
    on: tuple[str, ...] = ()
    """Machines that the same cases are counted on, under emulation."""
    base: str = ""
    """Library or lane that all others are compared with; "" for the usual one."""
    name: str = ""
    """What the run is called."""
    precise: bool = False
    """Half-width 0.5 %, no time bound."""
    target: str | None = None
    """Half-width asked of every ratio: `0.5%`."""
    max_time: str | None = None
    """Bound of measuring: `90s`, `10min`, `none`."""
    passes: Passes | None = None
    """Most passes of a case."""
    processes: Times | None = None
    """Whole processes of every cell."""
    cpu: Times | None = None
    """The CPU to measure on; None for the last one allowed, or a freer one."""
    seed: Seed | None = None
    """Seed of the random orders; None for a random one."""
    memory: bool = True
    """Heap, stack and first calls, after the timing."""
    time: bool = True
    """Whether anything is timed; False counts alone."""
    strict: bool = False
    """What is lax or strict counts as wrong."""
    allow_emulated: bool = False
    """An emulated machine is measured, without figures."""
    patience: Patience = 1.0
    """Factor on the time limits of workers, 0.01 to 1000."""

    @property
    def given(self) -> tuple[str, ...]:
        """The fields that differ from what the command does by itself. (`omit_defaults` keeps a number that is another object.)"""
        plain = RunRequest()
        return tuple(name for name in self.__struct_fields__ if getattr(self, name) != getattr(plain, name))
