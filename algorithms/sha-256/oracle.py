# SPDX-License-Identifier: Apache-2.0
"""SHA-256 by PyCryptodome."""

from Crypto.Hash import SHA256

COMPUTE = {"hash": lambda inputs: SHA256.new(inputs["msg"]).digest()}
