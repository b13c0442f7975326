# SPDX-License-Identifier: Apache-2.0
"""ECDSA on P-384 with SHA-384, by PyCryptodome."""

from Crypto.Hash import SHA384

from cipherstone.operations.elliptic import ecdsa

SCHEME = ecdsa("P-384", 48, SHA384)
