# SPDX-License-Identifier: Apache-2.0
"""RSA-3072, PSS with SHA-256."""

from cipherstone.operations.rsa import rsa_pss_sha256

SCHEME = rsa_pss_sha256(3072)
