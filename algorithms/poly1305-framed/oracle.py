# SPDX-License-Identifier: Apache-2.0
"""Poly1305 over what the AEAD of RFC 8439 frames, with integers; timed with as much associated data as AEADs are."""

from cipherstone.operations.poly1305 import framed
from cipherstone.operations.splitmix import splitmix64

COMPUTE = {"mac": framed}
INPUTS = {"aad": splitmix64(3, 13)}
