# SPDX-License-Identifier: Apache-2.0
"""SHAKE256 by PyCryptodome."""

from Crypto.Hash import SHAKE256

COMPUTE = {"hash": lambda inputs: SHAKE256.new(inputs["msg"]).read(64)}
