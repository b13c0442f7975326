# SPDX-License-Identifier: Apache-2.0
"""P-256, public keys in SubjectPublicKeyInfo."""

from cipherstone.operations.ec_import import ec_public, ec_spki, pair

INPUTS = {"msg": ec_spki(pair()[1])}
COMPUTE = {"import-public": lambda inputs: ec_public(inputs["msg"])}
