# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of the cryptographic instructions on integers whose least significant byte is the first: AES rounds (FIPS 197), carry-less and GF(2^8) products,
SHA-1 and SHA-256 steps (FIPS 180-4) as the instruction sets cut them."""

from __future__ import annotations

from functools import lru_cache

M32 = 0xFFFFFFFF
M64 = (1 << 64) - 1
_AES_POLYNOMIAL = 0x11B


def gf256(a: int, b: int) -> int:
    """Product modulo x^8 + x^4 + x^3 + x + 1."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= _AES_POLYNOMIAL
        b >>= 1
    return product


@lru_cache(maxsize=1)
def gf256_table() -> tuple[bytes, ...]:
    """For each byte the 256 products with it."""
    return tuple(bytes(gf256(a, b) for b in range(256)) for a in range(256))


@lru_cache(maxsize=1)
def sbox() -> bytes:
    """The S-box of FIPS 197, from inverses and the affine map."""
    box = bytearray(256)
    for value in range(256):
        inverse = next((x for x in range(256) if gf256(value, x) == 1), 0)
        rotated = inverse
        for _ in range(4):
            inverse = (inverse << 1 | inverse >> 7) & 0xFF
            rotated ^= inverse
        box[value] = rotated ^ 0x63
    return bytes(box)


Round = tuple[tuple[int, ...], ...]
_MIX = (2, 3, 1, 1)
_UNMIX = (14, 11, 13, 9)


@lru_cache(maxsize=8)
def round_tables(substitute: bool, shift: int, mix: tuple[int, ...]) -> Round:
    """For each byte position and value what it adds to the state after SubBytes, ShiftRows by `shift` (1, -1, 0) and a column mix.

    `substitute` with `shift` -1 is the inverse S-box.
    """
    box = sbox()
    if shift < 0:
        box = bytes(box.index(value) for value in range(256))
    tables = []
    for position in range(16):
        row, column = position % 4, position // 4
        target = (column - shift * row) % 4
        table = []
        for value in range(256):
            out = box[value] if substitute else value
            word = 0
            for k in range(4):
                factor = mix[(row - k) % 4]
                word |= gf256(out, factor) << 8 * (4 * target + k) if factor else 0
            table.append(word)
        tables.append(tuple(table))
    return tuple(tables)


def look_up(tables: Round, state: int) -> int:
    """The exclusive or of what each byte of a block adds."""
    result = 0
    for table, byte in zip(tables, state.to_bytes(16, "little"), strict=True):
        result ^= table[byte]
    return result


def encrypt_round() -> Round:
    """SubBytes, ShiftRows, MixColumns."""
    return round_tables(True, 1, _MIX)


def last_round() -> Round:
    """SubBytes, ShiftRows."""
    return round_tables(True, 1, (1, 0, 0, 0))


def decrypt_round() -> Round:
    """The inverse of all three, as the equivalent inverse cipher has them."""
    return round_tables(True, -1, _UNMIX)


def mix_columns() -> Round:
    """MixColumns alone."""
    return round_tables(False, 0, _MIX)


@lru_cache(maxsize=64)
def _products(b: int) -> tuple[int, ...]:
    """Carry-less products of every byte with the 64-bit b."""
    return tuple(_slow_carryless(a, b) for a in range(256))


def _slow_carryless(a: int, b: int) -> int:
    product = 0
    while a:
        if a & 1:
            product ^= b
        a >>= 1
        b <<= 1
    return product


def carryless(a: int, b: int) -> int:
    """Carry-less product of two 64-bit words, 127 bits. Fast for a `b` that comes again."""
    table = _products(b)
    product, shift = 0, 0
    while a:
        product ^= table[a & 0xFF] << shift
        a >>= 8
        shift += 8
    return product


@lru_cache(maxsize=64)
def affine_table(matrix: int, constant: int) -> bytes:
    """For each byte x the bits parity(row & x), row 7 - i of the 64-bit matrix for bit i, plus the constant."""
    rows = [matrix >> 8 * (7 - i) & 0xFF for i in range(8)]
    return bytes(constant ^ sum(((row & x).bit_count() & 1) << i for i, row in enumerate(rows)) for x in range(256))


def words32(value: int) -> tuple[int, int, int, int]:
    """The four 32-bit words of a block, the least significant first."""
    return value & M32, value >> 32 & M32, value >> 64 & M32, value >> 96 & M32


def block32(w0: int, w1: int, w2: int, w3: int) -> int:
    """The inverse of `words32`; sums are cut to 32 bits."""
    return w0 & M32 | (w1 & M32) << 32 | (w2 & M32) << 64 | (w3 & M32) << 96


def rol(value: int, count: int) -> int:
    """Rotation to the left of a 32-bit word."""
    return (value << count | value >> (32 - count)) & M32


def sigma0(x: int) -> int:
    """The message schedule's sigma 0 of SHA-256."""
    return rol(x, 25) ^ rol(x, 14) ^ x >> 3


def sigma1(x: int) -> int:
    """The message schedule's sigma 1 of SHA-256."""
    return rol(x, 15) ^ rol(x, 13) ^ x >> 10


Eight = tuple[int, int, int, int, int, int, int, int]


def sha256_round(s: Eight, wk: int) -> Eight:
    """One round; `wk` is message word plus constant."""
    a, b, c, d, e, f, g, h = s
    t1 = h + (rol(e, 26) ^ rol(e, 21) ^ rol(e, 7)) + (e & f ^ ~e & g) + wk
    t2 = (rol(a, 30) ^ rol(a, 19) ^ rol(a, 10)) + (a & b ^ a & c ^ b & c)
    return (t1 + t2) & M32, a, b, c, (d + t1) & M32, e, f, g


_SHA1_K = (0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6)


def sha1_four_rounds(abcd: tuple[int, int, int, int], words: tuple[int, int, int, int], stage: int) -> int:
    """Four rounds of SHA-1 of stage 0..3, packed as SHA1RNDS4 leaves them; the first word has the variable e in it already."""
    a, b, c, d = abcd
    e = 0
    for word in words:
        if stage == 0:
            f = b & c ^ ~b & d
        elif stage == 2:
            f = b & c ^ b & d ^ c & d
        else:
            f = b ^ c ^ d
        a, b, c, d, e = ((f & M32) + rol(a, 5) + word + e + _SHA1_K[stage]) & M32, a, rol(b, 30), c, d
    return block32(d, c, b, a)
