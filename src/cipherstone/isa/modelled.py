# SPDX-License-Identifier: Apache-2.0
"""Cycles by a published table of instruction timings, from what was executed: a model, which no clock has seen. Of one core, whose table has a number for each instruction and whose pipeline adds nothing to it.

Cortex-M0+: Arm DDI 0484C, table 3-1, for memory without wait states. An implementer chooses a multiplier of one cycle, which is taken here, or of 32, and a port beside the bus, which no memory of ours is behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

# What an instruction takes beside one cycle for itself, one for each access to memory, and one if it is a branch on a condition that is taken. POP with the program counter takes 3 + N.
_TWO, _THREE = ("b", "bx", "blx", "mov/pc", "add/pc", "wfe", "wfi"), ("bl", "pop/pc", "mrs", "msr", "dmb", "dsb", "isb")
_ONE = (
    *("adcs", "add", "adds", "adr", "ands", "asrs", "bics", "cmn", "cmp", "cpsid", "cpsie", "eors", "lsls", "lsrs"),
    *("mov", "movs", "muls", "mvns", "negs", "nop", "orrs", "rev", "rev16", "revsh", "rors", "rsbs", "sbcs", "sev"),
    *("sub", "subs", "sxtb", "sxth", "tst", "uxtb", "uxth", "yield"),
)
_ACCESS = ("ldm", "ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "pop", "push", "stm", "str", "strb", "strh")
_CONDITIONAL = tuple(f"b{name}" for name in "eq ne hs lo mi pl vs vc hi ls ge lt gt le".split())
_BESIDE = dict.fromkeys((*_ONE, *_ACCESS, *_CONDITIONAL), 0) | dict.fromkeys(_TWO, 1) | dict.fromkeys(_THREE, 2)

Model = Callable[[Mapping[str, int], int, int], int | None]
NO_MODEL = (
    "modelled cycles are those of cortex-m0plus alone: Arm's tables have ranges for the M3 and M4 (what refills their "
    "pipeline takes 1 to 3 cycles, a division 2 to 12), and none is published for the M7 and M33"
)


def cortex_m0plus(executed: Mapping[str, int], accesses: int, taken: int) -> int | None:
    """Cycles of a tally. `executed`: how often by mnemonic, as QEMU's disassembler has them, `/pc` where one writes the program counter; `accesses`: to memory; `taken`: branches on a condition that were. None where something was executed that the table has no number for."""
    if not executed.keys() <= _BESIDE.keys():
        return None
    return sum(count * (1 + _BESIDE[name]) for name, count in executed.items()) + accesses + taken


MODELS: Mapping[str, Model] = {"cortex-m0plus": cortex_m0plus}
