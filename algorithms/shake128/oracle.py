# SPDX-License-Identifier: Apache-2.0
"""SHAKE128 by PyCryptodome."""

from Crypto.Hash import SHAKE128

COMPUTE = {"hash": lambda inputs: SHAKE128.new(inputs["msg"]).read(32)}
