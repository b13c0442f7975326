# SPDX-License-Identifier: Apache-2.0
"""Agreement of long calls with loops that share nothing with us: no adapter, no inputs of ours, only the library's public functions and keys that the program makes."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import msgspec

from bench.field import Field, machine_lock
from bench.loops import BASE, show
from bench.result import Result, tell
from cipherstone.execute.opinion.cells import SETTINGS, OpinionBench
from cipherstone.execute.opinion.loops import LoopPrograms, Loops
from cipherstone.execute.opinion.sample import Candidate
from cipherstone.measure.minimal import output_of, read_repetitions
from cipherstone.model.agreement import Repetitions
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane

ABOUT_S = 60
LIBRARIES = ("openssl", "wolfssl", "botan", "cryptopp", "libgcrypt", "bearssl")
CASES = ("ecdsa-p256-sha256/sign", "ecdsa-p256-sha256/verify", "p-256/derive")
LIMIT = 0.03  # keys are others, and so are the paths of what does not take the same time for all


class HandLoops(Loops):
    """Hand-written programs, by library, in place of minimal ones."""

    def __init__(self, field: Field, made: dict[str, Path]) -> None:
        launches = [one.launch for one in field.found.values() if one.launch is not None]
        super().__init__(LoopPrograms(field.workshop, ()), {}, launches, field.cpu)
        self._made = made

    def _repetitions(self, case: Case, lane: Lane, repeats: int, warm_us: int) -> Repetitions:
        if lane.library not in self._made:
            raise WorkerError("unavailable", "no loop was written for it")
        words = [str(self._made[lane.library]), case.operation, str(repeats)]
        return read_repetitions(output_of(words, {}, self._cpu), (), lane.library)


def run(field: Field, result: Result, fast: bool) -> None:
    """A run of the three operations with all libraries as lanes, passes and programs in turn."""
    here = [name for name in LIBRARIES if name in field.found]
    made = {name: field.program(f"long_{name}", name) for name in here}
    lanes = [field.lane(name) for name in here]
    offered = {(case, lane) for case in CASES for lane in lanes if "default" in field.offers(case, lane.library)}
    capabilities = {(case, lane.id): field.capability(case, lane) for case, lane in offered}
    settings = msgspec.structs.replace(SETTINGS, cpu=field.cpu, seed=secrets.randbits(32), base=BASE)
    bench = OpinionBench(field.workshop, field.catalogue, list(field.found.values()), capabilities, settings, tell)
    bench.loops = HandLoops(field, made)
    cells = [Candidate(case, lane.id, "", lane.library) for case, lane in sorted(offered)]
    with machine_lock():
        told = bench.compare(cells, settings.seed)
    result.say(
        f"Programs with keys of their own beside a run with {len(here)} lanes, load {os.getloadavg()[0]:.0f}. An ECDSA signature draws, and other keys take "
        "other paths where a library's time depends on them:"
    )
    show(told, result)
    away = [abs(one.difference) for one in told.compared if one.difference is not None]
    within = sum(value <= LIMIT for value in away)
    measured = f"{within} of {len(away)} within, farthest {100 * max(away):.1f} %" if away else "nothing was compared"
    result.check(
        f"long calls within {100 * LIMIT:g} % of hand-written programs", measured, within == len(away) if away else None
    )
