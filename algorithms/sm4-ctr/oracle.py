# SPDX-License-Identifier: Apache-2.0
"""SM4-CTR from its standard."""

from cipherstone.operations.block_ciphers import SM4_CTR

COMPUTE = SM4_CTR
