# SPDX-License-Identifier: Apache-2.0
"""ECDSA on P-256 with SHA-256, by PyCryptodome."""

from Crypto.Hash import SHA256

from cipherstone.operations.elliptic import ecdsa

SCHEME = ecdsa("P-256", 32, SHA256)
