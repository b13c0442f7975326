# SPDX-License-Identifier: Apache-2.0
"""RSA-4096, public keys in SubjectPublicKeyInfo."""

from cipherstone.catalogue.conditions import KEYS
from cipherstone.operations.key_import import rsa_public, spki_of

INPUTS = {"msg": spki_of(4096)}
MEMBERS = {"import-public": (lambda number: {"msg": spki_of(4096, number % KEYS)}, KEYS)}
COMPUTE = {"import-public": lambda inputs: rsa_public(4096, inputs["msg"])}
