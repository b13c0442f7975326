# SPDX-License-Identifier: Apache-2.0
"""X25519, by PyCryptodome."""

from cipherstone.operations.elliptic import with_multiples, x25519
from cipherstone.operations.ephemeral import with_agreement

SCHEME = with_agreement(with_multiples(x25519()), 32, 32)
