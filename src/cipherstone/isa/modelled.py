# SPDX-License-Identifier: Apache-2.0
"""Cycles by a published table of instruction timings, from what was executed: a model, which no clock has seen. Of one core, whose table has a number for each instruction and whose pipeline adds nothing to it.

Cortex-M0+: `references/cortex-m0plus/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import msgspec

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.references import read_values, shown_place
from cipherstone.model.errors import DataError

Model = Callable[[Mapping[str, int], int, int], int | None]
NO_MODEL = (
    "modelled cycles are those of cortex-m0plus alone: Arm's tables have ranges for the M3 and M4 (what refills their "
    "pipeline takes 1 to 3 cycles, a division 2 to 12), and none is published for the M7 and M33"
)


class _Beside(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cycles: int
    instructions: tuple[str, ...]


class _Cycles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    beside: tuple[_Beside, ...]


@lru_cache(maxsize=1)
def beside() -> dict[str, int]:
    """By mnemonic, the cycles of an instruction beside one for itself, one for each access to memory, and one if it is a branch on a condition that is taken. Raises DataError for one that stands twice."""
    page, file = "cortex-m0plus", "cycles.toml"
    found: dict[str, int] = {}
    for row in read_values(data_root(), page, file, _Cycles).beside:
        for name in row.instructions:
            if name in found or row.cycles < 0:
                raise DataError(f"{shown_place(page, file)}: '{name}' stands twice, or has no cycles", "")
            found[name] = row.cycles
    return found


def cortex_m0plus(executed: Mapping[str, int], accesses: int, taken: int) -> int | None:
    """Cycles of a tally. `executed`: how often by mnemonic, as QEMU's disassembler has them, `/pc` where one writes the program counter; `accesses`: to memory; `taken`: branches on a condition that were. None where something was executed that the table has no number for."""
    known = beside()
    if not executed.keys() <= known.keys():
        return None
    return sum(count * (1 + known[name]) for name, count in executed.items()) + accesses + taken


MODELS: Mapping[str, Model] = {"cortex-m0plus": cortex_m0plus}
