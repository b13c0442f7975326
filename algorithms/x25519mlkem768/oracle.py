# SPDX-License-Identifier: Apache-2.0
"""X25519MLKEM768 by our own ML-KEM from FIPS 203 and PyCryptodome's X25519."""

from cipherstone.operations.hybrid import x25519_mlkem768

SCHEME = x25519_mlkem768()
