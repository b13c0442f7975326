# SPDX-License-Identifier: Apache-2.0
"""Every scalar instruction that the interpreter knows, one by one, against Python's integers: results, and the flags that the next instruction finds."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from test_kernels_interpreter import execute

from cipherstone.isa import aarch64, x86_scalar
from cipherstone.isa.interpreter import final_state
from cipherstone.isa.program import KERNEL, KernelProgram, Register
from cipherstone.isa.table import Isa
from cipherstone.model.errors import DataError

M64, M32 = (1 << 64) - 1, (1 << 32) - 1
RANDOM = random.Random(9)
EDGES = (0, 1, 5, 1 << 63, M64 - 1, M64)
PAIRS = [(a, b) for a in EDGES for b in EDGES] + [(RANDOM.getrandbits(64), RANDOM.getrandbits(64)) for _ in range(12)]


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def signed32(value: int) -> int:
    return ((value & M32) ^ 1 << 31) - (1 << 31)


def rotated(value: int, count: int) -> int:
    return (value >> count | value << 64 - count) & M64 if count else value


# A product that does not fit sets both flags.
SET = "mov r10, 0x7fffffffffffffff; imul r10, r10"
# word -> (a line that changes r8 by r9, the result, the carry and the overflow that it leaves); None: as before.
Figure = Callable[[int, int], int]
Flag = Callable[[int, int], bool] | None
X86: dict[str, tuple[str, Figure, Flag, Flag]] = {
    "add": ("add r8, r9", lambda a, b: a + b, lambda a, b: a + b > M64, None),
    "adc": ("adc r8, r9", lambda a, b: a + b + 1, lambda a, b: a + b + 1 > M64, None),
    "adcx": ("adcx r8, r9", lambda a, b: a + b + 1, lambda a, b: a + b + 1 > M64, None),
    "adox": ("adox r8, r9", lambda a, b: a + b + 1, None, lambda a, b: a + b + 1 > M64),
    "imul": (
        "imul r8, r9",
        lambda a, b: a * b,
        lambda a, b: signed(a) * signed(b) != signed(a * b & M64),
        lambda a, b: signed(a) * signed(b) != signed(a * b & M64),
    ),
    "imul of 32 bits": (
        "imul r8d, r9d",
        lambda a, b: a * b & M32,
        lambda a, b: signed32(a) * signed32(b) != signed32(a * b),
        lambda a, b: signed32(a) * signed32(b) != signed32(a * b),
    ),
    "lea": ("lea r8, [r8+r9]", lambda a, b: a + b, None, None),
    "ror": ("ror r8, 13", lambda a, b: rotated(a, 13), None, None),
    "rorx": ("rorx r8, r9, 60", lambda a, b: rotated(b, 60), None, None),
    "shl": ("shl r8, 3", lambda a, b: a << 3, None, None),
    "mov": ("mov r8, r9", lambda a, b: b, None, None),
    "xor": ("xor r8, r9", lambda a, b: a ^ b, lambda a, b: False, lambda a, b: False),
    "and": ("and r8, r9", lambda a, b: a & b, lambda a, b: False, lambda a, b: False),
    "not": ("not r8", lambda a, b: a ^ M64, None, None),
    "andn": ("andn r8, r8, r9", lambda a, b: ~a & b, None, None),
    "jmp": ("jmp 1f", lambda a, b: a, None, None),
    "jb": ("jb 1f", lambda a, b: a, None, None),
    "nop": ("nop", lambda a, b: a, None, None),
}
OF_TWO_WORDS = {"mul", "mulx"}  # which are below


def flags_and_result(line: str, a: int, b: int) -> tuple[int, int, int]:
    """r8, carry and overflow after a line that found both flags set."""
    registers = {"r8": a, "r9": b, "r10": 0, "r11": 0, "r12": 0, "r13": 0}
    # The flags are read by adding nothing but each of them.
    left = execute("x86-64", f"{SET}; {line}; adcx r11, r12; adox r13, r12", registers)
    return left["r8"], left["r11"], left["r13"]


def test_all_scalar_instructions_are_here() -> None:
    assert {word for word in X86 if " " not in word} | OF_TWO_WORDS == set(x86_scalar._KNOWN)


@pytest.mark.parametrize("word", X86)
def test_an_x86_64_instruction(word: str) -> None:
    line, result, carry, overflow = X86[word]
    for a, b in PAIRS:
        left, cf, of = flags_and_result(line, a, b)
        assert left == result(a, b) & M64, (word, a, b)
        assert cf == (1 if carry is None else carry(a, b)), (word, a, b)
        assert of == (1 if overflow is None else overflow(a, b)), (word, a, b)


def test_products_of_two_words() -> None:
    for a, b in PAIRS:
        left = execute("x86-64", f"{SET}; mul r8; adcx r11, r12; adox r13, r12", registers(a, b))
        assert left["rdx"] << 64 | left["rax"] == a * b
        assert left["r11"] == left["r13"] == (a * b > M64)
        left = execute("x86-64", f"mov rdx, rax; {SET}; mulx r9, r13, r8; adcx r11, r12; mov r12, 0", registers(a, b))
        assert left["r9"] << 64 | left["r13"] == a * b and left["r11"] == 1  # which keeps the flags
        both = execute("x86-64", "mov rdx, rax; mulx r9, r9, r8", registers(a, b))
        assert both["r9"] == a * b >> 64  # the high half stays


def registers(a: int, b: int) -> dict[str, int]:
    return {"r8": a, "r9": 0, "r10": 0, "r11": 0, "r12": 0, "r13": 0, "rax": b, "rdx": 0}


def test_a_rotation_by_cl_takes_six_bits_of_it() -> None:
    for count in (1, 13, 63, 64 + 7, 0xFF00 + 9):
        left = execute("x86-64", "ror r8, cl", {"r8": 0x0123456789ABCDEF, "rcx": count})
        assert left["r8"] == rotated(0x0123456789ABCDEF, count % 64), count


def test_immediates_are_words() -> None:
    assert execute("x86-64", "mov r8, -1; add r9, 0x10", {"r8": 0, "r9": 1}) == {"r8": M64, "r9": 17}


# word -> (a line that changes x1 by x2 and x3, the result, the carry that it leaves; None: as before)
ARM: dict[str, tuple[str, Figure, Flag]] = {
    "add": ("add x1, x1, x2", lambda a, b: a + b, None),
    "adc": ("adc x1, x1, x2", lambda a, b: a + b + 1, None),
    "adds": ("adds x1, x1, x2", lambda a, b: a + b, lambda a, b: a + b > M64),
    "adcs": ("adcs x1, x1, x2", lambda a, b: a + b + 1, lambda a, b: a + b + 1 > M64),
    "mul": ("mul x1, x1, x2", lambda a, b: a * b, None),
    "mul of 32 bits": ("mul w1, w1, w2", lambda a, b: a * b & M32, None),
    "madd of 32 bits": ("madd w1, w1, w2, w3", lambda a, b: a * b + 77 & M32, None),
    "umulh": ("umulh x1, x1, x2", lambda a, b: a * b >> 64, None),
    "madd": ("madd x1, x1, x2, x3", lambda a, b: a * b + 77, None),
    "ror": ("ror x1, x2, #13", lambda a, b: rotated(b, 13), None),
    "eor": ("eor x1, x1, x2", lambda a, b: a ^ b, None),
    "eor rotated": ("eor x1, x1, x2, ror #60", lambda a, b: a ^ rotated(b, 60), None),
    "from xzr": ("add x1, x1, xzr", lambda a, b: a, None),
}
ON_VECTORS = set("tbl umlal pmull aese aesmc sha256h sha256h2 sha256su0 sha256su1".split())
ON_MEMORY = {"ldr", "str"}


def test_all_scalar_instructions_of_aarch64_are_here() -> None:
    assert {word for word in ARM if " " not in word} | ON_VECTORS | ON_MEMORY == set(aarch64._KNOWN)


@pytest.mark.parametrize("word", ARM)
def test_an_aarch64_instruction(word: str) -> None:
    line, result, carry = ARM[word]
    for a, b in PAIRS:
        start = {"x1": a, "x2": b, "x3": 77, "x4": M64, "x5": 1, "x6": 0}
        left = execute("aarch64", f"adds x4, x4, x5; {line}; adc x6, xzr, xzr", start)
        assert left["x1"] == result(a, b) & M64, (word, a, b)
        assert left["x6"] == (1 if carry is None else carry(a, b)), (word, a, b)


def test_products_of_halves_are_added_lane_by_lane() -> None:
    """UMLAL: two products of 32 bits, each added to a lane of 64 bits without a carry into the next."""
    a, b = (words(RANDOM.getrandbits(32), RANDOM.getrandbits(32)) for _ in range(2))
    for d in (0, M64, M64 << 64 | M64):
        left = execute("aarch64", "umlal v1.2d, v2.2s, v3.2s", {"v1": d, "v2": a, "v3": b})["v1"]
        for lane in range(2):
            product = (a >> 32 * lane & 0xFFFFFFFF) * (b >> 32 * lane & 0xFFFFFFFF)
            assert left >> 64 * lane & M64 == (d >> 64 * lane) + product & M64


def words(low: int, high: int) -> int:
    return high << 32 | low


def test_a_table_is_looked_up_byte_by_byte() -> None:
    table, index = RANDOM.getrandbits(128), int.from_bytes(bytes([0, 15, 16, 255, 3, *range(11)]), "little")
    left = execute("aarch64", "tbl v1.16b, {v2.16b}, v3.16b", {"v1": 0, "v2": table, "v3": index})["v1"]
    of = table.to_bytes(16, "little")
    assert left.to_bytes(16, "little") == bytes([of[0], of[15], 0, 0, of[3], *of[:11]])


def with_memory(isa: Isa, lines: str, memory: list[int], names: dict[str, int]) -> tuple[list[int], dict[str, int]]:
    """Runs lines once over words of memory and 64-bit registers; what both hold then."""
    registers = tuple(Register(name, 8, False) for name in names)
    one = KernelProgram(
        isa, "test", KERNEL, "test", tuple(lines.split("; ")), 1, 1, registers, len(memory), False, False, ()
    )
    left = final_state(one, b"".join(word.to_bytes(8, "little") for word in (*memory, *names.values())), 1)
    words = [int.from_bytes(left[at : at + 8], "little") for at in range(0, len(left), 8)]
    return words[: len(memory)], dict(zip(names, words[len(memory) :], strict=True))


def test_words_of_memory_on_x86_64() -> None:
    lines = "mov r8, [rdi+8]; add r8, [rdi+16]; mov [rdi+0], r8; mulx r9, r10, [rdi+24]"
    memory, left = with_memory("x86-64", lines, [0, 30, 12, M64], {"r8": 1, "r9": 2, "r10": 3, "rdx": 2})
    assert memory == [42, 30, 12, M64]
    assert (left["r8"], left["r9"], left["r10"]) == (42, 1, M64 - 1)


def test_words_of_memory_on_aarch64() -> None:
    lines = "ldr x1, [x0, #8]; add x1, x1, x2; str x1, [x0, #16]"
    memory, left = with_memory("aarch64", lines, [7, 30, 0], {"x1": 0, "x2": 12})
    assert memory == [7, 30, 42] and left == {"x1": 42, "x2": 12}


@pytest.mark.parametrize("lines", ["ldr x1, [x2, #8]", "str x1, x2", "add v1.4s, x1, x2"])
def test_what_is_no_operand_of_it_is_an_error(lines: str) -> None:
    with pytest.raises((ValueError, DataError)):
        with_memory("aarch64", lines, [0, 0], {"x1": 1, "x2": 2})


def test_registers_that_are_none_of_it_are_errors() -> None:
    assert x86_scalar._whole("r8d") == "r8" and x86_scalar._whole("eax") == "rax"
    for name in ("rax", "r8", "d", "exx1"):
        with pytest.raises(ValueError, match="is not the lower half of a register"):
            x86_scalar._whole(name)
    with pytest.raises(ValueError, match=r"is not \[register\+register\]"):
        execute("x86-64", "lea r8, [r8]", {"r8": 1})
    one = KernelProgram(
        "x86-64", "test", KERNEL, "test", ("nop",), 1, 1, (Register("r8", 8, False),), 0, False, False, ()
    )
    with pytest.raises(ValueError, match="7 bytes of state, expected 8"):
        final_state(one, bytes(7), 1)


def test_a_call_begins_with_both_flags_clear() -> None:
    """As the code does, which tests a register before the loop."""
    assert execute("x86-64", "adcx r8, r9; adox r10, r9", {"r8": 0, "r9": 0, "r10": 0})["r8"] == 0
    assert execute("x86-64", "adox r10, r9; adcx r8, r9", {"r8": 0, "r9": 0, "r10": 0})["r10"] == 0
    assert execute("aarch64", "adc x1, x1, x2", {"x1": 0, "x2": 0})["x1"] == 0
