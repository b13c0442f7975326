# SPDX-License-Identifier: Apache-2.0
"""BLAKE2b-512 by PyCryptodome."""

from Crypto.Hash import BLAKE2b

COMPUTE = {"hash": lambda inputs: BLAKE2b.new(data=inputs["msg"], digest_bits=512).digest()}
