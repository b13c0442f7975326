# SPDX-License-Identifier: Apache-2.0
"""RSA-4096, PSS with SHA-256."""

from cipherstone.operations.rsa import rsa_pss_sha256

SCHEME = rsa_pss_sha256(4096)
