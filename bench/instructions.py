# SPDX-License-Identifier: Apache-2.0
"""Stability of the instruction laboratory: the whole table again and again, in fresh processes, on a machine that also does other things."""

from __future__ import annotations

import statistics
from contextlib import AbstractContextManager
from functools import lru_cache

from bench.field import Field, Measured
from bench.hog import BURSTS, Hogs
from bench.result import Result, tell
from cipherstone.catalogue.libraries import load_library
from cipherstone.execute.survey import survey
from cipherstone.isa.program import ADD_CHAIN
from cipherstone.isa.table import KernelTable, load_table
from cipherstone.labs.instructions.results import OK, MeasuredInstructions, instruction_table
from cipherstone.measure.plan import plan_run
from cipherstone.model.errors import CipherstoneError
from cipherstone.operations.kernels import FAMILY as LAB
from cipherstone.operations.kernels import kernel_catalogue, kernel_suite, native_isa
from cipherstone.operations.vectors import vectors_of

ABOUT_S = 500
RUNS = 20
WITHIN = 0.03  # of a kernel's own median
SHARE = 0.9  # of the kernels
WORST = 8  # that are shown


def run(field: Field, result: Result, fast: bool) -> None:
    """`RUNS` runs beside processes that come and go on every CPU."""
    isa = native_isa()
    if isa is None:
        result.check("an instruction table", "no kernels are written for this instruction set", None)
        return
    root = field.workshop.root
    table = load_table(root, isa)
    library = load_library(root / "labs" / LAB, kernel_catalogue(root, isa))
    lab = survey(field.workshop, {LAB: library})[0]
    if lab.status != "ready":
        result.check("an instruction table", f"the laboratory is not ready: {lab.problem}", None)
        return
    field.found[LAB] = lab
    field.vectors = lru_cache(maxsize=None)(lambda algorithm: vectors_of(root, algorithm))  # of kernels as well
    runs = 3 if fast else RUNS
    result.say(
        f"{runs} runs of the whole table, each in processes of its own, with the suite's settings. A kernel is steady if all its results lie within "
        f"{WITHIN:.0%} of their median."
    )
    repeat(
        field,
        result,
        table,
        f"beside bursts of {0.1 * BURSTS.busy_ms:.0f} to {1.9 * BURSTS.busy_ms:.0f} ms, half of the time, on every CPU",
        Hogs(field.program("hog")),
        runs,
    )


def measure(field: Field, table: KernelTable) -> tuple[MeasuredInstructions, Measured]:
    """One run of the whole table."""
    root = field.workshop.root
    suite = kernel_suite(root, table.isa)
    base = f"{LAB}:{ADD_CHAIN}"
    catalogue = kernel_catalogue(root, table.isa)
    plan = plan_run(catalogue, {}, [field.found[LAB].offer(catalogue)], suite, None, base)
    cases = [(case.case, [plan.lanes[lane] for lane in case.lanes]) for case in plan.cases]
    kept = [
        (case, lanes)
        for case, lanes in cases
        if any(lane.implementation not in (ADD_CHAIN, "ror-chain") for lane in lanes)
    ]
    measured = field.run(kept, suite.apply(field.settings(base=base)))
    return instruction_table(measured.summary, table), measured


def repeat(
    field: Field, result: Result, table: KernelTable, weather: str, around: AbstractContextManager[object], runs: int
) -> None:
    """`runs` runs in one kind of weather, and their report."""
    values: dict[str, list[float]] = {}
    missing: dict[str, int] = {}
    walls: list[float] = []
    agreements: list[float] = []
    with around:
        for number in range(runs):
            try:
                found, measured = measure(field, table)
            except CipherstoneError as error:
                tell(f"  run {number + 1}: {error.message}")
                continue
            walls.append(measured.wall_s)
            if found.calibration.agreement is not None:
                agreements.append(found.calibration.agreement)
            for row in found.rows:
                if row.state == OK and row.cycles is not None:
                    values.setdefault(row.operation, []).append(row.cycles.value)
                elif row.state == "refused":
                    missing[row.operation] = missing.get(row.operation, 0) + 1
            tell(
                f"  {weather}: run {number + 1} of {runs}: {measured.wall_s:.1f} s, {len(missing)} kernels without a result"
            )
    spreads = {name: worst(column) for name, column in values.items()}
    steady = sum(spread <= WITHIN and name not in missing for name, spread in spreads.items())
    known = len(set(spreads) | set(missing))
    result.say(f"{weather}:")
    rows = [
        [kernel, f"{statistics.median(values[kernel]):.4f}", f"{100 * spreads[kernel]:.2f}", str(len(values[kernel]))]
        for kernel in sorted(spreads, key=lambda kernel: -spreads[kernel])[:WORST]
    ]
    result.table(["least steady", "cycles", "worst %", "runs"], rows)
    ordered = sorted(spreads.values())
    if ordered and walls:
        result.say(
            f"Worst distance from the median, over kernels: median {100 * statistics.median(ordered):.2f} %, 90 % of them below "
            f"{100 * ordered[int(0.9 * (len(ordered) - 1))]:.2f} %. A run takes {min(walls):.0f} to {max(walls):.0f} s. Chains: {min(agreements):.4f} to "
            f"{max(agreements):.4f}. {sum(missing.values())} results refused, of {len(missing)} kernels."
        )
    result.check(
        f"{SHARE:.0%} of kernels within {WITHIN:.0%} over {runs} runs",
        f"{steady} of {known}, {steady / known:.0%}" if known else "no kernel was measured",
        steady >= SHARE * known if known and len(walls) == runs else None,
    )
    result.say()
    result.data[weather] = {"cycles": values, "refused": missing, "wall_s": walls, "agreement": agreements}


def worst(values: list[float]) -> float:
    """The largest distance from the median, as a fraction of it."""
    middle = statistics.median(values)
    return max(abs(value / middle - 1.0) for value in values)
