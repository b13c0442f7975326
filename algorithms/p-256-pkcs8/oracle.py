# SPDX-License-Identifier: Apache-2.0
"""P-256, private keys in PKCS#8."""

from cipherstone.operations.ec_import import ec_pkcs8, ec_private, pair
from cipherstone.operations.scheme import SEEDS

INPUTS = {"msg": ec_pkcs8(*pair())}
MEMBERS = {"import-private": (lambda number: {"msg": ec_pkcs8(*pair(number))}, SEEDS)}
COMPUTE = {"import-private": lambda inputs: ec_private(inputs["msg"])}
