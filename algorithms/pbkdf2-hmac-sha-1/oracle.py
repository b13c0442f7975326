# SPDX-License-Identifier: Apache-2.0
"""PBKDF2 with HMAC-SHA-1 by PyCryptodome."""

from Crypto.Hash import SHA1

from cipherstone.operations.derivation import PASSWORD, pbkdf2

COMPUTE = {"derive": pbkdf2(SHA1, 20)}
INPUTS = PASSWORD
