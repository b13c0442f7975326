# SPDX-License-Identifier: Apache-2.0
"""SHA3-512 by PyCryptodome."""

from Crypto.Hash import SHA3_512

COMPUTE = {"hash": lambda inputs: SHA3_512.new(inputs["msg"]).digest()}
