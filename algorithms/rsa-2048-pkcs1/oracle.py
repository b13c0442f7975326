# SPDX-License-Identifier: Apache-2.0
"""RSA-2048, PKCS#1 v1.5 encryption."""

from cipherstone.operations.rsa import rsa_pkcs1

SCHEME = rsa_pkcs1(2048)
