# SPDX-License-Identifier: Apache-2.0
"""What a program leaves, computed from the semantics of each of its instructions and of nothing else."""

from __future__ import annotations

from cipherstone.isa import aarch64, x86_scalar, x86_vector
from cipherstone.isa.processor import Processor, Step, run, unknown
from cipherstone.isa.program import KernelProgram


def final_state(program: KernelProgram, state: bytes, iterations: int | None = None) -> bytes:
    """The state after a call: `iterations` turns of the block, None for those of a whole call. `state`: `program.length` bytes. DataError, ValueError."""
    # x86-64 counts turns with DEC, which leaves the carry flag alone and clears the overflow flag; AArch64 counts without flags.
    if program.isa == "x86-64":
        return run(program, state, iterations, _x86, clears_of=True)
    return run(program, state, iterations, _aarch64, clears_of=False)


def _x86(processor: Processor, word: str, operands: list[str]) -> Step | None:
    step = x86_scalar.decode(processor, word, operands) or x86_vector.decode(processor, word, operands)
    if step is None:
        raise unknown(processor.program, word)
    return step


def _aarch64(processor: Processor, word: str, operands: list[str]) -> Step | None:
    if not aarch64.knows(word):
        raise unknown(processor.program, word)
    return aarch64.decode(processor, word, operands)
