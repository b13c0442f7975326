# SPDX-License-Identifier: Apache-2.0
"""P-256, private keys in PKCS#8."""

from cipherstone.operations.ec_import import ec_pkcs8, ec_private, pair

INPUTS = {"msg": ec_pkcs8(*pair())}
COMPUTE = {"import-private": lambda inputs: ec_private(inputs["msg"])}
