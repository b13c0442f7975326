# SPDX-License-Identifier: Apache-2.0
"""Modular exponentiation by Python's integers."""

from cipherstone.operations.bignum_oracle import BY_ALGORITHM

COMPUTE = BY_ALGORITHM["modexp"]
