# SPDX-License-Identifier: Apache-2.0
"""Camellia-128 in CBC mode from RFC 3713."""

from cipherstone.operations.block_ciphers import CAMELLIA_CBC

COMPUTE = CAMELLIA_CBC
