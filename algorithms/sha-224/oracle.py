# SPDX-License-Identifier: Apache-2.0
"""SHA-224 by PyCryptodome."""

from Crypto.Hash import SHA224

COMPUTE = {"hash": lambda inputs: SHA224.new(inputs["msg"]).digest()}
