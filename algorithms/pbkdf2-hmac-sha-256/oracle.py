# SPDX-License-Identifier: Apache-2.0
"""PBKDF2 with HMAC-SHA-256 by PyCryptodome."""

from Crypto.Hash import SHA256

from cipherstone.operations.derivation import PASSWORD, pbkdf2

COMPUTE = {"derive": pbkdf2(SHA256, 32)}
INPUTS = PASSWORD
