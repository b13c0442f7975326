# SPDX-License-Identifier: Apache-2.0
"""SHA3-256 by PyCryptodome."""

from Crypto.Hash import SHA3_256

COMPUTE = {"hash": lambda inputs: SHA3_256.new(inputs["msg"]).digest()}
