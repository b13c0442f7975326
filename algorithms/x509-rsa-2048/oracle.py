# SPDX-License-Identifier: Apache-2.0
"""Certificates with keys of RSA-2048, by our own reader and PyCryptodome's signatures."""

from cipherstone.operations.certificates import certificates, rsa_2048, timed

SCHEME = certificates(rsa_2048())
INPUTS = timed(rsa_2048())
