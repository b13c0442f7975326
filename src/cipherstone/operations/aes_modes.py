# SPDX-License-Identifier: Apache-2.0
"""Modes of AES that PyCryptodome does not have, over its AES of single blocks: XTS, GCM-SIV, and the wrapping of keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cipherstone.model.errors import NotAuthentic
from cipherstone.model.later import Later
from cipherstone.operations.ghash import BLOCK, polyval

if TYPE_CHECKING:
    import numpy as np
    from Crypto.Cipher import AES
else:
    AES, np = Later("Crypto.Cipher.AES"), Later("numpy")

Inputs = Mapping[str, bytes]
_WRAP_IV = bytes([0xA6] * 8)  # RFC 3394 section 2.2.3.1
_HALF = 8


def _blocks(key: bytes, data: bytes) -> bytes:
    return bytes(AES.new(key, AES.MODE_ECB).encrypt(data))


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes((np.frombuffer(left, np.uint8) ^ np.frombuffer(right[: len(left)], np.uint8)).tobytes())


# XTS: IEEE 1619-2007 section 5; whole blocks alone


def _tweaks(key: bytes, iv: bytes, count: int) -> bytes:
    tweak, found = int.from_bytes(_blocks(key, iv), "little"), []
    for _ in range(count):
        found.append(tweak.to_bytes(BLOCK, "little"))
        tweak = (tweak << 1) ^ (((1 << 128) | 0x87) if tweak >> 127 else 0)
    return b"".join(found)


def _xts(inputs: Inputs, decrypt: bool) -> bytes:
    data, half = inputs["msg"], len(inputs["key"]) // 2
    if len(data) % BLOCK or not data:
        raise ValueError(f"{len(data)} bytes are no whole blocks")
    tweaks = _tweaks(inputs["key"][half:], inputs["iv"], len(data) // BLOCK)
    cipher = AES.new(inputs["key"][:half], AES.MODE_ECB)
    return _xor((cipher.decrypt if decrypt else cipher.encrypt)(_xor(data, tweaks)), tweaks)


XTS = {"encrypt": lambda inputs: _xts(inputs, False), "decrypt": lambda inputs: _xts(inputs, True)}


# GCM-SIV: RFC 8452 sections 4 and 5


def _derived(key: bytes, nonce: bytes) -> tuple[bytes, bytes]:
    """The keys of one nonce: for authentication, and for encryption."""
    count = 2 + len(key) // _HALF
    halves = b"".join(_blocks(key, i.to_bytes(4, "little") + nonce)[:_HALF] for i in range(count))
    return halves[:BLOCK], halves[BLOCK:]


def _siv_tag(inputs: Inputs, auth: bytes, key: bytes, plaintext: bytes) -> bytes:
    padded = b"".join(part + bytes(-len(part) % BLOCK) for part in (inputs["aad"], plaintext))
    lengths = b"".join((8 * len(part)).to_bytes(8, "little") for part in (inputs["aad"], plaintext))
    sum_ = bytearray(_xor(polyval(auth, padded + lengths), inputs["iv"] + bytes(4)))
    sum_[15] &= 0x7F
    return _blocks(key, bytes(sum_))


def _siv_stream(key: bytes, tag: bytes, length: int) -> bytes:
    """The counter is the first four bytes, little-endian, and wraps."""
    count = -(-length // BLOCK)
    blocks = np.tile(np.frombuffer(tag, np.uint8), (count, 1))
    blocks[:, 15] |= 0x80
    counters = (np.arange(count, dtype=np.uint64) + int.from_bytes(tag[:4], "little")).astype("<u4")
    blocks[:, :4] = counters.view(np.uint8).reshape(count, 4)
    return _blocks(key, blocks.tobytes())


def _siv_seal(inputs: Inputs) -> bytes:
    auth, key = _derived(inputs["key"], inputs["iv"])
    tag = _siv_tag(inputs, auth, key, inputs["msg"])
    return _xor(inputs["msg"], _siv_stream(key, tag, len(inputs["msg"]))) + tag


def _siv_open(inputs: Inputs) -> bytes:
    auth, key = _derived(inputs["key"], inputs["iv"])
    plaintext = _xor(inputs["msg"], _siv_stream(key, inputs["tag"], len(inputs["msg"])))
    if _siv_tag(inputs, auth, key, plaintext) != inputs["tag"]:
        raise NotAuthentic("the tag is not authentic")
    return plaintext


GCM_SIV = {"seal": _siv_seal, "open": _siv_open}


# Key wrap: RFC 3394 section 2.2, NIST SP 800-38F section 6.2


def _wrap(inputs: Inputs) -> bytes:
    cipher = AES.new(inputs["key"], AES.MODE_ECB)
    halves = [inputs["msg"][at : at + _HALF] for at in range(0, len(inputs["msg"]), _HALF)]
    if len(inputs["msg"]) % _HALF or len(halves) < 2:
        raise ValueError(f"{len(inputs['msg'])} bytes are no two halves of a block or more")
    a = _WRAP_IV
    for t in range(6 * len(halves)):
        block = cipher.encrypt(a + halves[t % len(halves)])
        a = (int.from_bytes(block[:_HALF], "big") ^ (t + 1)).to_bytes(_HALF, "big")
        halves[t % len(halves)] = block[_HALF:]
    return a + b"".join(halves)


def _unwrap(inputs: Inputs) -> bytes:
    cipher = AES.new(inputs["key"], AES.MODE_ECB)
    a, *halves = (inputs["msg"][at : at + _HALF] for at in range(0, len(inputs["msg"]), _HALF))
    if len(inputs["msg"]) % _HALF or len(halves) < 2:
        raise ValueError(f"{len(inputs['msg'])} bytes are no three halves of a block or more")
    for t in reversed(range(6 * len(halves))):
        a = (int.from_bytes(a, "big") ^ (t + 1)).to_bytes(_HALF, "big")
        block = cipher.decrypt(a + halves[t % len(halves)])
        a, halves[t % len(halves)] = block[:_HALF], block[_HALF:]
    if a != _WRAP_IV:
        raise NotAuthentic("the check value is not there")
    return b"".join(halves)


KEY_WRAP = {"wrap": _wrap, "unwrap": _unwrap}
