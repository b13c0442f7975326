# SPDX-License-Identifier: Apache-2.0
"""Modelled cycles of a tally, by hand from Arm DDI 0484C; the board: tests/labs/test_counting_modelled.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherstone.build.counter import Watching, plugin_words, tallies
from cipherstone.build.targets import TARGETS
from cipherstone.isa.mnemonics import class_of
from cipherstone.isa.modelled import MODELS, beside, cortex_m0plus


@pytest.mark.parametrize(
    ("executed", "accesses", "taken", "cycles"),
    [
        ({}, 0, 0, 0),
        ({"adds": 3, "muls": 1, "lsls": 2}, 0, 0, 6),
        ({"ldr": 2, "strb": 1}, 3, 0, 6),
        ({"push": 1, "ldm": 1}, 3 + 4, 0, 1 + 3 + 1 + 4),
        ({"pop/pc": 2}, 2 * 5, 0, 2 * (3 + 5)),
        ({"bne": 10}, 0, 7, 7 * 2 + 3),
        ({"b": 1, "bx": 1, "blx": 1, "mov/pc": 1, "add/pc": 1}, 0, 0, 5 * 2),
        ({"bl": 1, "mrs": 1, "dsb": 1, "isb": 1}, 0, 0, 4 * 3),
    ],
)
def test_cycles_of_a_tally(executed: dict[str, int], accesses: int, taken: int, cycles: int) -> None:
    assert cortex_m0plus(executed, accesses, taken) == cycles


@pytest.mark.parametrize("name", ["?", "umull", "udiv", "ldrex", "cbz", "svc", "bkpt", "ldr/pc"])
def test_what_the_table_has_no_number_for_has_no_cycles(name: str) -> None:
    assert cortex_m0plus({"adds": 1, name: 1}, 1, 0) is None


def test_the_model_is_of_a_target_and_knows_its_branches() -> None:
    assert MODELS.keys() == {"cortex-m0plus"} <= TARGETS.keys()
    known = beside()
    branches = {name for name in known if class_of("arm", name) == "branch"}
    assert branches >= {name for name, more in known.items() if more} - {
        "mrs",
        "msr",
        "dmb",
        "dsb",
        "isb",
        "wfe",
        "wfi",
    }
    assert {name for name in branches if not known[name]} == {name for name in known if len(name) == 3 and name[0] == "b" and name != "blx"}  # fmt: skip


def test_what_is_told_on_request_is_no_instruction(tmp_path: Path) -> None:
    """A dot before its name; without a model there are no cycles."""
    out = tmp_path / "calls"
    out.write_text("3 1 0 .unstored=40 .taken=5 ldm=1 str=1 beq=6\n1 0 0 .taken=0 ldr=1\n")
    told, nothing = tallies(out, "arm", model=cortex_m0plus)
    assert (told.instructions, told.cycles, told.unstored) == (8, 8 + 4 + 5, 40)
    assert (nothing.cycles, nothing.unstored, told.without(nothing).cycles) == (2, None, 15)
    (plain, _) = tallies(out, "arm")
    assert plain.cycles is None and plain.without(plain).cycles is None
    watching = Watching((), (0x30, 4), True)
    *_, words = plugin_words(Path("/counter.so"), (0x10, 0x20), Path("/calls"), watching)
    assert words == "/counter.so,begin=10,end=20,out=/calls,paint=30+4,branches=taken"
