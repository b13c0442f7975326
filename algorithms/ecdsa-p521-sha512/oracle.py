# SPDX-License-Identifier: Apache-2.0
"""ECDSA on P-521 with SHA-512, by PyCryptodome."""

from Crypto.Hash import SHA512

from cipherstone.operations.elliptic import ecdsa

SCHEME = ecdsa("P-521", 66, SHA512)
