# SPDX-License-Identifier: Apache-2.0
"""AES-256 in CBC mode by PyCryptodome."""

from Crypto.Cipher import AES

from cipherstone.operations.symmetric import cipher

COMPUTE = cipher(lambda inputs: AES.new(inputs["key"], AES.MODE_CBC, iv=inputs["iv"]))
