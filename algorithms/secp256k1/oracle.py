# SPDX-License-Identifier: Apache-2.0
"""ECDH and keys on secp256k1, by PyCryptodome."""

from cipherstone.operations.elliptic import ecdh, with_multiples

SCHEME = with_multiples(ecdh("secp256k1", 32), "secp256k1")
