# SPDX-License-Identifier: Apache-2.0
"""ECDSA on brainpoolP256r1 with SHA-256, in plain Python."""

from cipherstone.operations.weierstrass import ecdsa

SCHEME = ecdsa()
