# SPDX-License-Identifier: Apache-2.0
"""Inputs, expected outputs and known answers of kernels: what makes them provable like any library's operation."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from cipherstone.catalogue.document import shown
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import Vector
from cipherstone.isa.examples import EXAMPLES, states
from cipherstone.isa.interpreter import final_state
from cipherstone.isa.program import IMPLEMENTATIONS, KERNEL, KernelProgram, calibrator, program
from cipherstone.isa.table import load_table
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import Case
from cipherstone.operations.kernels import isa_of
from cipherstone.operations.splitmix import splitmix64
from cipherstone.operations.values import InputValue

# A known answer runs the block this often, told as two bytes, least significant first, in `key`; without `key` a call has its full length. A published
# example, 0, runs the first element once.
VECTOR_TURNS = (1, 2)


def kernel_inputs(case: Case, form: str | None) -> dict[str, InputValue]:
    """The initial state of a call, as `msg`. `form`: the implementation. Words of registers that are sources alone are odd, so that products do not run out
    into zeros. Raises DataError for an operation that the table lacks."""
    return {"msg": InputValue(_state(_program(case.operation, form), zlib.crc32(case.operation.encode())))}


def kernel_output(operation: str, inputs: Mapping[str, bytes], form: str | None) -> bytes:
    """The state that a call must leave. Raises DataError, and UsageError for inputs of the wrong length."""
    chosen = _program(operation, form)
    state = inputs.get("msg", b"")
    if len(state) != chosen.length:
        raise UsageError(f"oracle: {operation}: {len(state)} bytes of state, expected {chosen.length}", "")
    turns = int.from_bytes(inputs["key"], "little") if inputs.get("key") else None
    if turns == 0:
        chosen, turns = msgspec.structs.replace(chosen, block=chosen.block[: chosen.element]), 1
    return _final(chosen, bytes(state), turns)


@lru_cache(maxsize=256)
def kernel_vectors(algorithm: str, root: Path | None = None) -> tuple[Vector, ...]:
    """Two short known answers for each verb and implementation, by the interpreter, and the published example where there is one. Raises DataError."""
    kernel = load_table(root or data_root(), isa_of(algorithm)).kernel(algorithm)
    vectors = []
    for verb in kernel.forms:
        for form in IMPLEMENTATIONS:
            if form == KERNEL and not kernel.assembled:
                continue
            chosen = _program(f"{algorithm}/{verb}", form, root)
            example = EXAMPLES.get(f"{algorithm}/{verb}") if form == KERNEL else None
            if example is not None:
                call = _Call(*states(chosen, example))
                vectors.append(_vector(verb, form, 0, call, example.source, "one element"))
            for turns in VECTOR_TURNS:
                before = _state(chosen, turns)
                call = _Call(before, _final(chosen, before, turns))
                note = f"{turns} x {chosen.instructions} instructions"
                vectors.append(_vector(verb, form, turns, call, "interpreter of the kernel table", note))
    return tuple(vectors)


class _Call(NamedTuple):
    """The state before a call, and the one that it must leave."""

    before: bytes
    after: bytes


def _vector(verb: str, form: str, turns: int, call: _Call, source: str, note: str) -> Vector:
    return Vector(
        id=f"{verb}-{form}-{turns}",
        verb=verb,
        inputs={"msg": call.before, "key": turns.to_bytes(2, "little")},
        output=call.after,
        expect="ok",
        form=cast(Any, form),
        brief=turns <= VECTOR_TURNS[0],
        source=source,
        note=note,
    )


def _program(operation: str, form: str | None, root: Path | None = None) -> KernelProgram:
    algorithm, _, verb = operation.partition("/")
    isa = isa_of(algorithm)
    chosen = program(load_table(root or data_root(), isa), algorithm, verb)
    if form in (None, KERNEL):
        return chosen
    if form not in IMPLEMENTATIONS:
        raise UsageError(f"kernels: {shown(form)} is not an implementation", nearest(str(form), IMPLEMENTATIONS))
    return calibrator(isa, form)


def _state(chosen: KernelProgram, seed: int) -> bytes:
    state = bytearray(splitmix64(seed, chosen.length))
    at = 8 * chosen.words
    for register in chosen.registers:
        if register.shared:
            for word in range(at, at + register.bytes, 8):
                state[word] |= 1
        at += register.bytes
    return bytes(state)


@lru_cache(maxsize=1024)
def _final(chosen: KernelProgram, state: bytes, turns: int | None) -> bytes:
    return final_state(chosen, state, turns)
