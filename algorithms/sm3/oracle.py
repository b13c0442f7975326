# SPDX-License-Identifier: Apache-2.0
"""SM3 from its standard."""

from cipherstone.operations.sm3 import sm3

COMPUTE = {"hash": lambda inputs: sm3(inputs["msg"])}
