# SPDX-License-Identifier: Apache-2.0
"""ARIA-128-CTR from its standard."""

from cipherstone.operations.block_ciphers import ARIA_CTR

COMPUTE = ARIA_CTR
