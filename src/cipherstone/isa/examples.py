# SPDX-License-Identifier: Apache-2.0
"""Published examples of single instructions: values that neither our interpreter nor our hardware has made."""

from __future__ import annotations

import msgspec

from cipherstone.isa.program import KernelProgram


class Example(msgspec.Struct, frozen=True):
    """Values of placeholders before (`before`) and of the destination after one element; bytes as hexadecimal, in the order of the register's bytes.

    Values of 16 bytes fill wider registers by repetition. `fixed`: registers that the instruction uses without naming them.
    """

    source: str
    destination: str
    before: dict[str, str]
    after: str
    fixed: dict[str, str] = {}


def _number(text: str) -> str:
    """A number as standards print it, most significant digit first, as the register's bytes."""
    return bytes.fromhex(text)[::-1].hex()


_ROUND = Example(
    "FIPS 197, appendix B, round 1",
    "x",
    {"x": "193de3bea0f4e22b9ac68d2ae9f84808", "xs": "a0fafe1788542cb123a339392a6c7605"},
    "a49c7ff2689f352b6b5bea43026a5049",
)
_LAST_ROUND = Example(
    "FIPS 197, appendix B, round 10",
    "x",
    {"x": "eb40f21e592e38848ba113e71bc342d2", "xs": "d014f9a8c9ee2589e13f0cc8b6630ca6"},
    "3925841d02dc09fbdc118597196a0b32",
)
_CARRYLESS = Example(
    "Intel: Carry-Less Multiplication Instruction, revision 2.02, example of PCLMULQDQ",
    "x",
    {"x": _number("7b5b54657374566563746f725d53475d"), "xs": _number("48692853686179295b477565726f6e5d")},
    _number("1d4d84c85c3440c0929633d5d36f0451"),
)
_FIELD = Example("FIPS 197, section 4.2", "x", {"x": "57" * 16, "xs": "83" * 16}, "c1" * 16)
# State after round 1 of the message "abc", from the initial hash value and the first two words, which have their constants added.
_SHA256 = Example(
    "NIST: examples of FIPS 180, SHA-256 of a message of one block, rounds 0 and 1",
    "x",
    {"x": _number("3c6ef372a54ff53a1f83d9ab5be0cd19"), "xs": _number("6a09e667bb67ae85510e527f9b05688c")},
    _number("5a6ad9ad5d6aebcd78ce7989fa2a4622"),
    {"xmm0": _number(f"{0:016x}{0x71374491:08x}{0x428A2F98 + 0x61626380:08x}")},
)


def _wide(example: Example, letter: str) -> Example:
    """The same for another vector register class."""
    return msgspec.structs.replace(
        example,
        destination=letter,
        before={name.replace("x", letter): value for name, value in example.before.items()},
    )


EXAMPLES: dict[str, Example] = {
    "x86-64.aesenc-xmm/throughput": _ROUND,
    "x86-64.vaesenc-xmm/throughput": _ROUND,
    "x86-64.vaesenc-ymm/throughput": _wide(_ROUND, "y"),
    "x86-64.vaesenc-zmm/throughput": _wide(_ROUND, "z"),
    "x86-64.aesenclast-xmm/throughput": _LAST_ROUND,
    "x86-64.pclmulqdq-xmm/throughput": _CARRYLESS,
    "x86-64.vpclmulqdq-xmm/throughput": _CARRYLESS,
    "x86-64.vpclmulqdq-ymm/throughput": _wide(_CARRYLESS, "y"),
    "x86-64.vpclmulqdq-zmm/throughput": _wide(_CARRYLESS, "z"),
    "x86-64.gf2p8mulb-xmm/throughput": _FIELD,
    "x86-64.gf2p8mulb-zmm/throughput": _wide(_FIELD, "z"),
    "x86-64.sha256rnds2/throughput": _SHA256,
    "aarch64.pmull/throughput": _wide(_CARRYLESS, "v"),
}


def states(program: KernelProgram, example: Example) -> tuple[bytes, bytes]:
    """The program's state before and after its first element; registers that the example does not name are zero."""
    names = dict(program.first)
    before = {names[name]: value for name, value in example.before.items()} | example.fixed
    after = before | {names[example.destination]: example.after}
    return _state(program, before), _state(program, after)


def _state(program: KernelProgram, values: dict[str, str]) -> bytes:
    """Of a program whose registers are all vectors."""
    parts = [bytes(8 * program.words)]
    for register in program.registers:
        value = bytes.fromhex(values.get(register.name, "00" * 16))
        parts.append(value * (register.bytes // 16))
    return b"".join(parts)
