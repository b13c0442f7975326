# SPDX-License-Identifier: Apache-2.0
"""BLAKE2s-256 by PyCryptodome."""

from Crypto.Hash import BLAKE2s

COMPUTE = {"hash": lambda inputs: BLAKE2s.new(data=inputs["msg"], digest_bits=256).digest()}
