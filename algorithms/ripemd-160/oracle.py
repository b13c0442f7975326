# SPDX-License-Identifier: Apache-2.0
"""RIPEMD-160 by PyCryptodome."""

from Crypto.Hash import RIPEMD160

COMPUTE = {"hash": lambda inputs: RIPEMD160.new(inputs["msg"]).digest()}
