# SPDX-License-Identifier: Apache-2.0
"""SHA-512 by PyCryptodome."""

from Crypto.Hash import SHA512

COMPUTE = {"hash": lambda inputs: SHA512.new(inputs["msg"]).digest()}
