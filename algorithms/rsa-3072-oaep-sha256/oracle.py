# SPDX-License-Identifier: Apache-2.0
"""RSA-3072, OAEP with SHA-256."""

from cipherstone.operations.rsa import rsa_oaep_sha256

SCHEME = rsa_oaep_sha256(3072)
