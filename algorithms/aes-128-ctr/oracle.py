# SPDX-License-Identifier: Apache-2.0
"""AES-128 in counter mode by PyCryptodome."""

from Crypto.Cipher import AES


def _encrypt(inputs):
    return AES.new(inputs["key"], AES.MODE_CTR, nonce=b"", initial_value=inputs["iv"]).encrypt(inputs["msg"])


COMPUTE = {"encrypt": _encrypt}
