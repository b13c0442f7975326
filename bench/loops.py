# SPDX-License-Identifier: Apache-2.0
"""Agreement of random cells with minimal programs: what `cipherstone doctor --programs` does."""

from __future__ import annotations

import secrets

import msgspec

from bench.field import Field, machine_lock
from bench.result import Result, tell
from cipherstone.catalogue.suites import load_suite
from cipherstone.execute.opinion.cells import SETTINGS, OpinionBench
from cipherstone.execute.opinion.sample import candidates_of
from cipherstone.measure.plan import plan_run
from cipherstone.model.agreement import SecondOpinion
from cipherstone.model.ids import Lane

ABOUT_S = 1200
CELLS, FAST_CELLS = 200, 20
MEDIAN = 0.003
BASE = "openssl"


def run(field: Field, result: Result, fast: bool) -> None:
    """A sample by a random seed, the farthest cells in a table."""
    found = list(field.found.values())
    suite = load_suite(field.workshop.root, "full", field.catalogue)
    offers = [one.offer(field.catalogue) for one in found]
    plan = plan_run(field.catalogue, field.libraries, offers, suite, None, BASE)
    settings = msgspec.structs.replace(SETTINGS, cpu=field.cpu, seed=secrets.randbits(32), base=BASE)
    bench = OpinionBench(field.workshop, field.catalogue, found, plan.capabilities, settings, tell)
    with machine_lock():
        candidates, bases = candidates_of(plan, field.catalogue, BASE)
        cells, left_out = bench.sample(candidates, FAST_CELLS if fast else CELLS, settings.seed, bases)
        told = bench.compare(cells, settings.seed)
    result.say(f"{len(told.compared)} cells, drawn by the seed {told.seed}; those that are farthest from a plain loop:")
    show(told, result)
    for line in (*left_out, *told.left_out):
        result.say(f"left out: {line}")
    median = told.median
    without = sum(one.unexplained for one in told.cells)
    measured = "nothing could be compared" if median is None else f"median {100 * median:.2f} %, {without} beyond"
    met = None if median is None else median <= MEDIAN and not without
    result.check("median 0.3 %, none beyond 1 % (2 % above 1 ms) without a reason", measured, met)


def show(told: SecondOpinion, result: Result, most: int = 30) -> None:
    """The farthest cells, and what is known of those beyond the limit."""
    ordered = sorted(told.compared, key=lambda one: -abs(one.difference or 0.0))
    rows = [
        [
            f"{Lane.parse(one.lane).label} {one.case}"[-46:],
            f"{one.ours_ns:,.0f}",
            f"{one.loop_ns:,.0f}",
            f"{100 * (one.difference or 0.0):+.2f}",
        ]
        for one in ordered[:most]
    ]
    if rows:
        result.table(["cell", "ours ns", "loop ns", "away %"], rows)
    for one in ordered:
        if one.beyond:
            result.say(f"- {one.lane} {one.case}, tried {one.tries}: {one.reason or 'not explained'}")
    result.data[result.name] = told
