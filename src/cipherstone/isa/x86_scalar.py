# SPDX-License-Identifier: Apache-2.0
"""What the scalar x86-64 instructions of the table do to registers and the two carry flags. Flags that no kernel reads are not kept."""

from __future__ import annotations

import re
from collections.abc import Callable

from cipherstone.isa.processor import M64, Processor, Step

_MEMORY = re.compile(r"\[rdi\+(\d+)\]\Z")
_INDIRECT = re.compile(r"\[(r\w+)\]\Z")
_SUM = re.compile(r"\[(r\w+)\+(r\w+)\]\Z")
_LOWER = re.compile(r"(r\d+)d\Z|e([a-z]{2})\Z")
_M32 = (1 << 32) - 1
Read = Callable[[], int]
Write = Callable[[int], None]


def _reader(m: Processor, operand: str) -> Read:
    """Register, immediate, word of memory, or word at the address in a register."""
    r, memory = m.r, m.memory
    if operand in r:
        return lambda: r[operand]
    if fixed := _MEMORY.match(operand):
        word = int(fixed[1]) // 8
        return lambda: memory[word]
    if through := _INDIRECT.match(operand):
        name = through[1]
        return lambda: memory[r[name] // 8]
    value = int(operand, 0) & M64
    return lambda: value


def _writer(m: Processor, operand: str) -> Write:
    r, memory = m.r, m.memory
    if fixed := _MEMORY.match(operand):
        word = int(fixed[1]) // 8
        return lambda value: memory.__setitem__(word, value)
    return lambda value: r.__setitem__(operand, value)


def decode(m: Processor, word: str, ops: list[str]) -> Step | None:
    """The step of an instruction, or None if `word` is not known here."""
    make = _KNOWN.get(word)
    return None if make is None else make(m, ops)


def _add(m: Processor, ops: list[str]) -> Step:
    d, r, source = ops[0], m.r, _reader(m, ops[1])

    def step() -> None:
        total = r[d] + source()
        r[d] = total & M64
        m.cf = total >> 64

    return step


def _adc(m: Processor, ops: list[str]) -> Step:
    d, r, source = ops[0], m.r, _reader(m, ops[1])

    def step() -> None:
        total = r[d] + source() + m.cf
        r[d] = total & M64
        m.cf = total >> 64

    return step


def _adox(m: Processor, ops: list[str]) -> Step:
    d, r, source = ops[0], m.r, _reader(m, ops[1])

    def step() -> None:
        total = r[d] + source() + m.of
        r[d] = total & M64
        m.of = total >> 64

    return step


def _mul(m: Processor, ops: list[str]) -> Step:
    r, source = m.r, _reader(m, ops[0])

    def step() -> None:
        product = r["rax"] * source()
        r["rax"], r["rdx"] = product & M64, product >> 64
        m.cf = m.of = int(product >> 64 != 0)

    return step


def _mulx(m: Processor, ops: list[str]) -> Step:
    r, high, low, source = m.r, ops[0], ops[1], _reader(m, ops[2])

    def step() -> None:
        product = r["rdx"] * source()
        r[low] = product & M64
        r[high] = product >> 64  # after the low half: both may name one register, and then the high half stays

    return step


def _imul(m: Processor, ops: list[str]) -> Step:
    if _LOWER.match(ops[0]):
        return _low_imul(m, ops)
    d, r, source = ops[0], m.r, _reader(m, ops[1])

    def step() -> None:
        product = _signed(r[d]) * _signed(source())
        r[d] = product & M64
        m.cf = m.of = int(product != _signed(r[d]))

    return step


def _low_imul(m: Processor, ops: list[str]) -> Step:
    """Of the lower halves of two registers; the upper half becomes zero."""
    r, d, source = m.r, _whole(ops[0]), _whole(ops[1])

    def step() -> None:
        product = _signed(r[d] << 32 & M64) // (1 << 32) * (_signed(r[source] << 32 & M64) // (1 << 32))
        r[d] = product & _M32
        m.cf = m.of = int(product != _signed(r[d] << 32 & M64) // (1 << 32))

    return step


def _whole(name: str) -> str:
    """The register whose lower half is called `name`."""
    match = _LOWER.match(name)
    if match is None:
        raise ValueError(f"'{name}' is not the lower half of a register")
    return match[1] or f"r{match[2]}"


def _signed(value: int) -> int:
    return value - (value >> 63 << 64)


def _lea(m: Processor, ops: list[str]) -> Step:
    match = _SUM.match(ops[1])
    if match is None:
        raise ValueError(f"lea: '{ops[1]}' is not [register+register]")
    d, r, base, index = ops[0], m.r, match[1], match[2]

    def step() -> None:
        r[d] = r[base] + r[index] & M64

    return step


def _rotate(m: Processor, ops: list[str]) -> Step:
    """ROR of one register, by a number or by CL; RORX of one into another."""
    d, r, source = ops[0], m.r, ops[-2]
    if ops[-1] == "cl":

        def by_register() -> None:
            count = r["rcx"] & 63
            value = r[d]
            r[d] = (value >> count | value << (64 - count)) & M64

        return by_register
    count = int(ops[-1])

    def step() -> None:
        value = r[source]
        r[d] = (value >> count | value << (64 - count)) & M64

    return step


def _shl(m: Processor, ops: list[str]) -> Step:
    d, r, count = ops[0], m.r, int(ops[1])

    def step() -> None:
        r[d] = r[d] << count & M64

    return step


def _mov(m: Processor, ops: list[str]) -> Step:
    write, read = _writer(m, ops[0]), _reader(m, ops[1])
    return lambda: write(read())


def _xor(m: Processor, ops: list[str]) -> Step:
    d, r, source = ops[0], m.r, _reader(m, ops[1])

    def step() -> None:
        r[d] ^= source()
        m.cf = m.of = 0

    return step


def _and(m: Processor, ops: list[str]) -> Step:
    d, r, source = ops[0], m.r, _reader(m, ops[1])

    def step() -> None:
        r[d] &= source()
        m.cf = m.of = 0

    return step


def _not(m: Processor, ops: list[str]) -> Step:
    d, r = ops[0], m.r

    def step() -> None:
        r[d] ^= M64

    return step


def _andn(m: Processor, ops: list[str]) -> Step:
    d, inverted, source, r = ops[0], ops[1], ops[2], m.r

    def step() -> None:
        r[d] = (r[inverted] ^ M64) & r[source]

    return step


def _branch(m: Processor, ops: list[str]) -> Step:
    """To the next instruction, taken or not; nothing for NOP."""
    return lambda: None


_KNOWN: dict[str, Callable[[Processor, list[str]], Step]] = {
    "add": _add,
    "adc": _adc,
    "adcx": _adc,
    "adox": _adox,
    "mul": _mul,
    "mulx": _mulx,
    "imul": _imul,
    "lea": _lea,
    "ror": lambda m, ops: _rotate(m, [ops[0], ops[0], ops[1]]),
    "rorx": _rotate,
    "shl": _shl,
    "mov": _mov,
    "xor": _xor,
    "and": _and,
    "not": _not,
    "andn": _andn,
    "jmp": _branch,
    "jb": _branch,
    "nop": _branch,
}
