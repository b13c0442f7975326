# SPDX-License-Identifier: Apache-2.0
"""SHA3-384 by PyCryptodome."""

from Crypto.Hash import SHA3_384

COMPUTE = {"hash": lambda inputs: SHA3_384.new(inputs["msg"]).digest()}
