# SPDX-License-Identifier: Apache-2.0
"""HKDF-SHA-256 by PyCryptodome."""

from Crypto.Hash import SHA256

from cipherstone.operations.derivation import EXPANDED, hkdf

COMPUTE = {"derive": hkdf(SHA256, 32)}
INPUTS = EXPANDED
