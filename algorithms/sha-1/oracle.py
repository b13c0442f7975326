# SPDX-License-Identifier: Apache-2.0
"""SHA-1 by PyCryptodome."""

from Crypto.Hash import SHA1

COMPUTE = {"hash": lambda inputs: SHA1.new(inputs["msg"]).digest()}
