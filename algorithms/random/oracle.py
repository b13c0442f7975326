# SPDX-License-Identifier: Apache-2.0
"""Random bytes: what a broken call leaves is none of them."""

from cipherstone.operations.random_bytes import random_bytes

SCHEME = random_bytes()
