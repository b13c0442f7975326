# SPDX-License-Identifier: Apache-2.0
"""RSA-2048, public keys in SubjectPublicKeyInfo."""

from cipherstone.catalogue.conditions import KEYS
from cipherstone.operations.key_import import rsa_public, spki_of

INPUTS = {"msg": spki_of(2048)}
MEMBERS = {"import-public": (lambda number: {"msg": spki_of(2048, number % KEYS)}, KEYS)}
COMPUTE = {"import-public": lambda inputs: rsa_public(2048, inputs["msg"])}
