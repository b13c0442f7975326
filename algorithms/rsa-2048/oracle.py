# SPDX-License-Identifier: Apache-2.0
"""Generation of RSA keys of 2048 bits."""

from cipherstone.operations.rsa import rsa_keys

SCHEME = rsa_keys(2048)
