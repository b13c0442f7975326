# SPDX-License-Identifier: Apache-2.0
"""ECDH and keys on P-521, by PyCryptodome."""

from cipherstone.operations.elliptic import ecdh

SCHEME = ecdh("P-521", 66)
