# SPDX-License-Identifier: Apache-2.0
"""ECDH and keys on P-256, by PyCryptodome."""

from cipherstone.operations.elliptic import ecdh, with_multiples
from cipherstone.operations.ephemeral import with_agreement

SCHEME = with_agreement(with_multiples(ecdh("P-256", 32), "P-256"), 65, 32)
