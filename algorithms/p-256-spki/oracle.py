# SPDX-License-Identifier: Apache-2.0
"""P-256, public keys in SubjectPublicKeyInfo."""

from cipherstone.operations.ec_import import ec_public, ec_spki, pair
from cipherstone.operations.scheme import SEEDS

INPUTS = {"msg": ec_spki(pair()[1])}
MEMBERS = {"import-public": (lambda number: {"msg": ec_spki(pair(number)[1])}, SEEDS)}
COMPUTE = {"import-public": lambda inputs: ec_public(inputs["msg"])}
