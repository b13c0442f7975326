# SPDX-License-Identifier: Apache-2.0
"""HMAC-SHA-512 by PyCryptodome."""

from Crypto.Hash import HMAC, SHA512

COMPUTE = {"mac": lambda inputs: HMAC.new(inputs["key"], inputs["msg"], SHA512).digest()}
