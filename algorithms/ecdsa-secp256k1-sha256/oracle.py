# SPDX-License-Identifier: Apache-2.0
"""ECDSA on secp256k1 with SHA-256, by PyCryptodome."""

from Crypto.Hash import SHA256

from cipherstone.operations.elliptic import ecdsa

SCHEME = ecdsa("secp256k1", 32, SHA256)
