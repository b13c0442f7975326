# SPDX-License-Identifier: Apache-2.0
"""SM3 from its standard, GB/T 32905-2016 (ISO/IEC 10118-3:2018), slow and readable: none of the libraries that are measured has a part in it."""

from __future__ import annotations

import struct

_START: tuple[int, ...] = (
    0x7380166F,
    0x4914B2B9,
    0x172442D7,
    0xDA8A0600,
    0xA96F30BC,
    0x163138AA,
    0xE38DEE4D,
    0xB0FB0E4E,
)
_WORD = 0xFFFFFFFF
_BLOCK = 64  # bytes


def _rotated(word: int, by: int) -> int:
    by %= 32
    return ((word << by) | (word >> (32 - by))) & _WORD


# T_j rotated by j: section 4.2 and line 1 of section 5.3.3.
_CONSTANTS = tuple(_rotated(0x79CC4519 if j < 16 else 0x7A879D8A, j) for j in range(64))


def sm3(message: bytes) -> bytes:
    """The digest of `message`, 32 bytes."""
    length = len(message)
    padded = message + b"\x80" + bytes(-(length + 9) % _BLOCK) + struct.pack(">Q", 8 * length)
    state = _START
    for (*words,) in struct.iter_unpack(">16I", padded):
        state = _compressed(state, _expanded(words))
    return struct.pack(">8I", *state)


def _expanded(words: list[int]) -> list[int]:
    """Section 5.3.2: 68 words; the 64 others are sums of two of them."""
    for j in range(16, 68):
        x = words[j - 16] ^ words[j - 9] ^ _rotated(words[j - 3], 15)
        words.append(x ^ _rotated(x, 15) ^ _rotated(x, 23) ^ _rotated(words[j - 13], 7) ^ words[j - 6])
    return words


def _compressed(state: tuple[int, ...], words: list[int]) -> tuple[int, ...]:
    """Section 5.3.3."""
    a, b, c, d, e, f, g, h = state
    for j, constant in enumerate(_CONSTANTS):
        a12 = _rotated(a, 12)
        ss1 = _rotated((a12 + e + constant) & _WORD, 7)
        ff = a ^ b ^ c if j < 16 else (a & b) | (a & c) | (b & c)
        gg = e ^ f ^ g if j < 16 else (e & f) | (~e & g)
        tt1 = (ff + d + (ss1 ^ a12) + (words[j] ^ words[j + 4])) & _WORD
        tt2 = (gg + h + ss1 + words[j]) & _WORD
        a, b, c, d = tt1, a, _rotated(b, 9), c
        e, f, g, h = tt2 ^ _rotated(tt2, 9) ^ _rotated(tt2, 17), e, _rotated(f, 19), g
    return tuple(x ^ y for x, y in zip(state, (a, b, c, d, e, f, g, h), strict=True))
