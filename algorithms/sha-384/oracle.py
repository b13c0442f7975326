# SPDX-License-Identifier: Apache-2.0
"""SHA-384 by PyCryptodome."""

from Crypto.Hash import SHA384

COMPUTE = {"hash": lambda inputs: SHA384.new(inputs["msg"]).digest()}
