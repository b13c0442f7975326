# SPDX-License-Identifier: Apache-2.0
"""scrypt by PyCryptodome."""

from cipherstone.operations.derivation import PASSWORD, scrypt_of

COMPUTE = {"derive": scrypt_of(64)}
INPUTS = PASSWORD
