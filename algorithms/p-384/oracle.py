# SPDX-License-Identifier: Apache-2.0
"""ECDH and keys on P-384, by PyCryptodome."""

from cipherstone.operations.elliptic import ecdh, with_multiples
from cipherstone.operations.ephemeral import with_agreement

SCHEME = with_agreement(with_multiples(ecdh("P-384", 48), "P-384"), 97, 48)
