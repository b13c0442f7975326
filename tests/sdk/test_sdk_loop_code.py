# SPDX-License-Identifier: Apache-2.0
"""Looks at the machine code: the call is inside of the loop, alone, and the loop is alone between two clock readings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from sdk_build import COMPILER, CROSS_COMPILER, SDK, need_cross_compiler

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(\S+)\s*(.*)$")
FUNCTION = re.compile(r"^[0-9a-f]+ <(\w+)>:$")
RELOCATION = re.compile(r"^\s+[0-9a-f]+: R_\w+\s+(\w+)")
# Direct and indirect calls, and conditional jumps, of x86-64 and AArch64 as objdump prints them.
DIRECT = {"call", "callq", "bl"}
INDIRECT = {"blr"}
CONDITIONAL = re.compile(r"^(j[a-ln-z][a-z]*|b\.[a-z]+|cbn?z|tbn?z)$")


@dataclass
class Instruction:
    address: int
    name: str
    operands: str
    symbol: str = ""

    @property
    def indirect_call(self) -> bool:
        return self.name in INDIRECT or (self.name in DIRECT and self.operands.lstrip().startswith("*"))

    @property
    def call(self) -> bool:
        return self.name in DIRECT or self.indirect_call

    @property
    def target(self) -> int:
        """Address a conditional jump goes to."""
        found = re.search(r"([0-9a-f]+) <", self.operands)
        assert found is not None, self.operands
        return int(found[1], 16)


def functions(compiler: str, objdump: str, folder: Path, level: str) -> dict[str, list[Instruction]]:
    target = folder / "loop.o"
    source = SDK / "src" / "loop.c"
    subprocess.run(
        [compiler, "-std=c11", level, "-I", str(SDK / "include"), "-c", str(source), "-o", str(target)], check=True
    )
    text = subprocess.run(
        [objdump, "-dr", "--no-show-raw-insn", str(target)], capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, list[Instruction]] = {}
    current: list[Instruction] = []
    for line in text.splitlines():
        if name := FUNCTION.match(line):
            current = found.setdefault(name[1], [])
        elif relocation := RELOCATION.match(line):
            current[-1].symbol = relocation[1]
        elif parts := INSTRUCTION.match(line):
            current.append(Instruction(int(parts[1], 16), parts[2], parts[3]))
    return found


@pytest.fixture(params=[(machine, level) for machine in ("native", "aarch64") for level in ("-O2", "-O3", "-Os")])
def code(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, list[Instruction]]:
    machine, level = request.param
    if machine == "aarch64":
        compiler, objdump = need_cross_compiler(), CROSS_COMPILER.replace("gcc", "objdump")
    else:
        compiler, objdump = COMPILER, "objdump"
        if os.uname().machine not in ("x86_64", "aarch64", "arm64"):
            pytest.skip(f"this test cannot read the machine code of {os.uname().machine}")
    if shutil.which(objdump) is None:
        pytest.skip(f"{objdump} is not installed")
    return functions(compiler, objdump, tmp_path, level)


def test_loop_holds_one_indirect_call_and_no_other(code: dict[str, list[Instruction]]) -> None:
    body = code["cs_loop"]
    calls = [i for i in body if i.call]
    assert len(calls) == 1 and calls[0].indirect_call
    backward = [i for i in body if CONDITIONAL.match(i.name) and i.target < i.address]
    assert len(backward) == 1
    assert backward[0].target <= calls[0].address < backward[0].address
    inside = [i for i in body if backward[0].target <= i.address <= backward[0].address]
    # The argument, the call, the OR, the count, the jump; some compilers compare apart from counting.
    assert len(inside) <= 7, inside


def test_nothing_but_the_loop_and_the_clock_is_called_between_readings(code: dict[str, list[Instruction]]) -> None:
    calls = [i for i in code["cs_batches"] if i.call]
    direct = [i for i in calls if not i.indirect_call]
    assert len(direct) == 1 and "cs_loop" in direct[0].symbol + direct[0].operands
    # The reading that opens and the one that closes a batch, which opens the next; a compiler may lay out one of them twice.
    assert 2 <= len(calls) - 1 <= 3
