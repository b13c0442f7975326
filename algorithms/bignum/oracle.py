# SPDX-License-Identifier: Apache-2.0
"""Modular arithmetic by Python's integers."""

from cipherstone.operations.bignum_oracle import BY_ALGORITHM

COMPUTE = BY_ALGORITHM["bignum"]
