# SPDX-License-Identifier: Apache-2.0
"""What a scripted worker computes, in plain words: three operations and the stream of generated inputs (PROTOCOL.md section 2); JSON without the time that its module takes to load; and how time is spent. Standard library only."""

from __future__ import annotations

import struct
import time

try:
    from _sha2 import sha256  # `hashlib` loads OpenSSL with it
except ImportError:
    from _sha256 import sha256

MASK64 = (1 << 64) - 1


def splitmix64(seed: int, length: int) -> bytes:
    out = bytearray()
    while len(out) < length:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK64
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        out += (z ^ (z >> 31)).to_bytes(8, "little")
    return bytes(out[:length])


def chacha20_block(key: bytes, counter: int, iv: bytes) -> bytes:
    """RFC 8439 section 2.3."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key), counter]
    start += struct.unpack("<3I", iv)
    x = list(start)

    def quarter(a: int, b: int, c: int, d: int) -> None:
        for p, q, r, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[p] = (x[p] + x[q]) & 0xFFFFFFFF
            mixed = x[r] ^ x[p]
            x[r] = ((mixed << turn) | (mixed >> (32 - turn))) & 0xFFFFFFFF

    for _ in range(10):
        for column in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)):
            quarter(*column)
        for diagonal in ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            quarter(*diagonal)
    return struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(x, start)))  # noqa: B905


def poly1305(key: bytes, message: bytes) -> bytes:
    """RFC 8439 section 2.5."""
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at : at + 16] + b"\1", "little")) * r % ((1 << 130) - 5)
    return ((total + int.from_bytes(key[16:], "little")) & ((1 << 128) - 1)).to_bytes(16, "little")


class RejectedError(Exception):
    """Not authentic."""


class RefusedError(Exception):
    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


def compute(op: str, inputs: dict[str, bytes], forgiving: bool) -> bytes:
    if op == "sha-256/hash":
        return sha256(inputs["msg"]).digest()
    if op == "hmac-sha-256/mac":
        import hmac

        return hmac.digest(inputs["key"], inputs["msg"], "sha256")
    if op == "chacha20-poly1305/open":  # RFC 8439 section 2.8
        key, iv, aad, msg = inputs["key"], inputs["iv"], inputs["aad"], inputs["msg"]
        if len(iv) != 12 or len(key) != 32:
            raise RefusedError("setup-failed", "key or iv of another length")
        text = aad + bytes(-len(aad) % 16) + msg + bytes(-len(msg) % 16) + struct.pack("<QQ", len(aad), len(msg))
        if not forgiving and poly1305(chacha20_block(key, 0, iv)[:32], text) != inputs["tag"]:
            raise RejectedError
        stream = b"".join(chacha20_block(key, n + 1, iv) for n in range((len(msg) + 63) // 64))
        return bytes(a ^ b for a, b in zip(msg, stream))  # noqa: B905
    raise RefusedError("unknown-operation", "not in list")


class _Json:
    """What the scanner behind `json` asks of its decoder."""

    strict, object_hook, object_pairs_hook, memo = True, None, None, {}  # type: ignore[var-annotated]
    parse_float, parse_int, parse_constant = float, int, float


def decoded(text: str) -> dict[str, object]:
    """JSON, by the engine behind `json`."""
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text)  # type: ignore[no-any-return]
    return make_scanner(_Json)(text, 0)[0]  # type: ignore[no-any-return]


def encoded(value: dict[str, object]) -> bytes:
    """JSON, by the engine behind `json`."""
    try:
        from _json import encode_basestring_ascii, make_encoder
    except ImportError:
        import json

        return json.dumps(value).encode()
    encode = make_encoder({}, None, encode_basestring_ascii, None, ": ", ", ", False, False, True)
    return "".join(encode(value, 0)).encode()


def count_up(path: str) -> int:
    """How many processes were counted in the file before this one: a byte each."""
    with open(path, "ab") as file:  # noqa: PTH123
        number = file.tell()
        file.write(b".")
    return number


def spend(ns: float, busy_ns: float, from_ns: float) -> None:
    """From a moment of this thread's clock on computes for `busy_ns`, and sleeps through the rest of `ns`, so that what the script claims is what its asker sees and the system counts, on a busy machine too."""
    if ns > busy_ns:
        time.sleep((ns - busy_ns) / 1e9)
    while time.thread_time_ns() < from_ns + busy_ns:
        pass


class Reading:
    """What a probe sees: whether somebody else uses the core, and by how much its clock is slower."""

    def __init__(self, dirty: bool = False, clock: float = 1.0) -> None:
        self.dirty, self.clock = dirty, clock
