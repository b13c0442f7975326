# SPDX-License-Identifier: Apache-2.0
"""HMAC-SHA-384 by PyCryptodome."""

from Crypto.Hash import HMAC, SHA384

COMPUTE = {"mac": lambda inputs: HMAC.new(inputs["key"], inputs["msg"], SHA384).digest()}
