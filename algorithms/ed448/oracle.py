# SPDX-License-Identifier: Apache-2.0
"""Ed448, by PyCryptodome."""

from cipherstone.operations.curve448 import ed448

SCHEME = ed448()
