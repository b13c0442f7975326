# SPDX-License-Identifier: Apache-2.0
"""Poly1305 with integers: alone (RFC 8439 section 2.5), and over what the AEAD frames (section 2.8)."""

from __future__ import annotations

from collections.abc import Mapping

BLOCK = 16
_PRIME = (1 << 130) - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def poly1305(key: bytes, message: bytes) -> bytes:
    """Poly1305 of `message` under the one-time key r||s of 32 bytes."""
    r, s = int.from_bytes(key[:16], "little") & _CLAMP, int.from_bytes(key[16:32], "little")
    accumulator = 0
    for start in range(0, len(message), BLOCK):
        block = message[start : start + BLOCK]
        accumulator = (accumulator + int.from_bytes(block + b"\x01", "little")) * r % _PRIME
    return ((accumulator + s) % (1 << 128)).to_bytes(16, "little")


def framed(inputs: Mapping[str, bytes]) -> bytes:
    """The tag of the AEAD under the one-time `key`, of `aad` (none: empty) and `msg`, which stands for the ciphertext."""
    return poly1305(inputs["key"], frame(inputs.get("aad", b""), inputs["msg"]))


def frame(*parts: bytes) -> bytes:
    """Each part filled up to whole blocks with zeros, then their lengths."""
    whole = b"".join(part + bytes(-len(part) % BLOCK) for part in parts)
    return whole + b"".join(len(part).to_bytes(8, "little") for part in parts)
