# SPDX-License-Identifier: Apache-2.0
"""ECDH and keys on P-521, by PyCryptodome."""

from cipherstone.operations.elliptic import ecdh, with_multiples

SCHEME = with_multiples(ecdh("P-521", 66), "P-521")
