# SPDX-License-Identifier: Apache-2.0
"""HKDF-SHA-512 by PyCryptodome."""

from Crypto.Hash import SHA512

from cipherstone.operations.derivation import EXPANDED, hkdf

COMPUTE = {"derive": hkdf(SHA512, 64)}
INPUTS = EXPANDED
