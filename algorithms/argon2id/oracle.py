# SPDX-License-Identifier: Apache-2.0
"""Argon2id by the reference implementation of RFC 9106. libsodium's code comes from it: tests hold it against plain Python of ours."""

from cipherstone.operations.argon2 import argon2id_of
from cipherstone.operations.derivation import PASSWORD

COMPUTE = {"derive": argon2id_of(32)}
INPUTS = PASSWORD
