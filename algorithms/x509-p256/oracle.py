# SPDX-License-Identifier: Apache-2.0
"""Certificates with keys of P-256, by our own reader and PyCryptodome's signatures."""

from cipherstone.operations.certificates import certificates, p256, timed

SCHEME = certificates(p256())
INPUTS = timed(p256())
