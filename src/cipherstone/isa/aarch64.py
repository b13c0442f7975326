# SPDX-License-Identifier: Apache-2.0
"""What the AArch64 instructions of the table do to registers and the carry flag (Arm Architecture Reference Manual for A-profile)."""

from __future__ import annotations

import re
from collections.abc import Callable

from cipherstone.isa import fields
from cipherstone.isa.processor import M64, Processor, Step
from cipherstone.isa.x86_vector import lane_sum

_MEMORY = re.compile(r"\[x0, #(\d+)\]\Z")
_VECTOR = re.compile(r"\{?[vq](\d+)")
Make = Callable[[Processor, list[str]], Step]
Pair = Callable[[int, int], int]


def decode(m: Processor, word: str, ops: list[str]) -> Step | None:
    """The step of an instruction, or None if `word` is not known here or changes nothing."""
    make = _KNOWN.get(word)
    return None if make is None else make(m, ops)


def knows(word: str) -> bool:
    """Whether `decode` knows the instruction."""
    return word in _KNOWN or word == "nop"


def _source(m: Processor, name: str) -> str:
    """A register's key; `xzr` is one that is never written."""
    if name == "xzr":
        m.r.setdefault("xzr", 0)
    return name


def _vector(name: str) -> str:
    match = _VECTOR.match(name)
    if match is None:
        raise ValueError(f"'{name}' is not a vector register")
    return f"v{match[1]}"


def _sum(carry_in: bool, carry_out: bool) -> Make:
    def make(m: Processor, ops: list[str]) -> Step:
        r, d, a, b = m.r, ops[0], _source(m, ops[1]), _source(m, ops[2])

        def step() -> None:
            total = r[a] + r[b] + (m.cf if carry_in else 0)
            r[d] = total & M64
            if carry_out:
                m.cf = total >> 64

        return step

    return make


def _add(m: Processor, ops: list[str]) -> Step:
    return _lanes(32, m, ops) if ops[0][0] == "v" else _sum(False, False)(m, ops)


def _product(high: bool) -> Make:
    def make(m: Processor, ops: list[str]) -> Step:
        r, d, a, b = m.r, *ops[:3]
        if d[0] == "w":
            return _low_madd(m, [*ops[:3], "wzr"])

        def step() -> None:
            product = r[a] * r[b]
            r[d] = product >> 64 if high else product & M64

        return step

    return make


def _low_madd(m: Processor, ops: list[str]) -> Step:
    """The W form: of the lower halves, and what is above becomes zero."""
    r, (d, a, b, c) = m.r, (_source(m, name.replace("w", "x", 1)) for name in ops[:4])

    def step() -> None:
        r[d] = r[a] * r[b] + r[c] & fields.M32

    return step


def _madd(m: Processor, ops: list[str]) -> Step:
    if ops[0][0] == "w":
        return _low_madd(m, ops)
    r, d, a, b, c = m.r, *ops[:4]

    def step() -> None:
        r[d] = r[a] * r[b] + r[c] & M64

    return step


def _ror64(value: int, count: int) -> int:
    return (value >> count | value << (64 - count)) & M64


def _ror(m: Processor, ops: list[str]) -> Step:
    r, d, a, count = m.r, ops[0], ops[1], int(ops[2].removeprefix("#"))

    def step() -> None:
        r[d] = _ror64(r[a], count)

    return step


def _eor(m: Processor, ops: list[str]) -> Step:
    if ops[0][0] == "v":
        return _vectors(lambda a, b: a ^ b)(m, ops)
    r, d, a, b = m.r, *ops[:3]
    count = int(ops[3].removeprefix("ror #")) if len(ops) > 3 else 64

    def step() -> None:
        r[d] = r[a] ^ _ror64(r[b], count)

    return step


def _word(text: str) -> int:
    match = _MEMORY.match(text)
    if match is None:
        raise ValueError(f"'{text}' is not a word of the memory")
    return int(match[1]) // 8


def _ldr(m: Processor, ops: list[str]) -> Step:
    r, memory, d, word = m.r, m.memory, ops[0], _word(ops[1])

    def step() -> None:
        r[d] = memory[word]

    return step


def _str(m: Processor, ops: list[str]) -> Step:
    r, memory, source, word = m.r, m.memory, ops[0], _word(ops[1])

    def step() -> None:
        memory[word] = r[source]

    return step


def _vectors(function: Pair) -> Make:
    """A destination from the last two operands."""

    def make(m: Processor, ops: list[str]) -> Step:
        r, d, a, b = m.r, _vector(ops[0]), _vector(ops[-2]), _vector(ops[-1])

        def step() -> None:
            r[d] = function(r[a], r[b])

        return step

    return make


def _lanes(bits: int, m: Processor, ops: list[str]) -> Step:
    return _vectors(lane_sum(bits)(128, []))(m, ops)


def _tbl(data: int, index: int) -> int:
    table = data.to_bytes(16, "little")
    return int.from_bytes(bytes(table[i] if i < 16 else 0 for i in index.to_bytes(16, "little")), "little")


def _umlal(m: Processor, ops: list[str]) -> Step:
    r, d, a, b = m.r, _vector(ops[0]), _vector(ops[1]), _vector(ops[2])

    def step() -> None:
        result = 0
        for lane in range(2):
            product = (r[a] >> 32 * lane & fields.M32) * (r[b] >> 32 * lane & fields.M32)
            result |= ((r[d] >> 64 * lane) + product & M64) << 64 * lane
        r[d] = result

    return step


def _pmull(a: int, b: int) -> int:
    return fields.carryless(a & M64, b & M64)


def _aese(a: int, key: int) -> int:
    return fields.look_up(fields.last_round(), a ^ key)


def _aesmc(_: int, a: int) -> int:
    return fields.look_up(fields.mix_columns(), a)


def _four_rounds(abcd: int, efgh: int, words: int) -> fields.Eight:
    state: fields.Eight = (*fields.words32(abcd), *fields.words32(efgh))
    for wk in fields.words32(words):
        state = fields.sha256_round(state, wk)
    return state


def _sha256h(m: Processor, ops: list[str]) -> Step:
    r, d, other, w = m.r, *map(_vector, ops)

    def step() -> None:
        r[d] = fields.block32(*_four_rounds(r[d], r[other], r[w])[:4])

    return step


def _sha256h2(m: Processor, ops: list[str]) -> Step:
    r, d, other, w = m.r, *map(_vector, ops)

    def step() -> None:
        r[d] = fields.block32(*_four_rounds(r[other], r[d], r[w])[4:])

    return step


def _sha256su0(a: int, b: int) -> int:
    w0, w1, w2, w3 = fields.words32(a)
    s = fields.sigma0
    return fields.block32(w0 + s(w1), w1 + s(w2), w2 + s(w3), w3 + s(b & fields.M32))


def _sha256su1(m: Processor, ops: list[str]) -> Step:
    r, d, a, b = m.r, *map(_vector, ops)

    def step() -> None:
        d0, d1, d2, d3 = fields.words32(r[d])
        _, n1, n2, n3 = fields.words32(r[a])
        m0, _, m2, m3 = fields.words32(r[b])
        s = fields.sigma1
        w0, w1 = d0 + n1 + s(m2) & fields.M32, d1 + n2 + s(m3) & fields.M32
        r[d] = fields.block32(w0, w1, d2 + n3 + s(w0), d3 + m0 + s(w1))

    return step


_KNOWN: dict[str, Make] = {
    "add": _add,
    "adc": _sum(True, False),
    "adds": _sum(False, True),
    "adcs": _sum(True, True),
    "mul": _product(False),
    "umulh": _product(True),
    "madd": _madd,
    "ror": _ror,
    "eor": _eor,
    "ldr": _ldr,
    "str": _str,
    "tbl": _vectors(_tbl),
    "umlal": _umlal,
    "pmull": _vectors(_pmull),
    "aese": _vectors(_aese),
    "aesmc": _vectors(_aesmc),
    "sha256h": _sha256h,
    "sha256h2": _sha256h2,
    "sha256su0": _vectors(_sha256su0),
    "sha256su1": _sha256su1,
}
