# SPDX-License-Identifier: Apache-2.0
"""Ed25519, by PyCryptodome."""

from cipherstone.operations.elliptic import ed25519

SCHEME = ed25519()
