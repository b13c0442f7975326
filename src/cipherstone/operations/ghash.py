# SPDX-License-Identifier: Apache-2.0
"""GHASH with integers, from NIST SP 800-38D section 6.4, and POLYVAL, which is GHASH of reversed blocks (RFC 8452 appendix A)."""

from __future__ import annotations

from functools import lru_cache

BLOCK = 16


def ghash(h: bytes, message: bytes) -> bytes:
    """GHASH_H of `message`, zero-padded to whole blocks of 16 bytes; no length block. `h`: 16 bytes."""
    tables = _ghash_tables(h)
    padded = message + bytes(-len(message) % 16)
    y = 0
    for start in range(0, len(padded), 16):
        block = (y ^ int.from_bytes(padded[start : start + 16], "big")).to_bytes(16, "big")
        y = 0
        for table, byte in zip(tables, block, strict=True):
            y ^= table[byte]
    return y.to_bytes(16, "big")


def polyval(h: bytes, message: bytes) -> bytes:
    """POLYVAL_H of `message`, whole blocks of 16 bytes (RFC 8452 section 3). `h`: 16 bytes."""
    times = int.from_bytes(h, "little")
    times = (times >> 1) ^ (0xE1 << 120 if times & 1 else 0)
    turned = b"".join(message[at : at + BLOCK][::-1] for at in range(0, len(message), BLOCK))
    return ghash(times.to_bytes(BLOCK, "big"), turned)[::-1]


@lru_cache(maxsize=16)
def _ghash_tables(h: bytes) -> tuple[tuple[int, ...], ...]:
    """For each byte position of a block and each byte value, the product with H. Bit 0 of the standard is the most significant bit here."""
    power, powers = int.from_bytes(h, "big"), []
    for _ in range(128):
        powers.append(power)
        power = (power >> 1) ^ (0xE1 << 120 if power & 1 else 0)
    tables = []
    for position in range(16):
        table = [0] * 256
        for bit in range(8):
            table[0x80 >> bit] = powers[8 * position + bit]
        for value in range(1, 256):
            low = value & -value
            table[value] = table[low] ^ table[value ^ low] if value != low else table[low]
        tables.append(tuple(table))
    return tuple(tables)
