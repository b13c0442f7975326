# SPDX-License-Identifier: Apache-2.0
"""Modular exponentiation of one word by Python's integers."""

from cipherstone.operations.bignum_oracle import BY_ALGORITHM

COMPUTE = BY_ALGORITHM["modexp-word"]
