# SPDX-License-Identifier: Apache-2.0
"""RSA-2048, private keys in PKCS#8."""

from cipherstone.catalogue.conditions import KEYS
from cipherstone.operations.key_import import pkcs8_of, rsa_private

INPUTS = {"msg": pkcs8_of(2048)}
MEMBERS = {"import-private": (lambda number: {"msg": pkcs8_of(2048, number % KEYS)}, KEYS)}
COMPUTE = {"import-private": lambda inputs: rsa_private(2048, inputs["msg"])}
