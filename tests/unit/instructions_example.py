# SPDX-License-Identifier: Apache-2.0
"""A run of the instruction laboratory written by hand: every kernel of the table at the cycles that the table expects, two of them missing."""

from __future__ import annotations

import random

import modexp_example as example

from cipherstone.catalogue.paths import data_root
from cipherstone.isa.program import ADD_CHAIN, KERNEL, ROR_CHAIN, calibrator, program
from cipherstone.isa.table import load_table
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.summary import CellSummary, RunSummary
from cipherstone.operations.kernels import FAMILY

GHZ = 4.0
MISSING = ("vsha512rnds2", "gf2p8mulb-zmm")


def instructions_run(rotation: float = 1.0) -> RunSummary:
    """`rotation`: cycles of a rotation, 1 where the chains agree."""
    table = load_table(data_root(), "x86-64")
    draw = random.Random(11)
    cases = []
    for kernel, verb in table.operations:
        operation = f"{kernel.algorithm}/{verb}"
        chosen = program(table, kernel.algorithm, verb)
        cells = []
        for name, cycles in ((ADD_CHAIN, 1.0), (ROR_CHAIN, rotation)):
            lane = Lane("instructions", "1.0+gas", name).id
            ns = calibrator("x86-64", name).units_per_call * cycles / GHZ
            cells.append(example.cell(operation, lane, ns, draw, spread=0.0005))
        lane = Lane("instructions", "1.0+gas", KERNEL).id
        if kernel.name in MISSING:
            cells.append(CellSummary(operation, lane, Outcome.UNAVAILABLE, f"this CPU lacks what {kernel.name} needs"))
        else:
            ns = chosen.units_per_call * kernel.forms[verb].cycles / GHZ
            cells.append(example.cell(operation, lane, ns, draw, spread=0.0005))
        cases.append(example.case_of(operation, cells, f"{kernel.name}, {verb}"))
    return example.run_of(cases, FAMILY)
