# SPDX-License-Identifier: Apache-2.0
"""X448, by PyCryptodome."""

from cipherstone.operations.curve448 import x448

SCHEME = x448()
