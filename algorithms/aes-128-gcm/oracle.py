# SPDX-License-Identifier: Apache-2.0
"""AES-128-GCM by PyCryptodome."""

from Crypto.Cipher import AES

from cipherstone.operations.symmetric import TAG_BYTES, aead

COMPUTE = aead(lambda inputs: AES.new(inputs["key"], AES.MODE_GCM, nonce=inputs["iv"], mac_len=TAG_BYTES))
