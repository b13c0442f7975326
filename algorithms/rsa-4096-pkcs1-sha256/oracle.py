# SPDX-License-Identifier: Apache-2.0
"""RSA-4096, PKCS#1 v1.5 with SHA-256."""

from cipherstone.operations.rsa import rsa_pkcs1_sha256

SCHEME = rsa_pkcs1_sha256(4096)
