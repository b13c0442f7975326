# SPDX-License-Identifier: Apache-2.0
"""ChaCha20 by PyCryptodome."""

from Crypto.Cipher import ChaCha20


def _encrypt(inputs):
    return ChaCha20.new(key=inputs["key"], nonce=inputs["iv"]).encrypt(inputs["msg"])


COMPUTE = {"encrypt": _encrypt}
