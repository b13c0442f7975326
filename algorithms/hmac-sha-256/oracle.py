# SPDX-License-Identifier: Apache-2.0
"""HMAC-SHA-256 by PyCryptodome."""

from Crypto.Hash import HMAC, SHA256

COMPUTE = {"mac": lambda inputs: HMAC.new(inputs["key"], inputs["msg"], SHA256).digest()}
