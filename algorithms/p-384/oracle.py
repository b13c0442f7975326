# SPDX-License-Identifier: Apache-2.0
"""ECDH and keys on P-384, by PyCryptodome."""

from cipherstone.operations.elliptic import ecdh
from cipherstone.operations.ephemeral import with_agreement

SCHEME = with_agreement(ecdh("P-384", 48), 97, 48)
