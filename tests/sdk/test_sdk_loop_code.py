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
from sdk_build import COMPILER, CROSS_COMPILER, SDK, compile_c, link_with_sdk, need_cross_compiler

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(\S+)\s*(.*)$")
# A copy that the compiler made for constant arguments has a longer name.
FUNCTION = re.compile(r"^[0-9a-f]+ <(\w+)(?:\.constprop\.\d+)?>:$")
RELOCATION = re.compile(r"^\s+[0-9a-f]+: R_\w+\s+(\w+)")
# Direct and indirect calls, and conditional jumps, of x86-64 and AArch64 as objdump prints them.
DIRECT = {"call", "callq", "bl"}
# What may stand in the timed interval beside the call of the loop: its arguments and the next reading's, the OR of the status, and addresses.
PLAIN = {"mov", "movl", "movq", "movslq", "lea", "add", "addq", "or", "orr", "ldr", "ldp", "str", "nop"}
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

    def calls(self, function: str) -> bool:
        """Whether this is a direct call of `function`."""
        return self.call and not self.indirect_call and function in self.symbol + self.operands

    @property
    def padding(self) -> bool:
        """Whether it does nothing: it moves the next one to a round address."""
        return (
            self.name.startswith("nop") or "nopw" in self.operands or (self.name, self.operands) == ("xchg", "%ax,%ax")
        )

    @property
    def target(self) -> int:
        """Address a conditional jump goes to."""
        found = re.search(r"([0-9a-f]+) <", self.operands)
        assert found is not None, self.operands
        return int(found[1], 16)


def functions(compiler: str, objdump: str, folder: Path, flags: list[str]) -> dict[str, list[Instruction]]:
    """The machine code of loop.c. With -flto, of a whole worker, because there is none before linking."""
    if "-flto" in flags:
        target = folder / "worker"
        adapter = SDK / "tests" / "toy_adapter.c"
        link_with_sdk(compiler, adapter, target, *flags)
    else:
        target = folder / "loop.o"
        compile_c(compiler, *flags, "-I", str(SDK / "include"), "-c", str(SDK / "src" / "loop.c"), "-o", str(target))
    text = subprocess.run(
        [objdump, "-dr", "--no-show-raw-insn", str(target)], capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, list[Instruction]] = {}
    current: list[Instruction] = []
    for line in text.splitlines():
        if line.endswith(">:"):
            name = FUNCTION.match(line)
            current = found.setdefault(name[1], []) if name else []
        elif relocation := RELOCATION.match(line):
            current[-1].symbol = relocation[1]
        elif parts := INSTRUCTION.match(line):
            current.append(Instruction(int(parts[1], 16), parts[2], parts[3]))
    return found


BUILDS = [f"{level}{lto}" for level in ("-O2", "-O3", "-Os") for lto in ("", " -flto")]


@pytest.fixture(
    scope="module", params=[(machine, flags) for machine in ("native", "aarch64") for flags in BUILDS], ids=" ".join
)
def code(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Instruction]]:
    machine, flags = request.param
    folder = tmp_path_factory.mktemp("code")
    if machine == "aarch64":
        compiler, objdump = need_cross_compiler(), CROSS_COMPILER.replace("gcc", "objdump")
    else:
        compiler, objdump = COMPILER, "objdump"
        if os.uname().machine not in ("x86_64", "aarch64", "arm64"):
            pytest.skip(f"this test cannot read the machine code of {os.uname().machine}")
    if shutil.which(objdump) is None:
        pytest.skip(f"{objdump} is not installed")
    if "-flto" in flags and not has_lto(compiler, folder):
        pytest.skip(f"{compiler} has no -flto")
    return functions(compiler, objdump, folder, flags.split())


def has_lto(compiler: str, folder: Path) -> bool:
    """Whether the compiler and its linker can do it."""
    (folder / "try.c").write_text("int main(void) { return 0; }\n")
    trial = [compiler, "-flto", str(folder / "try.c"), "-o", str(folder / "try")]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


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
    assert len(direct) == 1 and direct[0].calls("cs_loop")
    # The reading that opens and the one that closes a batch, which opens the next; a compiler may lay out one of them twice.
    assert 2 <= len(calls) - 1 <= 3


@dataclass
class Interval:
    """A timed interval: the call of the clock that opens it, the call of the loop, the call that closes it, and what stands between them."""

    opening: Instruction
    loop: Instruction
    closing: Instruction
    inside: list[Instruction]


def interval(body: list[Instruction]) -> Interval:
    """The only one of a function, by the order of its code."""
    (at,) = (place for place, i in enumerate(body) if i.calls("cs_loop"))
    begin = max(place for place in range(at) if body[place].call)
    end = min(place for place in range(at + 1, len(body)) if body[place].call)
    inside = [i for i in body[begin + 1 : at] + body[at + 1 : end] if not i.padding]
    return Interval(body[begin], body[at], body[end], inside)


@pytest.mark.parametrize("function", ["cs_batches", "cs_batches_around"])
def test_the_timed_interval_holds_the_loop_and_nothing_else(code: dict[str, list[Instruction]], function: str) -> None:
    """Two calls of the clock, the call of the loop, and moves for their arguments. Nothing was hoisted or sunk into it: no arithmetic of a probe, no jump."""
    found = interval(code[function])
    assert found.opening.indirect_call and found.closing.indirect_call
    # At most the loop's three arguments, the next reading's two, the status, and addresses of readings.
    assert len(found.inside) <= 9, found.inside
    assert {i.name for i in found.inside} <= PLAIN, found.inside


def test_a_call_apart_is_all_that_its_readings_hold(code: dict[str, list[Instruction]]) -> None:
    """What is done before each call, two readings of which the first fetches the clock, the call, a reading."""
    body = code["cs_calls_apart"]
    places = [place for place, i in enumerate(body) if i.call and i.indirect_call]
    assert len(places) >= 4  # where a whole worker is optimised at once, the first may be called by its name
    opening, call, closing = places[-3:]
    inside = [i for i in body[opening + 1 : call] + body[call + 1 : closing] if not i.padding]
    assert len(inside) <= 9, inside
    assert {i.name for i in inside} <= PLAIN, inside


def test_a_batch_between_probes_has_readings_of_its_own(code: dict[str, list[Instruction]]) -> None:
    """A probe first; then over and over a reading, the loop, a reading, a probe."""
    body = code["cs_batches_around"]
    found = interval(body)
    (jump,) = (
        i
        for i in body
        if CONDITIONAL.match(i.name) and i.target <= found.opening.address and i.address > found.closing.address
    )
    calls = [i for i in body if i.call]
    first = [i for i in calls if i.address < jump.target]
    again = [i for i in calls if jump.target <= i.address < jump.address]
    assert first and again[3:] and len(first) + len(again) == len(calls)
    assert again[:3] == [found.opening, found.loop, found.closing]
    # Where a whole worker is optimised at once, the calls that a probe is made of may stand here in its place.
    probes = first + again[3:]
    if len(probes) == 2:
        assert all(i.calls("cs_probe_read") for i in probes)
