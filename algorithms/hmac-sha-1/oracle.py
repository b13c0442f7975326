# SPDX-License-Identifier: Apache-2.0
"""HMAC-SHA-1 by PyCryptodome."""

from Crypto.Hash import HMAC, SHA1

COMPUTE = {"mac": lambda inputs: HMAC.new(inputs["key"], inputs["msg"], SHA1).digest()}
