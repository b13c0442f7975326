# SPDX-License-Identifier: Apache-2.0
"""ChaCha20-Poly1305 by PyCryptodome."""

from Crypto.Cipher import ChaCha20_Poly1305

from cipherstone.operations.symmetric import aead

COMPUTE = aead(lambda inputs: ChaCha20_Poly1305.new(key=inputs["key"], nonce=inputs["iv"]))
