# SPDX-License-Identifier: Apache-2.0
"""The interpreter's processor: registers and memory as integers, and a program run on them line by line."""

from __future__ import annotations

import re
from collections.abc import Callable

from cipherstone.isa.program import RING_STEP, KernelProgram
from cipherstone.isa.table import is_instruction
from cipherstone.model.errors import DataError

M64 = (1 << 64) - 1
Step = Callable[[], None]
Decoder = Callable[["Processor", str, list[str]], Step | None]  # None: an instruction that changes nothing
_SPLIT = re.compile(r",\s*(?![^\[{]*[\]}])")


class Processor:
    """`r`: registers by name, vectors as integers whose least significant byte is the first; `cf`, `of`: flags as 0 or 1; `memory`: 64-bit words.

    An address in a ring is the offset of its word from the start of the memory.
    """

    def __init__(self, program: KernelProgram, state: bytes) -> None:
        if len(state) != program.length:
            raise ValueError(f"{len(state)} bytes of state, expected {program.length}")
        self.program = program
        self.memory = [int.from_bytes(state[8 * i : 8 * i + 8], "little") for i in range(program.words)]
        self.r: dict[str, int] = {}
        at = 8 * program.words
        for register in program.registers:
            self.r[register.name] = int.from_bytes(state[at : at + register.bytes], "little")
            at += register.bytes
        self.cf = 0
        self.of = 0
        if program.ring:
            self.memory = [8 * ((i + RING_STEP) % program.words) for i in range(program.words)]
            for name in program.pointers:
                self.r[name] = 0

    def state(self) -> bytes:
        """What the call leaves: memory, then registers."""
        words = b"".join(word.to_bytes(8, "little") for word in self.memory)
        return words + b"".join(self.r[x.name].to_bytes(x.bytes, "little") for x in self.program.registers)


def run(program: KernelProgram, state: bytes, iterations: int | None, decoders: Decoder, clears_of: bool) -> bytes:
    """The state after `iterations` turns of the block (None: those of a whole call; 0: none). `clears_of`: the loop's own counting clears the overflow flag.

    Raises DataError for an instruction that the interpreter does not know.
    """
    processor = Processor(program, state)
    known: dict[str, Step | None] = {}
    steps: list[Step] = []
    for line in program.block:
        if not is_instruction(line):
            continue
        text = re.sub(r"^\d+:\s*", "", line)
        if text not in known:
            word, _, rest = text.partition(" ")
            operands = [operand.strip() for operand in _SPLIT.split(rest.strip())] if rest.strip() else []
            known[text] = decoders(processor, word, operands)
        step = known[text]
        if step is not None:
            steps.append(step)
    for _ in range(program.iterations if iterations is None else iterations):
        for step in steps:
            step()
        if clears_of:
            processor.of = 0
    return processor.state()


def unknown(program: KernelProgram, word: str) -> DataError:
    """The error for an instruction without semantics."""
    return DataError(
        f"kernels: {program.operation}: the interpreter does not know '{word}'",
        "give it semantics in isa, so that the kernel can be proven",
    )
