# SPDX-License-Identifier: Apache-2.0
"""A lane whose worker is an object: no clock, no process."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from cipherstone.measure.rounds import Contestant, _Turns
from cipherstone.model.records import Settings

QUIET = 4.85


def proven(**more: Any) -> Any:
    worker = SimpleNamespace(turn_overhead=None, seen=SimpleNamespace(cpu_ns=None))
    return SimpleNamespace(**{"cold": False, "parted": True, "worker": worker, "number": 3, "ring": 1, **more})


def turns(ns: float, jitter: float = 1.0, settings: Settings | None = None, alone: bool = False, cold: bool = False) -> _Turns:  # fmt: skip
    return _Turns(Contestant("a@1", proven(cold=cold), ns, alone), settings or Settings(), jitter)
