# SPDX-License-Identifier: Apache-2.0
"""ECDH and keys on brainpoolP256r1, in plain Python."""

from cipherstone.operations.weierstrass import ecdh

SCHEME = ecdh()
