# SPDX-License-Identifier: Apache-2.0
"""DSA with 2048 and 256 bits and SHA-256, by PyCryptodome."""

from cipherstone.operations.dsa import dsa_sha256

SCHEME = dsa_sha256()
