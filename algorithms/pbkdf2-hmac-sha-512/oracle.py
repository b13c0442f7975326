# SPDX-License-Identifier: Apache-2.0
"""PBKDF2 with HMAC-SHA-512 by PyCryptodome."""

from Crypto.Hash import SHA512

from cipherstone.operations.derivation import PASSWORD, pbkdf2

COMPUTE = {"derive": pbkdf2(SHA512, 64)}
INPUTS = PASSWORD
