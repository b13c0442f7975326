# SPDX-License-Identifier: Apache-2.0
"""SipHash from its paper (Aumasson and Bernstein, 2012): section 2, with outputs of 64 bits."""

from __future__ import annotations

import struct

_WORD = 0xFFFFFFFFFFFFFFFF
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
KEY_BYTES = 16


def siphash(key: bytes, message: bytes, per_word: int = 2, at_the_end: int = 4) -> bytes:
    """The tag of `message`, 8 bytes, least significant first. `per_word`, `at_the_end`: rounds. ValueError: `key` has not 16 bytes."""
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key of SipHash has {KEY_BYTES} bytes, not {len(key)}")
    k = struct.unpack("<2Q", key) * 2
    state = [start ^ word for start, word in zip(_START, k, strict=True)]
    whole = len(message) & ~7
    last = int.from_bytes(message[whole:], "little") | (len(message) & 0xFF) << 56
    for word in (*(one for (one,) in struct.iter_unpack("<Q", message[:whole])), last):
        state[3] ^= word
        _mix(state, per_word)
        state[0] ^= word
    state[2] ^= 0xFF
    _mix(state, at_the_end)
    return struct.pack("<Q", state[0] ^ state[1] ^ state[2] ^ state[3])


def _mix(state: list[int], rounds: int) -> None:
    v0, v1, v2, v3 = state
    for _ in range(rounds):
        v0 = (v0 + v1) & _WORD
        v1 = ((v1 << 13) & _WORD | v1 >> 51) ^ v0
        v0 = (v0 << 32) & _WORD | v0 >> 32
        v2 = (v2 + v3) & _WORD
        v3 = ((v3 << 16) & _WORD | v3 >> 48) ^ v2
        v0 = (v0 + v3) & _WORD
        v3 = ((v3 << 21) & _WORD | v3 >> 43) ^ v0
        v2 = (v2 + v1) & _WORD
        v1 = ((v1 << 17) & _WORD | v1 >> 47) ^ v2
        v2 = (v2 << 32) & _WORD | v2 >> 32
    state[:] = v0, v1, v2, v3
