# SPDX-License-Identifier: Apache-2.0
"""Argon2id in plain Python, written from RFC 9106 section 3: slow, for small memories."""

from __future__ import annotations

import hashlib
import struct

_MASK = (1 << 64) - 1
_WORDS = 128  # of 64 bits in a block
_SLICES = 4
_VERSION, _TYPE = 0x13, 2
Block = list[int]


def argon2id(
    password: bytes,
    salt: bytes,
    size: int,
    memory: int,
    passes: int,
    lanes: int,
    secret: bytes = b"",
    associated: bytes = b"",
) -> bytes:
    """A tag of `size` bytes with `memory` KiB."""
    seed = _seed(password, salt, size, memory, passes, lanes, secret, associated)
    segment = memory // (_SLICES * lanes)
    columns = segment * _SLICES
    blocks: list[list[Block]] = [[[0] * _WORDS for _ in range(columns)] for _ in range(lanes)]
    for lane in range(lanes):
        for column in (0, 1):
            blocks[lane][column] = _words(_long_hash(seed + struct.pack("<II", column, lane), 1024))
    for turn in range(passes):
        for part in range(_SLICES):
            for lane in range(lanes):
                _fill(blocks, turn, part, lane, segment, passes)
    last = [0] * _WORDS
    for lane in range(lanes):
        last = _xor(last, blocks[lane][-1])
    return _long_hash(struct.pack(f"<{_WORDS}Q", *last), size)


def _seed(
    password: bytes,
    salt: bytes,
    size: int,
    memory: int,
    passes: int,
    lanes: int,
    secret: bytes,
    associated: bytes,
) -> bytes:
    text = struct.pack("<6I", lanes, size, memory, passes, _VERSION, _TYPE)
    for part in (password, salt, secret, associated):
        text += struct.pack("<I", len(part)) + part
    return hashlib.blake2b(text).digest()


def _long_hash(data: bytes, size: int) -> bytes:
    """H' of section 3.3."""
    data = struct.pack("<I", size) + data
    if size <= 64:
        return hashlib.blake2b(data, digest_size=size).digest()
    made, value = b"", hashlib.blake2b(data).digest()
    while size - len(made) > 64:
        made += value[:32]
        rest = size - len(made)
        value = hashlib.blake2b(value, digest_size=min(64, rest)).digest()
    return made + value


def _words(data: bytes) -> Block:
    return list(struct.unpack(f"<{_WORDS}Q", data))


def _xor(a: Block, b: Block) -> Block:
    return [x ^ y for x, y in zip(a, b, strict=True)]


def _fill(blocks: list[list[Block]], turn: int, part: int, lane: int, segment: int, passes: int) -> None:
    lanes, columns = len(blocks), segment * _SLICES
    independent = turn == 0 and part < 2
    addresses: Block = []
    for index in range(2 if turn == 0 and part == 0 else 0, segment):
        column = part * segment + index
        before = blocks[lane][column - 1]
        if independent:
            if not addresses or index % _WORDS == 0:
                addresses = _addresses(turn, lane, part, lanes * columns, passes, index // _WORDS + 1)
            pseudo = addresses[index % _WORDS]
        else:
            pseudo = before[0]
        j1, j2 = pseudo & 0xFFFFFFFF, pseudo >> 32
        other = lane if turn == 0 and part == 0 else j2 % lanes
        at = _reference(j1, turn, part, index, segment, other == lane)
        made = _compress(before, blocks[other][at])
        blocks[lane][column] = _xor(made, blocks[lane][column]) if turn else made


def _addresses(turn: int, lane: int, part: int, total: int, passes: int, counter: int) -> Block:
    zero = [0] * _WORDS
    given = [turn, lane, part, total, passes, _TYPE, counter] + [0] * (_WORDS - 7)
    return _compress(zero, _compress(zero, given))


def _reference(j1: int, turn: int, part: int, index: int, segment: int, same: bool) -> int:
    """The column of section 3.4.1.2."""
    columns = segment * _SLICES
    finished = part * segment if turn == 0 else columns - segment
    area = finished + index - 1 if same else finished - (index == 0)
    position = area - 1 - (area * (j1 * j1 >> 32) >> 32)
    start = 0 if turn == 0 else (part + 1) * segment % columns
    return (start + position) % columns


def _compress(x: Block, y: Block) -> Block:
    mixed = _xor(x, y)
    block = list(mixed)
    for row in range(8):
        _permute(block, [16 * row + i for i in range(16)])
    for column in range(8):
        _permute(block, [16 * i + 2 * column + j for i in range(8) for j in (0, 1)])
    return _xor(block, mixed)


def _permute(v: Block, at: list[int]) -> None:
    for a, b, c, d in (
        (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
        (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
    ):  # fmt: skip
        _mix(v, at[a], at[b], at[c], at[d])


def _mix(v: Block, a: int, b: int, c: int, d: int) -> None:
    for first, second in ((32, 24), (16, 63)):
        v[a] = (v[a] + v[b] + 2 * (v[a] & 0xFFFFFFFF) * (v[b] & 0xFFFFFFFF)) & _MASK
        v[d] = _right(v[d] ^ v[a], first)
        v[c] = (v[c] + v[d] + 2 * (v[c] & 0xFFFFFFFF) * (v[d] & 0xFFFFFFFF)) & _MASK
        v[b] = _right(v[b] ^ v[c], second)


def _right(word: int, bits: int) -> int:
    return (word >> bits | word << (64 - bits)) & _MASK
