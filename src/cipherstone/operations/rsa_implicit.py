# SPDX-License-Identifier: Apache-2.0
"""Implicit rejection of RSA PKCS#1 v1.5 ciphertexts: draft-irtf-cfrg-rsa-guidance-04 section 7. A padding that is not genuine gives a message that only the holder of the key can compute,
of a length that is as random, and no error: who sends ciphertexts cannot tell whether a padding was genuine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherstone.model.later import Later

if TYPE_CHECKING:
    from Crypto.Hash import HMAC, SHA256
else:
    HMAC, SHA256 = Later("Crypto.Hash.HMAC"), Later("Crypto.Hash.SHA256")

_CANDIDATES = 128  # lengths that are drawn, of which the last one that fits is taken
_PADDING = 2 + 8  # bytes before the byte 0 that ends the shortest padding


def implicit_message(d: bytes, ciphertext: bytes) -> bytes:
    """The message that a ciphertext without a genuine padding gives. `d`: the private exponent, as long as the modulus, like `ciphertext`."""
    size = len(d)
    key = _hmac(SHA256.new(d).digest(), ciphertext)
    lengths, message = _stream(key, b"length", 2 * _CANDIDATES), _stream(key, b"message", size)
    most = size - _PADDING
    mask = (1 << most.bit_length()) - 1
    drawn = (int.from_bytes(lengths[at : at + 2], "big") & mask for at in range(0, len(lengths), 2))
    fitting = [length for length in drawn if length < most]
    return message[size - fitting[-1] :] if fitting and fitting[-1] else b""


def _stream(key: bytes, label: bytes, length: int) -> bytes:
    bits = (8 * length).to_bytes(2, "big")
    blocks = (_hmac(key, index.to_bytes(2, "big") + label + bits) for index in range(-(-length // 32)))
    return b"".join(blocks)[:length]


def _hmac(key: bytes, message: bytes) -> bytes:
    return HMAC.new(key, message, SHA256).digest()
