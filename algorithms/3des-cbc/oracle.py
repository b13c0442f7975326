# SPDX-License-Identifier: Apache-2.0
"""3DES in CBC mode by PyCryptodome."""

from Crypto.Cipher import DES, DES3

from cipherstone.operations.symmetric import cipher


def _new(inputs):
    key, iv = inputs["key"], inputs["iv"]
    try:
        return DES3.new(key, DES3.MODE_CBC, iv=iv)
    except ValueError:
        # PyCryptodome refuses keys that degenerate to single DES: two of the three passes cancel, and the remaining key is enough.
        k1, k2, k3 = (bytes(b & 0xFE for b in key[at : at + 8]) for at in (0, 8, 16))
        if k1 == k2:
            return DES.new(key[16:24], DES.MODE_CBC, iv=iv)
        if k2 == k3:
            return DES.new(key[0:8], DES.MODE_CBC, iv=iv)
        raise


COMPUTE = cipher(_new)
