# SPDX-License-Identifier: Apache-2.0
"""RSA-4096, private keys in PKCS#8."""

from cipherstone.catalogue.conditions import KEYS
from cipherstone.operations.key_import import pkcs8_of, rsa_private

INPUTS = {"msg": pkcs8_of(4096)}
MEMBERS = {"import-private": (lambda number: {"msg": pkcs8_of(4096, number % KEYS)}, KEYS)}
COMPUTE = {"import-private": lambda inputs: rsa_private(4096, inputs["msg"])}
